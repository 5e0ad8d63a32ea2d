"""`explain option NAME`: its value and where it comes from, what it needs, what a change would rebuild."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from tools.base.errors import did_you_mean, usage_error
from tools.base.globs import find_files
from tools.setup_helpers.env.foreign import foreign_names
from tools.setup_helpers.env.options import names_of
from tools.setup_helpers.table.config import CONFIG_FILE, Config, Effect, Option, OptionType
from tools.setup_helpers.table.predicates import And, Name, Predicate, evaluate, names

from ..report.jobs import Kind
from . import Question
from .outlook import Work, recorded_values, tree_work

_MOST_USES = 12
_LONGEST_USE = 70
_INDENT = " " * 13

_VALUES = {
    OptionType.BOOL: "ON, OFF",
    OptionType.AUTO: "ON, OFF, auto",
    OptionType.INTEGER: "a whole number of 0 or more",
    OptionType.PATH: "a file or folder that exists",
    OptionType.ARCHITECTURES: "versions such as 8.0;9.0+PTX, Turing to Blackwell, native, all-major or all",
    OptionType.FLAGS: "words, quoted as in a shell",
    OptionType.STRING: "any text",
}

# The commands that change when an option with this role changes.
_REACH = {
    "debug": (Kind.COMPILE, Kind.LINK),
    "debug_info": (Kind.COMPILE, Kind.LINK),
    "link_flags": (Kind.LINK,),
}
# The front end uses roles; where it names an option, that is advice.
_FRONT_END = "/".join(__package__.split(".")[:-1]) + "/**"
_READ_BY_CMAKE = ("CMakeLists.txt", "cmake/**/*")
# Comments do not count as uses. The markers at the start of a comment line, where that is not `#`.
_COMMENTS = dict.fromkeys((".c", ".h", ".cpp", ".cu", ".cuh"), ("//", "/*", "* "))


def explain_option(question: Question) -> str:
    """Return the explanation of each named option, including options whose value is refused."""
    known, foreign = names_of(question.config), foreign_names(question.config)
    words = [word for word in question.words if word not in foreign]
    idle = [
        f"{word} has no effect here: {foreign[word].because}"
        for word in question.words
        if word in foreign
    ]
    unknown = [f"{word}{did_you_mean(word, known, 3)}" for word in words if word not in known]
    if unknown or not question.words:
        raise usage_error(
            f"there is no option {', '.join(unknown)}" if unknown else "no option named",
            hint="run `python setup.py options` to see all of them",
        )
    answers = (_Answer(question, name) for name in dict.fromkeys(known[word] for word in words))
    return "\n\n".join([*idle, *("\n".join(answer.lines()) for answer in answers)])


class _Answer:
    def __init__(self, question: Question, name: str) -> None:
        self._config = question.config
        self._options = question.resolution.options
        self._refusals = question.resolution.refusals
        self._build_dir = question.build_dir
        self._resolved = self._options.of(name)
        self._option: Option = self._resolved.option

    def lines(self) -> Iterator[str]:
        value = self._resolved.text or "empty"
        yield f"{self._option.name} = {value} ({self._resolved.because})"
        yield f"  {self._option.help}"
        for title, rows in (
            ("refused", self._refused()),
            ("accepts", self._accepts()),
            ("last build", self._last_build()),
            ("needs", self._needs()),
            ("needed by", self._needed_by()),
            ("a change", self._consequences()),
            ("named in", self._uses()),
        ):
            for index, row in enumerate(rows):
                yield f"{title if index == 0 else '':<{len(_INDENT)}}{row}"

    def _refused(self) -> Iterator[str]:
        """Yield the reasons why a build with the requested value would not start."""
        for refusal in self._refusals:
            if refusal.name == self._option.name:
                error = refusal.error
                yield from (error.message, *(f"  {line}" for line in error.cause.splitlines()))

    def _accepts(self) -> Iterator[str]:
        option = self._option
        if option.planned:
            why = option.because or "this option is not implemented yet"
            yield f"only {self._resolved.text or 'nothing'}: {why}"
            return
        choices = [f"{c} (planned)" if c in option.planned_choices else c for c in option.choices]
        yield ", ".join(choices) or _VALUES[option.type]
        other = option.requires is not None and option.when_unmet != option.default
        unless = f", {option.when_unmet or 'empty'} if its needs are not met" if other else ""
        yield f"{option.default or 'empty'} by default{unless}"
        if option.aliases:
            yield f"also known as {', '.join(option.aliases)}"

    def _last_build(self) -> Iterator[str]:
        known = recorded_values(self._build_dir).get(self._option.name)
        if known and known["value"] != self._resolved.text:
            yield f"{known['value'] or 'empty'} ({known['origin']})"

    def _needs(self) -> Iterator[str]:
        if self._option.requires is not None:
            yield from self._conditions(self._option.requires, 0)

    def _conditions(self, requires: Predicate, depth: int) -> Iterator[str]:
        """Yield each part of a condition, whether it holds, and what its options need in turn."""
        values = self._options.values_and_facts()
        parts = requires.operands if isinstance(requires, And) else (requires,)
        for part in parts:
            holds = "holds" if evaluate(part, values) else "does not hold"
            alone = isinstance(part, Name)
            values_of = [self._value(name, alone) for name in names(part) if name in self._options]
            because = f": {', '.join(values_of)}" if values_of else ""
            yield f"{'  ' * depth}{part} {holds}{because}"
            for name in names(part):
                deeper = self._options.of(name).option.requires if name in self._options else None
                if deeper is not None:
                    yield from self._conditions(deeper, depth + 1)

    def _value(self, name: str, alone: bool) -> str:
        resolved = self._options.of(name)
        return f"{'it' if alone else name} is {resolved.text or 'empty'} ({resolved.because})"

    def _needed_by(self) -> Iterator[str]:
        for option in self._config.options:
            if option.requires is not None and self._option.name in names(option.requires):
                yield f"{option.name}, which needs {option.requires}"

    def _consequences(self) -> Iterator[str]:
        name = self._option.name
        for stage in self._config.stages:
            if name in stage.options:
                yield f"runs code generation stage {stage.name}"
        match self._option.effect:
            case Effect.NOTHING:
                yield "rebuilds nothing"
            case Effect.PACKAGE:
                yield "packages again, but rebuilds nothing"
            case Effect.BUILD:
                yield "rebuilds without configuring"
            case Effect.CONFIGURE:
                yield from self._configures()
        for row in rows_that_depend(self._config, name):
            yield f"decides whether this exists: {row}"

    def _configures(self) -> Iterator[str]:
        yield "configures again, then runs the commands whose command line changes"
        kinds = self._kinds()
        work = tree_work(self._config, self._build_dir) if kinds else {}
        for kind in kinds:
            done = work.get(kind, Work())
            if done.commands:
                yield f"{kind.value}: all {done.commands} commands, {done.seconds:.1f} s of work"

    def _kinds(self) -> tuple[Kind, ...]:
        language = self._config.language_option(self._option.name)
        if language is None:
            return _REACH.get(self._option.role, ())
        if self._option.name == language.flags:
            return (Kind.COMPILE,)
        return (Kind.COMPILE, Kind.LINK) if language.dialect else (Kind.COMPILE,)

    def _uses(self) -> Iterator[str]:
        found = uses(self._config, self._option.name)
        width = max((len(use.place) for use in found[:_MOST_USES]), default=0)
        for use in found[:_MOST_USES]:
            yield f"{use.place:<{width}}  {shorten(use.text, _LONGEST_USE, placeholder=' ...')}"
        if len(found) > _MOST_USES:
            yield f"and {len(found) - _MOST_USES} more"
        if self._option.role:
            yield f"the front end, with the role: {self._option.role.replace('_', ' ')}"
        if language := self._config.language_option(self._option.name):
            part = "flags" if self._option.name == language.flags else "compiler"
            yield f"the front end, for the {part} of {language.title} files"


@dataclass(frozen=True)
class Use:
    """One line that uses the option."""

    path: str
    line: int
    text: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def uses(config: Config, name: str) -> list[Use]:
    """Return the uses in reading order: the option's row, CMake's files, then the table's inputs."""
    inputs = [pattern for path in config.project.inputs for pattern in (path, f"{path}/**")]
    paths = find_files(config.root, [CONFIG_FILE, *_READ_BY_CMAKE, *inputs], [_FRONT_END])
    order = sorted(paths, key=lambda path: (path != CONFIG_FILE, not _is_cmake(path), path))
    mention = re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9_])")
    return [use for path in order for use in _mentions(config.root, path, name, mention)]


def _is_cmake(path: str) -> bool:
    return path == "CMakeLists.txt" or path.startswith("cmake/")


def _mentions(root: Path, path: str, name: str, mention: re.Pattern[str]) -> Iterator[Use]:
    try:
        text = (root / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    if name not in text:
        return
    comment = _COMMENTS.get(Path(path).suffix, "#")
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if mention.search(line) and not line.startswith(comment):
            yield Use(path, number, line)


def rows_that_depend(config: Config, name: str) -> list[str]:
    """Return the rows of the table whose condition depends on the option."""
    rows: list[tuple[str, Predicate | None]] = [
        *((f"library {row.name}", row.when) for row in config.libraries),
        *(
            (f"sources {group.name} of library {row.name}", group.when)
            for row in config.libraries
            for group in row.groups
        ),
        *((f"extension {row.name}", row.when) for row in config.extensions),
        *((f"program {row.name}", row.when) for row in config.programs),
        *((f"language {row.title}", row.when) for row in config.languages),
        *((f"unit tests {row.name}", row.when) for row in config.tests),
        *((f"kernels for {row.name}", row.when) for row in config.capabilities),
        *((f"code generation stage {row.name}", row.when) for row in config.stages),
        *((f"files of the package under {row.root}", row.when) for row in config.packaging.files),
        *(
            (f"component {row.name} of the package", row.when)
            for row in config.packaging.components
        ),
    ]
    return [text for text, when in rows if when is not None and name in set(names(when))]

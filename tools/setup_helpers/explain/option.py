"""`explain option NAME`: its value and who chose it, what it needs, and what a change would redo."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten

from ..errors import usage_error
from ..reporting.jobs import Kind
from ..suggest import did_you_mean
from ..table.config import Effect, Option, OptionType
from ..table.options import names_of
from ..table.predicates import And, Name, Predicate, evaluate, names
from .option_uses import rows_that_depend, uses
from .outlook import Work, recorded_values, tree_work
from .question import Question

_MOST_USES = 12
_LONGEST_USE = 70
_INDENT = " " * 13

_VALUES = {
    OptionType.BOOL: "ON, OFF",
    OptionType.AUTO: "ON, OFF, auto",
    OptionType.INTEGER: "a whole number from 0 on",
    OptionType.PATH: "a file or folder that exists",
    OptionType.FLAGS: "words, quoted as in a shell",
    OptionType.STRING: "any text",
}

# What has another command line when an option with this role changes.
_REACH = {
    "debug": (Kind.COMPILE, Kind.LINK),
    "debug_info": (Kind.COMPILE, Kind.LINK),
    "c_compiler": (Kind.COMPILE, Kind.LINK),
    "cxx_compiler": (Kind.COMPILE, Kind.LINK),
    "c_flags": (Kind.COMPILE,),
    "cxx_flags": (Kind.COMPILE,),
    "link_flags": (Kind.LINK,),
}


def explain_option(question: Question) -> str:
    """The answer as text, for each name; also for an option whose value is refused."""
    known = names_of(question.config)
    words = question.words
    unknown = [f"{word}{did_you_mean(word, known, 3)}" for word in words if word not in known]
    if unknown or not words:
        raise usage_error(
            f"no option {', '.join(unknown)}" if unknown else "explain which option?",
            hint="python setup.py options shows them all",
        )
    answers = (_Answer(question, name) for name in dict.fromkeys(known[word] for word in words))
    return "\n\n".join("\n".join(answer.lines()) for answer in answers)


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
        """Why a build would not begin with what was asked for."""
        for refusal in self._refusals:
            if refusal.name == self._option.name:
                error = refusal.error
                yield from (error.message, *(f"  {line}" for line in error.cause.splitlines()))

    def _accepts(self) -> Iterator[str]:
        option = self._option
        if option.planned:
            yield f"{self._resolved.text or 'nothing'} only: its part does not exist yet"
            return
        choices = [f"{c} (planned)" if c in option.planned_choices else c for c in option.choices]
        yield ", ".join(choices) or _VALUES[option.type]
        yield f"{option.default or 'empty'} by default"
        if option.aliases:
            yield f"also under the name {', '.join(option.aliases)}"

    def _last_build(self) -> Iterator[str]:
        known = recorded_values(self._build_dir).get(self._option.name)
        if known and known["value"] != self._resolved.text:
            yield f"{known['value'] or 'empty'} ({known['origin']})"

    def _needs(self) -> Iterator[str]:
        if self._option.requires is not None:
            yield from self._conditions(self._option.requires, 0)

    def _conditions(self, requires: Predicate, depth: int) -> Iterator[str]:
        """Each part of the condition, whether it holds, and what the options in it need in turn."""
        values = self._options.values_and_facts()
        parts = requires.operands if isinstance(requires, And) else (requires,)
        for part in parts:
            holds = "holds" if evaluate(part, values) else "does not hold"
            alone = isinstance(part, Name)
            said = [self._said(name, alone) for name in names(part) if name in self._options]
            because = f": {', '.join(said)}" if said else ""
            yield f"{'  ' * depth}{part} {holds}{because}"
            for name in names(part):
                deeper = self._options.of(name).option.requires if name in self._options else None
                if deeper is not None:
                    yield from self._conditions(deeper, depth + 1)

    def _said(self, name: str, alone: bool) -> str:
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
                yield "makes nothing again"
            case Effect.PACKAGE:
                yield "packs again; makes nothing again"
            case Effect.BUILD:
                yield "builds again without configuring"
            case Effect.CONFIGURE:
                yield from self._configures()
        for row in rows_that_depend(self._config, name):
            yield f"decides whether there is: {row}"

    def _configures(self) -> Iterator[str]:
        yield "configures again, then runs the commands whose text that changes"
        kinds = _REACH.get(self._option.role, ())
        work = tree_work(self._config, self._build_dir) if kinds else {}
        for kind in kinds:
            done = work.get(kind, Work())
            if done.commands:
                yield f"all that {kind.value}: {done.commands} commands, {done.seconds:.1f} s of work"

    def _uses(self) -> Iterator[str]:
        found = uses(self._config, self._option.name)
        width = max((len(use.place) for use in found[:_MOST_USES]), default=0)
        for use in found[:_MOST_USES]:
            yield f"{use.place:<{width}}  {shorten(use.text, _LONGEST_USE, placeholder=' ...')}"
        if len(found) > _MOST_USES:
            yield f"and {len(found) - _MOST_USES} more"
        if self._option.role:
            yield f"the front end, as its option for: {self._option.role.replace('_', ' ')}"

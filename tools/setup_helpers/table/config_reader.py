"""Parse build_config.toml into a checked Config, or report every mistake in it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import tomllib

from tools.base.errors import BuildError, did_you_mean, usage_error

from . import config as c
from . import targets as t
from .config_references import check_references
from .languages import COMPILER_IDS, Language, described_minimum
from .table_reader import Problem, TableReader, read_row

if TYPE_CHECKING:
    from .toml_positions import Path as TomlPath

T = TypeVar("T")
E = TypeVar("E", c.Stage, c.Topic)
R = TypeVar("R")


def load(root: Path) -> c.Config:
    """Read and check `root`/build_config.toml. Raise BuildError (exit code 2) with every mistake in it.

    An unchanged file is not read again.
    """
    path = root / c.CONFIG_FILE
    try:
        info = path.stat()
        return _load(path, (info.st_size, info.st_mtime_ns))
    except FileNotFoundError as error:
        raise usage_error(
            f"{path} does not exist", hint="run from a checkout of the project"
        ) from error
    except UnicodeDecodeError as error:
        raise usage_error(f"{c.CONFIG_FILE} is not UTF-8", cause=f"byte {error.start}") from error


@lru_cache(maxsize=1)
def _load(path: Path, _: tuple[int, int]) -> c.Config:
    return parse_config(path.read_bytes().decode("utf-8-sig"), path.parent)


def parse_config(text: str, root: Path) -> c.Config:
    """Parse and check the table from text; `root` only locates the project."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _syntax_error(text, error) from error
    problems: list[Problem] = []
    config = ConfigReader(table, problems).config(root)
    problems += check_references(config)
    if problems:
        raise _report(text, problems)
    return config


def _syntax_error(text: str, error: Exception) -> BuildError:
    import re

    message = str(error)
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    lines = text.splitlines() or [""]
    line, column = len(lines), len(lines[-1]) + 1
    if place:
        message = message[: place.start()]
        if place[1]:
            line, column = int(place[1]), int(place[2])
    message = message[:1].lower() + message[1:]
    source = lines[line - 1] if line <= len(lines) else ""
    return usage_error(
        f"{c.CONFIG_FILE}:{line}:{column}: {message}",
        cause=f"{source}\n{' ' * (column - 1)}^" if source else "",
    )


def _report(text: str, problems: list[Problem]) -> BuildError:
    from .toml_positions import TomlPositions

    positions = TomlPositions(text)
    lines = []
    for problem in problems:
        at = positions.find(problem.path)
        column = (at.value_column if problem.on_value else at.column) + problem.offset
        lines.append((at.line, column, f"{c.CONFIG_FILE}:{at.line}:{column}: {problem.message}"))
    lines.sort()
    count = len(lines)
    head = "1 mistake" if count == 1 else f"{count} mistakes"
    return usage_error(f"{head} in {c.CONFIG_FILE}", cause="\n".join(x[2] for x in lines))


class ConfigReader:
    """Reads the sections of the table, and collects the mistakes in them."""

    def __init__(self, table: dict[str, Any], problems: list[Problem]) -> None:
        self._table = table
        self._problems = problems
        self._asked: list[str] = []

    def config(self, root: Path) -> c.Config:
        languages = self._named_rows("languages", read_language)
        libraries = self._rows("library", read_library)
        programs = (
            *self._rows("program", _row(t.Program)),
            *(program for library in libraries for program in library.own_programs),
        )
        packaging = self._one("packaging", read_packaging)
        exports = (*_exports(libraries, programs), *packaging.exported_symbols)
        project = self._one("project", _row(c.Project))
        checks = (*map(requirement_of, languages), *self._rows("check", read_requirement))
        config = c.Config(
            root=root,
            project=project,
            options=self._named_rows("options", read_option),
            stages=self._rows("stage", read_stage),
            libraries=libraries,
            extensions=self._rows("extension", _row(t.Extension)),
            programs=programs,
            capabilities=self._rows("capability", _row(t.Capability)),
            cmake_modules=self._rows("cmake_module", _row(t.CMakeModule)),
            resources=self._rows("resource", _row(c.ResourceClass)),
            packaging=replace(packaging, exported_symbols=exports),
            languages=languages,
            checks=tuple(_with_minimum(row, project) for row in checks),
            variables=self._rows("variable", _row(c.Variable)),
            foreign=self._rows("foreign", read_foreign),
            topics=self._rows("topic", read_topic),
        )
        for key in self._table:
            if key not in self._asked:
                nearest = did_you_mean(key, self._asked, 2)
                self._note((key,), f"unknown section {key!r}{nearest}")
        return config

    def _one(self, section: str, read: Callable[[TableReader], T]) -> T:
        return self._read((section,), self._section(section, {}), read)

    def _rows(self, section: str, read: Callable[[TableReader], T]) -> tuple[T, ...]:
        tables = self._section(section, [])
        if not isinstance(tables, list):
            self._note((section,), f"{section} must be written [[{section}]]")
            return ()
        results = [self._read((section, i), table, read) for i, table in enumerate(tables)]
        names = [str(getattr(x, "name", "")) for x in results]
        for index, name in enumerate(names):
            if name and name in names[:index]:
                self._note((section, index, "name"), f"{section} {name!r} is declared twice", True)
        return tuple(results)

    def _named_rows(self, section: str, read: Callable[[str, TableReader], T]) -> tuple[T, ...]:
        tables = self._section(section, {})
        if not isinstance(tables, dict):
            self._note((section,), f"{section} must be tables: [{section}.NAME]")
            return ()
        return tuple(
            self._read((section, name), table, partial(read, name))
            for name, table in tables.items()
        )

    def _section(self, name: str, default: object) -> Any:
        self._asked.append(name)
        return self._table.get(name, default)

    def _read(self, path: TomlPath, table: Any, read: Callable[[TableReader], T]) -> T:
        reader = TableReader(table, path, self._problems)
        result = read(reader)
        reader.finish()
        return result

    def _note(self, path: TomlPath, message: str, on_value: bool = False) -> None:
        self._problems.append(Problem(path, message, on_value))


def _row(kind: type[T]) -> Callable[[TableReader], T]:
    return lambda reader: read_row(kind, reader)


def _with_minimum(row: c.Requirement, project: c.Project) -> c.Requirement:
    """Replace `{cmake_minimum}` and the like in arguments by the version that [project] states."""
    versions = {f"{{{name}_minimum}}": version for name, version in project.tools.items()}
    return replace(row, arguments=tuple(versions.get(x, x) for x in row.arguments))


def _exports(
    libraries: Iterable[t.Library], programs: Iterable[t.Program]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a pattern for the file of each target whose row says what it exports, and those symbols."""
    for library in libraries:
        if library.exports:
            yield f"lib{library.name}.*", library.exports
    for program in programs:
        if program.exports:
            yield program.name, program.exports


def read_option(name: str, reader: TableReader) -> c.Option:
    """Read an option; `name` is the name of its table. Switches have other defaults than texts."""
    kind = reader.choice("type", c.OptionType, c.OptionType.BOOL)
    auto, switch = kind is c.OptionType.AUTO, kind.is_switch
    option = read_row(
        c.Option,
        reader,
        name=name,
        type=kind,
        default=reader.string("default", "auto" if auto else "OFF" if switch else ""),
        when_unmet=reader.string("when_unmet", "OFF" if switch else ""),
    )
    default, choices, role = option.default, option.choices, option.role
    if kind is c.OptionType.CHOICE and default not in choices:
        nearest = did_you_mean(default, choices)
        reader.note("default", f"default {default!r} is not one of the choices{nearest}", True)
    if switch and default not in ("ON", "OFF", *(("auto",) if auto else ())):
        reader.note("default", f"default of {name} must be ON or OFF, not {default!r}", True)
    if (option.status is c.Status.ABSENT) != bool(option.because):
        reader.note("", f'{name} needs both status "absent" and because, or neither')
    if auto and not option.probe:
        reader.note("", f"{name} is auto, so it needs a probe")
    if role and role not in c.ROLES:
        reader.note("role", f"unknown role {role!r}{did_you_mean(role, c.ROLES)}", True)
    return option


def read_language(name: str, reader: TableReader) -> Language:
    """Read a language; `name` is the name of its table."""
    row = read_row(Language, reader, name=name)
    for compiler in row.minimum:
        if compiler not in COMPILER_IDS:
            known = f"; one of {', '.join(COMPILER_IDS)}"
            reader.note("minimum", f"unknown compiler {compiler!r}{known}", True)
    known_minimum = {x: text for x, text in row.minimum.items() if x in COMPILER_IDS}
    return replace(row, minimum=known_minimum)


def requirement_of(language: Language) -> c.Requirement:
    """Return the requirement that a language's compiler is there and works."""
    supported = described_minimum(language)
    remedy = language.remedy + (f": {supported}" if supported else "")
    if language.compiler:
        remedy += f"; or set {language.compiler}"
    return c.Requirement(
        name=language.display_name,
        probe=language.probe,
        arguments=(language.name,),
        consequence=language.consequence,
        remedy=remedy,
        when=language.when,
    )


def read_library(reader: TableReader) -> t.Library:
    """Read a library with its groups of sources, its tests and its programs."""
    return read_row(
        t.Library,
        reader,
        groups=_rows(reader, "group", t.SourceGroup),
        tests=_rows(reader, "test", t.UnitTests),
        programs=_rows(reader, "program", t.Program),
    )


def read_stage(reader: TableReader) -> c.Stage:
    """Read a stage and check its entry point."""
    return _with_entry(read_row(c.Stage, reader), reader)


def read_topic(reader: TableReader) -> c.Topic:
    """Read a topic and check its entry point."""
    return _with_entry(read_row(c.Topic, reader), reader)


def read_requirement(reader: TableReader) -> c.Requirement:
    """Read a requirement. Without a remedy in the row, the remedy is to install its `pip` distribution."""
    pip = reader.string("pip", "")
    remedy = reader.string("remedy", f"python -m pip install {pip}" if pip else None)
    return read_row(c.Requirement, reader, pip=pip, remedy=remedy)


def read_foreign(reader: TableReader) -> c.ForeignVariables:
    """Read foreign variables and check their harmless value."""
    row = read_row(c.ForeignVariables, reader)
    if row.harmless not in ("ON", "OFF"):
        reader.note("harmless", f"harmless must be ON or OFF, not {row.harmless!r}", True)
    return row


def read_packaging(reader: TableReader) -> c.Packaging:
    """Read the packaging section with its file rules."""
    return read_row(
        c.Packaging,
        reader,
        files=_rows(reader, "files", c.FileRule),
        components=_rows(reader, "component", c.Component),
    )


def _rows(reader: TableReader, key: str, kind: type[R]) -> tuple[R, ...]:
    rows = []
    for table in reader.tables(key):
        rows.append(read_row(kind, table))
        table.finish()
    return tuple(rows)


def _with_entry(row: E, reader: TableReader) -> E:
    if row.entry.count(":") != 1:
        reader.note("entry", f"entry must be 'module:function', not {row.entry!r}", True)
    return row

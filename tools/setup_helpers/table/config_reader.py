"""From the text of build_config.toml to a checked Config, or to every mistake in it at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import tomllib

from ..errors import BuildError, usage_error
from ..suggest import did_you_mean
from . import config as c
from .config_references import check_references
from .table_reader import Problem, TableReader
from .toml_positions import TomlPositions

T = TypeVar("T")

_SECTIONS = (
    "project",
    "options",
    "stage",
    "library",
    "extension",
    "program",
    "capability",
    "resource",
    "packaging",
    "check",
    "variable",
    "topic",
)


def load(root: Path) -> c.Config:
    """Reads and checks `root`/build_config.toml; raises BuildError (exit code 2) with every mistake in it."""
    path = root / c.CONFIG_FILE
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise usage_error(
            f"{path} does not exist", hint="run from a checkout of the project"
        ) from error
    except UnicodeDecodeError as error:
        raise usage_error(f"{c.CONFIG_FILE} is not UTF-8", cause=f"byte {error.start}") from error
    return parse_config(text, root)


def parse_config(text: str, root: Path) -> c.Config:
    """As load, from text; `root` only locates the project."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _syntax_error(text, error) from error
    problems: list[Problem] = []
    config = _Reader(table, problems).config(root)
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


class _Reader:
    def __init__(self, table: dict[str, Any], problems: list[Problem]) -> None:
        self._table = table
        self._problems = problems

    def config(self, root: Path) -> c.Config:
        for key in self._table:
            if key not in _SECTIONS:
                self._problems.append(
                    Problem((key,), f"unknown section {key!r}{did_you_mean(key, _SECTIONS, 2)}")
                )
        return c.Config(
            root=root,
            project=self._one("project", _project),
            options=self._options(),
            stages=self._rows("stage", _stage),
            libraries=self._rows("library", _library),
            extensions=self._rows("extension", _extension),
            programs=self._rows("program", _program),
            capabilities=self._rows("capability", _capability),
            resources=self._rows("resource", _resource),
            packaging=self._one("packaging", _packaging),
            checks=self._rows("check", _check),
            variables=self._rows("variable", _variable),
            topics=self._rows("topic", _topic),
        )

    def _one(self, section: str, read: Callable[[TableReader], T]) -> T:
        reader = TableReader(self._table.get(section, {}), (section,), self._problems)
        result = read(reader)
        reader.finish()
        return result

    def _rows(self, section: str, read: Callable[[TableReader], T]) -> tuple[T, ...]:
        rows = self._table.get(section, [])
        if not isinstance(rows, list):
            self._problems.append(Problem((section,), f"{section} must be written [[{section}]]"))
            return ()
        results = []
        for index, row in enumerate(rows):
            reader = TableReader(row, (section, index), self._problems)
            results.append(read(reader))
            reader.finish()
        names = [str(getattr(x, "name", "")) for x in results]
        for index, name in enumerate(names):
            if name and name in names[:index]:
                self._problems.append(
                    Problem((section, index, "name"), f"{section} {name!r} is declared twice", True)
                )
        return tuple(results)

    def _options(self) -> tuple[c.Option, ...]:
        table = self._table.get("options", {})
        if not isinstance(table, dict):
            self._problems.append(Problem(("options",), "options must be tables: [options.NAME]"))
            return ()
        options = []
        for name, row in table.items():
            reader = TableReader(row, ("options", name), self._problems)
            options.append(_option(name, reader))
            reader.finish()
        return tuple(options)


def _project(r: TableReader) -> c.Project:
    return c.Project(
        distribution=r.string("distribution"),
        package=r.string("package"),
        version_file=r.string("version_file"),
        runtime_version=r.string("runtime_version", "{version}"),
        summary=r.string("summary", ""),
        python_minimum=r.string("python_minimum", "3.11"),
        cmake_minimum=r.string("cmake_minimum", "3.25"),
        ninja_minimum=r.string("ninja_minimum", "1.10"),
        disk_mb=r.integer("disk_mb", 0),
        inputs=r.strings("inputs"),
        test_paths=r.strings("test_paths", ("tests",)),
        foreign_variables=r.strings("foreign_variables"),
    )


def _option(name: str, r: TableReader) -> c.Option:
    kind = r.choice("type", c.OptionType, c.OptionType.BOOL)
    switch = kind in (c.OptionType.BOOL, c.OptionType.AUTO)
    default = r.string("default", "auto" if kind is c.OptionType.AUTO else "OFF" if switch else "")
    choices = r.strings("choices")
    if kind is c.OptionType.CHOICE and default not in choices:
        r.note(
            "default",
            f"default {default!r} is not one of the choices{did_you_mean(default, choices)}",
            True,
        )
    if switch and default not in ("ON", "OFF", *(("auto",) if kind is c.OptionType.AUTO else ())):
        r.note("default", f"default of {name} must be ON or OFF, not {default!r}", True)
    probe = r.string("probe", "")
    if kind is c.OptionType.AUTO and not probe:
        r.note("", f"{name} is auto, so it needs a probe")
    role = r.string("role", "")
    if role and role not in c.ROLES:
        r.note("role", f"unknown role {role!r}{did_you_mean(role, c.ROLES)}", True)
    return c.Option(
        name=name,
        help=r.string("help"),
        type=kind,
        default=default,
        aliases=r.strings("aliases"),
        choices=choices,
        planned_choices=r.strings("planned_choices"),
        requires=r.condition("requires"),
        when_unmet=r.string("when_unmet", "OFF" if switch else ""),
        probe=probe,
        probe_arguments=r.strings("probe_arguments"),
        planned=r.planned(),
        effect=r.choice("effect", c.Effect, c.Effect.CONFIGURE),
        cmake=r.boolean("cmake", True),
        role=role,
        group=r.string("group", "general"),
    )


def _stage(r: TableReader) -> c.Stage:
    stage = c.Stage(
        name=r.string("name"),
        entry=r.string("entry"),
        inputs=r.strings("inputs", None),
        directory=r.string("directory"),
        after=r.strings("after"),
        options=r.strings("options"),
        facts=r.strings("facts"),
        partial=r.strings("partial"),
        limits=r.integers("limits"),
        planned=r.planned(),
        when=r.condition("when"),
        help=r.string("help", ""),
    )
    _check_entry(r, stage.entry)
    return stage


def _check_entry(r: TableReader, entry: str) -> None:
    if entry.count(":") != 1:
        r.note("entry", f"entry must be 'module:function', not {entry!r}", True)


def _library(r: TableReader) -> c.Library:
    return c.Library(
        name=r.string("name"),
        sources=r.strings("sources"),
        exclude=r.strings("exclude"),
        generated=r.strings("generated"),
        generated_kernels=r.strings("generated_kernels"),
        kernels=r.strings("kernels"),
        single_capability=r.strings("single_capability"),
        links=r.strings("links"),
        private_links=r.strings("private_links"),
        destination=r.string("destination", ""),
        per_python=r.boolean("per_python"),
        resource=r.string("resource", ""),
        link_resource=r.string("link_resource", ""),
        when=r.condition("when"),
        planned=r.planned(),
    )


def _extension(r: TableReader) -> c.Extension:
    return c.Extension(
        name=r.string("name"),
        sources=r.strings("sources", None),
        links=r.strings("links"),
        runpath=r.string("runpath", "$ORIGIN"),
        when=r.condition("when"),
        planned=r.planned(),
    )


def _program(r: TableReader) -> c.Program:
    return c.Program(
        name=r.string("name"),
        sources=r.strings("sources", None),
        links=r.strings("links"),
        destination=r.string("destination"),
        runpath=r.string("runpath", "$ORIGIN"),
        resource=r.string("resource", ""),
        when=r.condition("when"),
        planned=r.planned(),
    )


def _capability(r: TableReader) -> c.Capability:
    return c.Capability(r.string("name"), r.strings("flags"), r.condition("when"))


def _resource(r: TableReader) -> c.ResourceClass:
    return c.ResourceClass(
        r.string("name"), r.integer("memory_mb"), r.integer("max_jobs", 0), r.string("help", "")
    )


def _check(r: TableReader) -> c.Requirement:
    pip = r.string("pip", "")
    return c.Requirement(
        name=r.string("name"),
        probe=r.string("probe"),
        arguments=r.strings("arguments"),
        when=r.condition("when"),
        weight=r.choice("weight", c.Weight, c.Weight.PROBLEM),
        looks_at=r.string("looks_at", ""),
        consequence=r.string("consequence"),
        remedy=r.string("remedy", f"python -m pip install {pip}" if pip else None),
        pip=pip,
    )


def _variable(r: TableReader) -> c.Variable:
    return c.Variable(r.string("name"), r.string("consequence"), r.condition("when"))


def _topic(r: TableReader) -> c.Topic:
    topic = c.Topic(
        name=r.string("name"),
        entry=r.string("entry"),
        argument=r.string("argument", ""),
        help=r.string("help", ""),
    )
    _check_entry(r, topic.entry)
    return topic


def _packaging(r: TableReader) -> c.Packaging:
    files = []
    for reader in r.tables("files"):
        files.append(
            c.FileRule(
                root=reader.string("root"),
                patterns=reader.strings("patterns", None),
                to=reader.string("to"),
                exclude=reader.strings("exclude"),
                generated=reader.boolean("generated"),
                editable=reader.boolean("editable"),
                when=reader.condition("when"),
            )
        )
        reader.finish()
    return c.Packaging(
        files=tuple(files),
        allow=r.strings("allow"),
        licenses=r.strings("licenses", ("LICENSE*",)),
        bundled=r.strings("bundled"),
        system_libraries=r.strings("system_libraries"),
        exported_symbols=r.string_lists("exported_symbols"),
        compressed_budget_mb=r.number("compressed_budget_mb"),
        installed_budget_mb=r.number("installed_budget_mb"),
        import_check=r.string("import_check", ""),
        forbidden_owners=r.strings("forbidden_owners"),
    )

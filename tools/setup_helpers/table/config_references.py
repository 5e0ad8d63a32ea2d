"""Check the references between rows of build_config.toml: every name that is used must exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.base.errors import did_you_mean

from . import config as c
from . import predicates
from .predicates import platform_facts
from .table_reader import Problem
from .targets import ALL_LANGUAGES, Extension, Library, Program, SourceGroup, UnitTests

if TYPE_CHECKING:
    from .toml_positions import Path as TomlPath

# The probes that the table may name, each with its module in ../probes.
PROBES = {
    "build_tool": "build_tool",
    "cmake_package": "packages",
    "compiler": "compilers",
    "compiler_flag": "compilers",
    "compiler_links": "compilers",
    "cuda": "cuda",
    "cuda_architectures": "cuda",
    "cuda_driver": "cuda",
    "cuda_host_compiler": "cuda",
    "cuda_library": "cuda",
    "cuda_toolkit": "cuda",
    "header": "packages",
    "header_or_distribution": "packages",
    "python_distribution": "python",
    "python_headers": "python",
    "python_package": "python",
}


@dataclass(frozen=True)
class _Use:
    """A name used in one row that another row or the front end must define."""

    path: TomlPath
    what: str
    name: str
    known: Collection[str]


def check_references(config: c.Config) -> list[Problem]:
    """Return a problem for each name that is used but not declared, or declared twice."""
    uses = [
        *_conditions(config),
        *_stages(config),
        *_resources(config),
        *_probes(config),
        *_languages(config),
        *_flags(config),
    ]
    unknown = [
        Problem(use.path, f"{use.what} {use.name!r}{did_you_mean(use.name, use.known)}", True)
        for use in uses
        if use.name not in use.known
    ]
    return [
        *unknown,
        *_taken_aliases(config),
        *_uncompiled(config),
        *_same_targets(config),
        *_leaving(config),
    ]


def _conditions(config: c.Config) -> Iterator[_Use]:
    known = {*(option.name for option in config.options), *platform_facts()}
    sections: dict[str, Sequence[Any]] = {
        "stage": config.stages,
        "library": config.libraries,
        "extension": config.extensions,
        "capability": config.capabilities,
        "cmake_module": config.cmake_modules,
        "check": _check_rows(config),
        "variable": config.variables,
    }
    conditions: list[tuple[TomlPath, predicates.Predicate | None]] = [
        (("options", option.name, "requires"), option.requires) for option in config.options
    ]
    conditions += [(("languages", row.name, "when"), row.when) for row in config.languages]
    for section, rows in sections.items():
        conditions += [((section, i, "when"), row.when) for i, row in enumerate(rows)]
    for index, library in enumerate(config.libraries):
        parts = [("group", i, row.when) for i, row in enumerate(library.groups)]
        parts += [("test", i, row.when) for i, row in enumerate(library.tests)]
        conditions += [(("library", index, part, i, "when"), when) for part, i, when in parts]
    conditions += [((*path, "when"), row.when) for path, row in _programs(config)]
    packed: dict[str, Sequence[Any]] = {
        "files": config.packaging.files,
        "component": config.packaging.components,
    }
    for section, rows in packed.items():
        conditions += [(("packaging", section, i, "when"), row.when) for i, row in enumerate(rows)]
    for path, condition in conditions:
        for name in predicates.names(condition) if condition else ():
            yield _Use(path, "unknown name", name, known)


def _stages(config: c.Config) -> Iterator[_Use]:
    options = [option.name for option in config.options]
    stages = [stage.name for stage in config.stages]
    for index, stage in enumerate(config.stages):
        for key, names in (("after", stage.after), ("follows", stage.follows)):
            for name in names:
                yield _Use(("stage", index, key), "no earlier stage", name, stages[:index])
        for name in stage.options:
            yield _Use(("stage", index, "options"), "unknown option", name, options)


def _resources(config: c.Config) -> Iterator[_Use]:
    known = [resource.name for resource in config.resources]
    used: list[tuple[TomlPath, str]] = []
    for index, library in enumerate(config.libraries):
        used.append((("library", index, "resource"), library.resource))
        used.append((("library", index, "link_resource"), library.link_resource))
    used += [((*path, "resource"), row.resource) for path, row in _programs(config)]
    for path, name in used:
        if name:
            yield _Use(path, "unknown resource", name, known)


def _probes(config: c.Config) -> Iterator[_Use]:
    known = sorted(PROBES)
    for option in config.options:
        if option.probe:
            yield _Use(("options", option.name, "probe"), "unknown probe", option.probe, known)
    for language in config.languages:
        yield _Use(("languages", language.name, "probe"), "unknown probe", language.probe, known)
    for index, check in enumerate(_check_rows(config)):
        yield _Use(("check", index, "probe"), "unknown probe", check.probe, known)


def _check_rows(config: c.Config) -> Sequence[c.Requirement]:
    """Return the requirements that are rows, without those of the languages, which precede them."""
    return config.checks[len(config.languages) :]


def _programs(config: c.Config) -> Iterator[tuple[TomlPath, Program]]:
    """Yield the programs as the table has them: those of libraries are in the libraries' rows."""
    of_libraries = sum(len(library.programs) for library in config.libraries)
    for index, program in enumerate(config.programs[: len(config.programs) - of_libraries]):
        yield ("program", index), program
    for index, library in enumerate(config.libraries):
        for i, program in enumerate(library.programs):
            yield ("library", index, "program", i), program


def _same_targets(config: c.Config) -> Iterator[Problem]:
    """Find two targets of the build graph with the same name."""
    rows: list[tuple[TomlPath, str]] = []
    for index, library in enumerate(config.libraries):
        rows.append((("library", index), library.name))
        rows += [(("library", index, "test", i), row.name) for i, row in enumerate(library.tests)]
    rows += [(path, row.name) for path, row in _programs(config)]
    rows += [(("extension", i), row.target) for i, row in enumerate(config.extensions)]
    seen: dict[str, TomlPath] = {}
    for path, name in rows:
        first = seen.setdefault(name, path)
        rows_of_one_section = len(first) == len(path) == 2 and first[0] == path[0]
        if first != path and not rows_of_one_section:  # which are reported already
            yield Problem((*path, "name"), f"{name!r} is already the name of a {first[-2]}", True)


def _leaving(config: c.Config) -> Iterator[Problem]:
    """Find folders that lead out of the checkout, the build directory or the package."""
    folders: list[tuple[TomlPath, str]] = []
    for i, rule in enumerate(config.packaging.files):
        folders.append((("packaging", "files", i, "root"), rule.root))
        folders.append((("packaging", "files", i, "to"), rule.to))
    folders += [(("stage", i, "directory"), row.directory) for i, row in enumerate(config.stages)]
    folders += [
        (("library", i, "destination"), row.destination) for i, row in enumerate(config.libraries)
    ]
    folders += [((*path, "destination"), row.destination) for path, row in _programs(config)]
    for path, folder in folders:
        if folder.startswith("/") or ".." in folder.split("/"):
            message = f"{path[-1]} must stay below its folder, but {folder!r} leads out of it"
            yield Problem(path, message, True)


def _languages(config: c.Config) -> Iterator[_Use]:
    options = [option.name for option in config.options]
    for language in config.languages:
        for key in ("compiler", "home", "flags", "host_compiler", "architectures"):
            if name := getattr(language, key):
                yield _Use(("languages", language.name, key), "unknown option", name, options)
        known = [row.name for row in config.languages]
        for key in ("host", "stand_in"):
            if name := getattr(language, key):
                yield _Use(("languages", language.name, key), "unknown language", name, known)


def _compiled(
    config: c.Config,
) -> Iterator[tuple[TomlPath, Library | SourceGroup | UnitTests | Program | Extension]]:
    """Yield everything with sources and flags, and where it is in the table."""
    for index, library in enumerate(config.libraries):
        yield ("library", index), library
        for i, group in enumerate(library.groups):
            yield ("library", index, "group", i), group
        for i, test in enumerate(library.tests):
            yield ("library", index, "test", i), test
    yield from _programs(config)
    for index, extension in enumerate(config.extensions):
        yield ("extension", index), extension


def _flags(config: c.Config) -> Iterator[_Use]:
    known = [language.name for language in config.languages]
    for path, row in _compiled(config):
        for name in row.flags:
            if name != ALL_LANGUAGES:
                yield _Use((*path, "flags", name), "unknown language", name, known)


def _uncompiled(config: c.Config) -> Iterator[Problem]:
    """Find patterns for sources that are in no language of the table."""
    known = [suffix for language in config.languages for suffix in language.suffixes]
    for path, row in _compiled(config) if known else ():
        for pattern in row.sources:
            suffix = Path(pattern).suffix
            if "*" not in suffix and suffix not in known:
                message = f"no language compiles {pattern!r}{did_you_mean(suffix, known)}"
                yield Problem((*path, "sources"), message, True)


def _taken_aliases(config: c.Config) -> Iterator[Problem]:
    """Find names that would have two meanings."""
    seen = {option.name for option in config.options}
    for option in config.options:
        for alias in option.aliases:
            if alias in seen:
                path = ("options", option.name, "aliases")
                yield Problem(path, f"{alias!r} is already in use", True)
            seen.add(alias)
    for index, row in enumerate(config.foreign):
        for name in row.names:
            if name in seen:
                yield Problem(("foreign", index, "names"), f"{name!r} is already in use", True)
            seen.add(name)

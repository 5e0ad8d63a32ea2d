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

if TYPE_CHECKING:
    from .toml_positions import Path as TomlPath


@dataclass(frozen=True)
class _Use:
    """A name used in one row that another row or the front end must define."""

    path: TomlPath
    what: str
    name: str
    known: Collection[str]


def check_references(config: c.Config) -> list[Problem]:
    """Return a problem for each name that is used but not declared, or declared twice."""
    uses = [*_conditions(config), *_stages(config), *_resources(config), *_probes(config)]
    unknown = [
        Problem(use.path, f"{use.what} {use.name!r}{did_you_mean(use.name, use.known)}", True)
        for use in uses
        if use.name not in use.known
    ]
    return [*unknown, *_taken_aliases(config)]


def _conditions(config: c.Config) -> Iterator[_Use]:
    known = {*(option.name for option in config.options), *platform_facts()}
    sections: dict[str, Sequence[Any]] = {
        "stage": config.stages,
        "library": config.libraries,
        "extension": config.extensions,
        "program": config.programs,
        "capability": config.capabilities,
        "check": config.checks,
        "variable": config.variables,
    }
    conditions: list[tuple[TomlPath, predicates.Predicate | None]] = [
        (("options", option.name, "requires"), option.requires) for option in config.options
    ]
    for section, rows in sections.items():
        conditions += [((section, i, "when"), row.when) for i, row in enumerate(rows)]
    for index, library in enumerate(config.libraries):
        conditions += [
            (("library", index, "group", i, "when"), row.when)
            for i, row in enumerate(library.groups)
        ]
    conditions += [
        (("packaging", "component", i, "when"), row.when)
        for i, row in enumerate(config.packaging.components)
    ]
    for path, condition in conditions:
        for name in predicates.names(condition) if condition else ():
            yield _Use(path, "unknown name", name, known)


def _stages(config: c.Config) -> Iterator[_Use]:
    options = [option.name for option in config.options]
    stages = [stage.name for stage in config.stages]
    for index, stage in enumerate(config.stages):
        for name in stage.after:
            yield _Use(("stage", index, "after"), "no earlier stage", name, stages[:index])
        for name in stage.options:
            yield _Use(("stage", index, "options"), "unknown option", name, options)


def _resources(config: c.Config) -> Iterator[_Use]:
    known = [resource.name for resource in config.resources]
    used: list[tuple[TomlPath, str]] = []
    for index, library in enumerate(config.libraries):
        used.append((("library", index, "resource"), library.resource))
        used.append((("library", index, "link_resource"), library.link_resource))
    used += [(("program", i, "resource"), row.resource) for i, row in enumerate(config.programs)]
    for path, name in used:
        if name:
            yield _Use(path, "unknown resource", name, known)


def _probes(config: c.Config) -> Iterator[_Use]:
    folder = Path(__file__).parents[1] / "probes"
    known = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    for option in config.options:
        if option.probe:
            yield _Use(("options", option.name, "probe"), "unknown probe", option.probe, known)
    for index, check in enumerate(config.checks):
        yield _Use(("check", index, "probe"), "unknown probe", check.probe, known)


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

"""What the rows of build_config.toml say about each other: every name that is used must exist."""

from __future__ import annotations

from pathlib import Path

from ..suggest import did_you_mean
from . import config as c
from . import predicates
from .platform_facts import platform_facts
from .table_reader import Problem


def check_references(config: c.Config) -> list[Problem]:
    """Names in one row that another should have declared."""
    return [*_bad_names(config), *_bad_stages(config), *_bad_targets(config), *_bad_probes(config)]


def _bad_names(config: c.Config) -> list[Problem]:
    """Conditions and option lists that name what does not exist; aliases that collide."""
    problems = []
    options = [o.name for o in config.options]
    known = {*options, *platform_facts()}
    rows: list[tuple[str, str | int, str, predicates.Predicate | None]] = []
    rows += [("options", o.name, "requires", o.requires) for o in config.options]
    for section, items in (
        ("stage", config.stages),
        ("library", config.libraries),
        ("extension", config.extensions),
        ("program", config.programs),
        ("capability", config.capabilities),
        ("check", config.checks),
        ("variable", config.variables),
    ):
        rows += [(section, i, "when", x.when) for i, x in enumerate(items)]  # type: ignore[attr-defined]
    for section, key, field, condition in rows:
        for name in predicates.names(condition) if condition else ():
            if name not in known:
                problems.append(
                    Problem(
                        (section, key, field),
                        f"unknown name {name!r}{did_you_mean(name, known)}",
                        True,
                    )
                )
    seen = dict.fromkeys(options, "option")
    for option in config.options:
        for alias in option.aliases:
            if alias in seen:
                problems.append(
                    Problem(
                        ("options", option.name, "aliases"), f"{alias!r} is taken already", True
                    )
                )
            seen[alias] = option.name
    return problems


def _bad_stages(config: c.Config) -> list[Problem]:
    problems = []
    earlier: list[str] = []
    options = [o.name for o in config.options]
    for index, stage in enumerate(config.stages):
        for name in stage.after:
            if name not in earlier:
                problems.append(
                    Problem(
                        ("stage", index, "after"),
                        f"no earlier stage {name!r}{did_you_mean(name, earlier)}",
                        True,
                    )
                )
        for name in stage.options:
            if name not in options:
                problems.append(
                    Problem(
                        ("stage", index, "options"),
                        f"unknown option {name!r}{did_you_mean(name, options)}",
                        True,
                    )
                )
        earlier.append(stage.name)
    return problems


def _bad_targets(config: c.Config) -> list[Problem]:
    problems = []
    resources = [r.name for r in config.resources]
    used: list[tuple[str, int, str, str]] = []
    for index, library in enumerate(config.libraries):
        used.append(("library", index, "resource", library.resource))
        used.append(("library", index, "link_resource", library.link_resource))
    used += [("program", i, "resource", p.resource) for i, p in enumerate(config.programs)]
    for section, index, key, name in used:
        if name and name not in resources:
            problems.append(
                Problem(
                    (section, index, key),
                    f"unknown resource {name!r}{did_you_mean(name, resources)}",
                    True,
                )
            )
    return problems


def _bad_probes(config: c.Config) -> list[Problem]:
    folder = Path(__file__).parents[1] / "probes"
    known = sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__")
    problems = []
    for option in config.options:
        if option.probe and option.probe not in known:
            problems.append(
                Problem(
                    ("options", option.name, "probe"),
                    f"unknown probe {option.probe!r}{did_you_mean(option.probe, known)}",
                    True,
                )
            )
    for index, check in enumerate(config.checks):
        if check.probe not in known:
            problems.append(
                Problem(
                    ("check", index, "probe"),
                    f"unknown probe {check.probe!r}{did_you_mean(check.probe, known)}",
                    True,
                )
            )
    return problems

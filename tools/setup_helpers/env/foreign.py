"""Variables that are no options: those of other builds, without effect here, and those of CMake that options control."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from tools.base.errors import nearest

from ..table.config import Config, ForeignVariables
from .values import switch_text

_CHOSEN_BY_FRONT_END = {
    "-B": "set BUILD_DIR",
    "-S": "the sources are those of the checkout whose setup.py runs",
    "-H": "the sources are those of the checkout whose setup.py runs",
    "-G": "the build needs the generator Ninja",
    "--preset": "set options in the environment or with -D or -C",
    "--fresh": "set CMAKE_FRESH=1",
}


def foreign_names(config: Config) -> dict[str, ForeignVariables]:
    """Map each name to its row."""
    return {name: row for row in config.foreign for name in row.names}


def without_effect(config: Config, settings: Iterable[tuple[str, str]]) -> list[str]:
    """Return a sentence for each setting that requests something but has no effect."""
    rows = foreign_names(config)
    requested = {name: text for name, text in settings if name in rows and text.strip()}
    return [
        f"{name}={text} has no effect here: {rows[name].because}"
        for name, text in requested.items()
        if switch_text(text) != rows[name].harmless
    ]


def governing_options(config: Config) -> dict[str, list[str]]:
    """Map each CMake variable to the options that control it."""
    governing: dict[str, list[str]] = {}
    for option in config.options:
        own = (option.name,) if option.cmake else ()
        for variable in (*own, *option.governs):
            governing.setdefault(variable, []).append(option.name)
    return governing


def governed_definitions(config: Config, arguments: str) -> list[str]:
    """Return the variables in CMake arguments that an option controls, each with what to set instead."""
    governing = governing_options(config)
    return [
        f"{variable}: set {' or '.join(governing[variable])}"
        for variable in dict.fromkeys(_defined(shlex.split(arguments)))
        if variable in governing
    ]


def misspelt_definitions(config: Config, arguments: str) -> list[str]:
    """Return the variables in CMake arguments whose names nearly match an option, each with that option."""
    names = [option.name for option in config.options]
    known = {*names, *governing_options(config), *foreign_names(config)}
    return [
        f"{variable}: did you mean {match}?"
        for variable in dict.fromkeys(_defined(shlex.split(arguments)))
        if variable not in known and (match := nearest(variable, names))
    ]


def _defined(arguments: list[str]) -> Iterator[str]:
    """Yield the names in `-DNAME[:TYPE]=VALUE`, `-D NAME=VALUE` and `-UNAME`."""
    rest = iter(arguments)
    for argument in rest:
        if argument[:2] in ("-D", "-U"):
            definition = argument[2:] or next(rest, "")
            yield definition.partition("=")[0].partition(":")[0]


def misplaced_arguments(arguments: str) -> list[str]:
    """Return the CMake arguments that choose what the front end chooses, each with what to set instead."""
    return [
        f"{argument}: {instead}"
        for argument in shlex.split(arguments)
        for start, instead in _CHOSEN_BY_FRONT_END.items()
        if argument.startswith(start)
    ]

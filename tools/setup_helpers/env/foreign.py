"""Variables of other builds of the same package that have no effect here: the rows `[[foreign]]`."""

from __future__ import annotations

from collections.abc import Iterable

from ..table.config import Config, ForeignVariables
from .values import switch_text


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

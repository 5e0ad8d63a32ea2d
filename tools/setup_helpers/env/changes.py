"""Find the options of CMake that changed since this build directory was last configured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .options import Options, ResolvedOption
from .record import NAME as OPTIONS_RECORD


@dataclass(frozen=True)
class OptionChange:
    """A changed option and the text of its old value."""

    old: str
    now: ResolvedOption

    @property
    def arrow(self) -> str:
        return f"{self.now.option.name}: {self.old or 'empty'} -> {self.now.text or 'empty'}"

    def __str__(self) -> str:
        return f"{self.arrow} ({self.now.because})"


def configured_changes(options: Options, build_dir: Path) -> list[OptionChange]:
    """Return the changes of the options that CMake sees, since the last configuration.

    The tree may have been configured by the front end or by hand.
    """
    return changes_from(last_configured(options, build_dir), options)


def changes_from(known: Mapping[str, str], options: Options) -> list[OptionChange]:
    """Return the changes from the known values, in the table's order."""
    return [
        OptionChange(known[r.option.name], r)
        for r in options.resolved
        if known.get(r.option.name, r.text) != r.text
    ]


def last_configured(options: Options, build_dir: Path) -> dict[str, str]:
    """Return the values in the last configuration, of the options that CMake sees."""
    configured = recorded_values(build_dir / OPTIONS_RECORD, "resolved")
    seen = {r.option.name for r in options.resolved if r.option.cmake}
    return {name: text for name, text in configured.items() if name in seen}


def recorded_values(path: Path, key: str) -> dict[str, str]:
    """Return the values of all options in a JSON record; {} if it cannot be read."""
    try:
        rows: dict[str, Any] = json.loads(path.read_bytes())[key]
        return {name: str(row["value"]) for name, row in rows.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}

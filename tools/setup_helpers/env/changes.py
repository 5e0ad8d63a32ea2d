"""Find the options that changed since this build directory was last built."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.insight.report.report import NAME as REPORT

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


def changed_options(options: Options, build_dir: Path) -> list[OptionChange]:
    """Return the changes in the table's order; none for a directory that was never built."""
    known = _last_values(options, build_dir)
    return [
        OptionChange(known[r.option.name], r)
        for r in options.resolved
        if known.get(r.option.name, r.text) != r.text
    ]


def _last_values(options: Options, build_dir: Path) -> dict[str, str]:
    """Return the values of the last run; for CMake's options, those of the last configuration.

    The tree may have been configured by the front end or by hand.
    """
    values = _values(build_dir / REPORT, "options")
    configured = _values(build_dir / OPTIONS_RECORD, "resolved")
    seen = {r.option.name for r in options.resolved if r.option.cmake}
    return {**values, **{name: text for name, text in configured.items() if name in seen}}


def _values(path: Path, key: str) -> Mapping[str, str]:
    try:
        rows: dict[str, Any] = json.loads(path.read_bytes())[key]
        return {name: str(row["value"]) for name, row in rows.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}

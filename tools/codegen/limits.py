"""The stages as build_config.toml declares them, and how many operators go into one numbered file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import tomllib


@cache
def stages_of_table(root: Path) -> tuple[dict[str, Any], ...]:
    """Return the rows of all stages in a checkout's build_config.toml, in order."""
    table = tomllib.loads((root / "build_config.toml").read_text(encoding="utf-8"))
    return tuple(table["stage"])


def limits_of_table(root: Path) -> dict[str, int]:
    """Return the limits of all stages in a checkout's build_config.toml, by family."""
    limits: dict[str, int] = {}
    for stage in stages_of_table(root):
        limits |= stage.get("limits", {})
    return limits

"""How many operators go into one numbered file, as the stages in build_config.toml declare it."""

from __future__ import annotations

from pathlib import Path

import tomllib


def limits_of_table(root: Path) -> dict[str, int]:
    """Return the limits of all stages in a checkout's build_config.toml, by family."""
    table = tomllib.loads((root / "build_config.toml").read_text(encoding="utf-8"))
    limits: dict[str, int] = {}
    for stage in table["stage"]:
        limits |= stage.get("limits", {})
    return limits

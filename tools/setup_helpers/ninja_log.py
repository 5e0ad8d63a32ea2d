"""Times of the build's steps, from Ninja's own log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Timed:
    """One output and the wall seconds its command took."""

    output: str
    seconds: float


def read_log(build_dir: Path) -> list[Timed]:
    """Every output's last build, slowest first."""
    times: dict[str, float] = {}
    try:
        lines = (build_dir / ".ninja_log").read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        fields = line.split("\t")
        if len(fields) == 5:
            times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    ranked = sorted(times.items(), key=lambda item: (-item[1], item[0]))
    return [Timed(output, seconds) for output, seconds in ranked]

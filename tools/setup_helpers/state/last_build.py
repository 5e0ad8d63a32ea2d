"""The record of the last successful build, for comparison: its inputs and its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.sealed import read_sealed, write_sealed

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry

NAME = "last_build.json"


@dataclass(frozen=True)
class LastBuild:
    """The last successful build; before the first one, everything is empty and the time is 0."""

    began: float = 0.0
    seconds: float = 0.0
    inputs: Mapping[str, Entry] = field(default_factory=dict)
    """Path -> size, time and content when the build read it."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """File of the package -> bytes."""


def read_last_build(build_dir: Path) -> LastBuild:
    """Return the record; it is empty if the file is damaged or from another version."""
    record = read_sealed(build_dir / NAME) or {}
    ours = record.keys() == {each.name for each in fields(LastBuild)}
    return LastBuild(**record) if ours else LastBuild()


def write_last_build(last: LastBuild, build_dir: Path) -> None:
    """Replace the record."""
    write_sealed(build_dir / NAME, vars(last))  # asdict() would copy thousands of entries

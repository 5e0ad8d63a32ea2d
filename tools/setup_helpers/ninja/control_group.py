"""The control groups of this process (versions 1 and 2), from its own up to the visible root."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MACHINE = Path("/")
"""The folder that contains /proc and /sys."""


@dataclass(frozen=True)
class Hierarchy:
    """The groups that limit one controller; all of their limits apply."""

    version: int
    groups: tuple[Path, ...]
    """Folders of the groups, the innermost first."""

    def numbers(self, name: str) -> list[int]:
        """Return the number in a file of each group that has it; "max" is left out."""
        found = (_number(group / name) for group in self.groups)
        return [number for number in found if number is not None]


@dataclass(frozen=True)
class _Mount:
    """A line of mountinfo: the group of the hierarchy that is mounted at a folder."""

    root: str
    folder: str
    kind: str
    options: frozenset[str]


def hierarchy(controller: str, machine: Path = MACHINE) -> Hierarchy | None:
    """Return the groups that limit this process's use of `controller`; None if there are none.

    Version 1 has a separate tree for each controller, version 2 has one tree for all of them. A machine
    may use both versions; each controller is then in one of them.
    """
    mounts = _mounts(machine)
    memberships = [line.split(":", 2) for line in _lines(machine / "proc/self/cgroup")]
    for number, controllers, path in (m for m in memberships if len(m) == 3):
        if number != "0" and controller in controllers.split(","):
            mount = next(
                (m for m in mounts if m.kind == "cgroup" and controller in m.options), None
            )
            if mount:
                return Hierarchy(1, _upwards(mount, path, machine))
    for number, _, path in (m for m in memberships if len(m) == 3):
        mount = next((m for m in mounts if m.kind == "cgroup2"), None)
        if number == "0" and mount:
            return Hierarchy(2, _upwards(mount, path, machine))
    return None


def _upwards(mount: _Mount, path: str, machine: Path) -> tuple[Path, ...]:
    """Return the folders from a group up to the mount, which in a container may show only part of the tree."""
    inside = path.removeprefix(mount.root) if mount.root != "/" else path
    folder = machine / mount.folder.lstrip("/")
    group = folder / inside.strip("/")
    if ".." in group.parts or not group.is_dir():
        return (folder,)
    steps = [group, *group.parents]
    return tuple(steps[: steps.index(folder) + 1])


def _mounts(machine: Path) -> list[_Mount]:
    mounts = []
    for line in _lines(machine / "proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        fields, (kind, *rest) = before.split(), after.split() or [""]
        if kind in ("cgroup", "cgroup2") and len(fields) >= 5:
            options = frozenset(rest[-1].split(",")) if rest else frozenset()
            mounts.append(_Mount(fields[3], fields[4], kind, options))
    return mounts


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def table_entry(file: Path, key: str) -> int:
    """Return a value from a file of `key value` lines; 0 if it is missing."""
    for line in _lines(file):
        name, _, value = line.partition(" ")
        if name == key and value.strip().isdigit():
            return int(value)
    return 0

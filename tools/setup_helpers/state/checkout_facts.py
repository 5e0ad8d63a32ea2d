"""Facts about the checkout that a stage may request, read from files without starting a process."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

REVISION_FILE = "SOURCE_REVISION"


def git_revision(root: Path) -> str:
    """Return the commit that is checked out or from which the source archive was made, or "Unknown"."""
    folder = _git_folder(root)
    try:
        if folder is None:
            return _read(root / REVISION_FILE)
        head = _read(folder / "HEAD")
        if not head.startswith("ref: "):
            return head
        return _reference(folder, head.removeprefix("ref: "))
    except OSError:
        return "Unknown"


def git_files(root: Path) -> list[Path]:
    """Return the files that change when another commit is checked out."""
    folder = _git_folder(root)
    if folder is None:
        return [root / REVISION_FILE, root / ".git"]
    common = _common_folder(folder)
    files = [folder / "HEAD", common / "packed-refs"]
    try:
        head = _read(folder / "HEAD")
    except OSError:
        return files
    if head.startswith("ref: "):
        files.append(common / head.removeprefix("ref: "))
    return files


def _git_folder(root: Path) -> Path | None:
    place = root / ".git"
    if place.is_dir():
        return place
    if place.is_file():  # a linked worktree
        return (root / _read(place).removeprefix("gitdir: ")).resolve()
    return None


def _common_folder(folder: Path) -> Path:
    try:
        return (folder / _read(folder / "commondir")).resolve()
    except OSError:
        return folder


def _reference(folder: Path, name: str) -> str:
    common = _common_folder(folder)
    try:
        return _read(common / name)
    except OSError:
        pass
    for line in _read(common / "packed-refs").splitlines():
        revision, _, reference = line.partition(" ")
        if reference == name:
            return revision
    return "Unknown"


def _read(path: Path) -> str:
    """Return the text of a file of git, without the line end. The names in it may have any encoding."""
    return os.fsdecode(path.read_bytes()).strip()


FACTS: dict[str, Callable[[Path], str]] = {"git_revision": git_revision}

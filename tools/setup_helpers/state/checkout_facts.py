"""Facts about the checkout that a stage may request, read from files without starting a process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

REVISION_FILE = "SOURCE_REVISION"


def git_revision(root: Path) -> str:
    """Return the commit that is checked out or from which the source archive was made, or "Unknown"."""
    folder = _git_folder(root)
    if folder is None:
        try:
            return (root / REVISION_FILE).read_text(encoding="ascii").strip()
        except OSError:
            return "Unknown"
    try:
        head = (folder / "HEAD").read_text(encoding="ascii").strip()
        if not head.startswith("ref: "):
            return head
        return _reference(folder, head.removeprefix("ref: "))
    except OSError:
        return "Unknown"


def git_files(root: Path) -> list[Path]:
    """Return the files that change when another commit is checked out."""
    folder = _git_folder(root)
    if folder is None:
        return [root / REVISION_FILE]
    common = _common_folder(folder)
    files = [folder / "HEAD", common / "packed-refs"]
    try:
        head = (folder / "HEAD").read_text(encoding="ascii").strip()
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
        text = place.read_text(encoding="utf-8").strip()
        return (root / text.removeprefix("gitdir: ")).resolve()
    return None


def _common_folder(folder: Path) -> Path:
    try:
        return (folder / (folder / "commondir").read_text(encoding="utf-8").strip()).resolve()
    except OSError:
        return folder


def _reference(folder: Path, name: str) -> str:
    common = _common_folder(folder)
    try:
        return (common / name).read_text(encoding="ascii").strip()
    except OSError:
        pass
    for line in (common / "packed-refs").read_text(encoding="utf-8").splitlines():
        revision, _, reference = line.partition(" ")
        if reference == name:
            return revision
    return "Unknown"


FACTS: dict[str, Callable[[Path], str]] = {"git_revision": git_revision}

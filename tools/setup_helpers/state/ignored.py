"""Hide folders made by a build from git, through a .gitignore inside each folder."""

from __future__ import annotations

import os
from pathlib import Path

NAME = ".gitignore"
_TEXT = "# Made by the build.\n*\n"


def write_ignore_file(folder: str | os.PathLike[str]) -> None:
    """Create the folder if needed, and its .gitignore unless there is one."""
    os.makedirs(folder, exist_ok=True)
    try:
        with open(os.path.join(folder, NAME), "x", encoding="ascii") as file:
            file.write(_TEXT)
    except FileExistsError:
        pass


def remove_ignored_folder(folder: Path) -> None:
    """Delete the folder if it holds nothing but our .gitignore."""
    if not folder.is_dir() or any(path.name != NAME for path in folder.iterdir()):
        return
    delete_ignore_file(folder)
    if not any(folder.iterdir()):
        folder.rmdir()


def delete_ignore_file(folder: Path) -> None:
    """Delete the .gitignore unless somebody else wrote it."""
    path = folder / NAME
    if path.is_file() and not path.is_symlink() and path.read_text(errors="replace") == _TEXT:
        path.unlink()

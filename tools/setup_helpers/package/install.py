"""Install a wheel of the build with pip into the running environment."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..pip import install
from .editable import check_owner, editable_project
from .identity import identity_of
from .wheel import archive_epoch, make_wheel

if TYPE_CHECKING:
    from ..pipeline import BuiltPackage


def install_wheel(built: BuiltPackage, environ: Mapping[str, str]) -> str:
    """Pack a wheel in a temporary folder and install it; return its name."""
    identity = identity_of(built.config, built.options)
    check_owner(editable_project(built.config, identity))
    with tempfile.TemporaryDirectory() as folder:
        epoch = archive_epoch(built.options.role("source_date"))
        wheel = make_wheel(built.config, identity, built.files, Path(folder), epoch=epoch)
        install("the wheel", ["--force-reinstall", "--no-deps", str(wheel)], environ)
        return wheel.name

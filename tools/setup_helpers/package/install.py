"""Installing a wheel of the build with pip, into the running environment."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import environment_error
from .editable import check_owner, editable_project
from .identity import identity_of
from .wheel import archive_epoch, make_wheel

if TYPE_CHECKING:
    from ..pipeline import BuiltPackage


def install_wheel(built: BuiltPackage, environ: Mapping[str, str]) -> str:
    """Packs into a temporary folder and installs from there; returns the wheel's name."""
    identity = identity_of(built.config, built.options)
    check_owner(editable_project(built.config, identity))
    with tempfile.TemporaryDirectory() as folder:
        epoch = archive_epoch(built.options.role("source_date"))
        wheel = make_wheel(built.config, identity, built.files, Path(folder), epoch=epoch)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        command += ["--force-reinstall", "--no-deps", str(wheel)]
        result = subprocess.run(
            command, env=dict(environ), capture_output=True, text=True, check=False
        )
        if result.returncode:
            raise environment_error("pip could not install the wheel", cause=result.stderr.strip())
        return wheel.name

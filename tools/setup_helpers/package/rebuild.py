"""Bring the package in the source tree up to date when it is imported from there.

The import starts `python -m tools.setup_helpers.package.rebuild` in the checkout. Ninja then builds with the
options of the last build, including code generation and staging.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.base.cmake_text import read_cache
from tools.base.console import report
from tools.base.errors import BuildError, environment_error

from ..state import noop
from ..state.lock import BuildLock
from .manifest import staging_directories

TARGET = "stage"


def rebuild(root: Path) -> None:
    """Build the package where it was built last. Raise BuildError with Ninja's output if that fails.

    `root` is the folder that the package is imported from.
    """
    build_dir = last_built(root)
    ninja = read_cache(build_dir).get("CMAKE_MAKE_PROGRAM", "")
    if not os.access(ninja, os.X_OK):  # it was in an isolated environment, which pip has deleted
        ninja = shutil.which("ninja") or ""
    if not ninja:
        raise environment_error("Ninja was not found", hint="python -m pip install ninja")
    with BuildLock(str(build_dir), "rebuild at import", wait=True):
        result = subprocess.run(
            [ninja, "-C", str(build_dir), TARGET],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    if result.returncode:
        raise BuildError(f"the package in {root} could not be rebuilt", cause=result.stdout.strip())


def last_built(root: Path) -> Path:
    """Return the build directory of the last successful build that staged files."""
    built = [x for x in staging_directories(root) if (x / "build.ninja").is_file()]
    if not built:
        raise environment_error(f"nothing is built in {root}", hint="python setup.py develop")
    return max(built, key=_time_of_build)


def _time_of_build(build_dir: Path) -> int:
    """Return when the last build succeeded, even if a later one failed."""
    states = (build_dir / name for name in (noop.NAME, noop.LAST_NAME))
    return max((state.stat().st_mtime_ns for state in states if state.exists()), default=0)


def main() -> int:
    """Rebuild this checkout; return the exit code."""
    try:
        rebuild(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).resolve().parents[3])
    except (BuildError, OSError) as error:
        return report(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())

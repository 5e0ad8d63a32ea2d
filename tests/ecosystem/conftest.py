"""The libraries of the dependency group `ecosystem`, installed into one folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tomllib

ROOT = Path(__file__).parents[2]


def install(folder: Path) -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile")
    subprocess.run([*pip, "--target", str(folder), *groups["ecosystem"]], check=True)


@pytest.fixture(scope="session")
def libraries(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """A folder with the libraries; ECOSYSTEM_LIBRARIES names one that exists."""
    given = os.environ.get("ECOSYSTEM_LIBRARIES")
    return Path(given) if given else once("ecosystem", install)

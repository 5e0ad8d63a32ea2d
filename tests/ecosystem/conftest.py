"""The libraries of the dependency group `ecosystem`, installed into one folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomllib

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the libraries; ECOSYSTEM_LIBRARIES names one that exists."""
    given = os.environ.get("ECOSYSTEM_LIBRARIES")
    if given:
        yield Path(given)
        return
    folder = tmp_path_factory.mktemp("ecosystem")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-compile",
        "--target",
    ]
    subprocess.run([*command, str(folder), *groups["ecosystem"]], check=True)
    yield folder

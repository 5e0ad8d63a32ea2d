"""Rebuild the checkout that `torch` is imported from. Only imported when that is requested."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

VARIABLE = "TORCHSMITH_EDITABLE_REBUILD"


def run() -> None:
    """Rebuild the out-of-date parts, or raise ImportError; an installed wheel is left alone."""
    root = Path(__file__).resolve().parents[1]
    if not (root / "build_config.toml").is_file() or not (root / "setup.py").is_file():
        return
    place = Path(__file__).absolute().parents[1]  # links to a read-only checkout lie elsewhere
    command = [sys.executable, "-m", "tools.setup_helpers.package.rebuild", str(place)]
    environ = {**os.environ, VARIABLE: "0"}
    result = subprocess.run(
        command, cwd=root, env=environ, capture_output=True, text=True, check=False
    )
    if result.returncode:
        output = (result.stdout + result.stderr).strip()
        raise ImportError(f"{output}\nset {VARIABLE}=0 to import torch without rebuilding it")

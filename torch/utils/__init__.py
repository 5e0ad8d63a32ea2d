"""Helpers around torch: building extensions against it."""

from __future__ import annotations

from pathlib import Path

cmake_prefix_path = str(Path(__file__).resolve().parents[1] / "share" / "cmake")
"""For CMAKE_PREFIX_PATH, so that find_package(Torch) finds this package."""

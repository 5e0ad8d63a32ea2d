"""Helpers around torch: building extensions against it."""

from __future__ import annotations

import os as _os

_package = _os.path.dirname(_os.path.dirname(_os.path.realpath(__file__)))
cmake_prefix_path = _os.path.join(_package, "share", "cmake")
"""For CMAKE_PREFIX_PATH, so that find_package(Torch) finds this package."""

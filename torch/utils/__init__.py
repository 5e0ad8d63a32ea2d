"""Helpers around torch: extensions, activation checkpoints, hooks, data loading."""

from __future__ import annotations

import os as _os
from importlib import import_module as _import_module

_package = _os.path.dirname(_os.path.dirname(_os.path.realpath(__file__)))
cmake_prefix_path = _os.path.join(_package, "share", "cmake")
"""For CMAKE_PREFIX_PATH, so that find_package(Torch) finds this package."""

# Modules that are attributes without an import statement of the user's.
_LAZY = ("checkpoint", "data", "hooks")


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return _import_module(f"torch.utils.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")

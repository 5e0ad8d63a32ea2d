"""Utilities: data loading, activation checkpoints, hooks, and C++ extensions."""

from __future__ import annotations

import os as _os

from torch._lazy_attributes import import_at_use as _import_at_use

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_utils import *  # noqa: F403

_package = _os.path.dirname(_os.path.dirname(_os.path.realpath(__file__)))
cmake_prefix_path = _os.path.join(_package, "share", "cmake")
"""The folder to add to CMAKE_PREFIX_PATH, so that find_package(Torch) finds this package."""

# Functions and classes that are imported at their first use, with their modules.
_HOMES = {
    "ThroughputBenchmark": "throughput_benchmark",
    "generate_methods_for_privateuse1_backend": "backend_registration",
    "get_cpp_backtrace": "_cpp_backtrace",
    "rename_privateuse1_backend": "backend_registration",
    "set_module": "_swapped",
    "swap_tensors": "_swapped",
}
__getattr__ = _import_at_use(__name__, homes=_HOMES)

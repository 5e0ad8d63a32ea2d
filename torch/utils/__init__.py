"""Utilities: data loading, activation checkpoints, hooks, and C++ extensions."""

from __future__ import annotations

import os as _os
from importlib import import_module as _import_module

_package = _os.path.dirname(_os.path.dirname(_os.path.realpath(__file__)))
cmake_prefix_path = _os.path.join(_package, "share", "cmake")
"""The folder to add to CMAKE_PREFIX_PATH, so that find_package(Torch) finds this package."""

# Modules that are imported when they are first used as an attribute.
_LAZY = (
    "_pytree",
    "backend_registration",
    "benchmark",
    "checkpoint",
    "cpp_extension",
    "data",
    "deterministic",
    "dlpack",
    "flop_counter",
    "hooks",
    "model_zoo",
    "module_tracker",
    "tensorboard",
    "throughput_benchmark",
    "weak",
)
_BACKEND_FUNCTIONS = (
    "generate_methods_for_privateuse1_backend",
    "rename_privateuse1_backend",
)


def __getattr__(name: str) -> object:
    if name in _LAZY:
        try:
            return _import_module(f"torch.utils.{name}")
        except ImportError as error:
            raise AttributeError(f"torch.utils.{name} cannot be imported: {error}") from error
    if name == "ThroughputBenchmark":
        return _import_module("torch.utils.throughput_benchmark").ThroughputBenchmark
    if name == "get_cpp_backtrace":
        return _import_module("torch.utils._cpp_backtrace").get_cpp_backtrace
    if name in _BACKEND_FUNCTIONS:
        return getattr(_import_module("torch.utils.backend_registration"), name)
    if name in ("set_module", "swap_tensors"):
        return getattr(_import_module("torch.utils._swapped"), name)
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")

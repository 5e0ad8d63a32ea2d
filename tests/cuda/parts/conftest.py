"""These tests need a torch with CUDA and with a part that an option adds; in any other they are skipped."""

from __future__ import annotations

import importlib.util

import pytest

import torch

PARTS = {
    "test_thcunn.py": ("BUILD_LEGACY_NN=ON", lambda: hasattr(torch._C, "_THCUNN")),
    "test_caffe2_gpu.py": (
        "BUILD_CAFFE2=ON",
        lambda: importlib.util.find_spec("caffe2.python.caffe2_pybind11_state_gpu") is not None,
    ),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of the parts that this torch lacks."""
    for item in items:
        if item.path.name in PARTS and "cuda/parts" in item.path.as_posix():
            option, has_part = PARTS[item.path.name]
            if not has_part():
                item.add_marker(pytest.mark.skip(reason=f"needs CUDA and {option} (docs/cuda.md)"))

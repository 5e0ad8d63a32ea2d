"""These tests need a torch with CUDA, real or emulated; in any other they are skipped."""

from __future__ import annotations

import pytest

import torch

REASON = (
    "this torch has no CUDA: put a build with CUDA_EMULATION=ON first in PYTHONPATH (docs/cuda.md)"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip everything here in a torch without CUDA."""
    if not torch.cuda.is_available():
        for item in items:
            if "cuda/python" in item.path.as_posix():
                item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture
def two_devices() -> None:
    """Skip a test on a machine with one device."""
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two CUDA devices; the emulated runtime has two by default")

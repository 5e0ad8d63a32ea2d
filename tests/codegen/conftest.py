"""Fixtures that the generator's tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from operator_files import NATIVE, TAGS  # noqa: E402

from tools.codegen.model import Operators  # noqa: E402
from tools.codegen.read import read_operators  # noqa: E402


@pytest.fixture(scope="session")
def native_text() -> str:
    return NATIVE.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def tags_text() -> str:
    return TAGS.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def model(native_text: str, tags_text: str) -> Operators:
    return read_operators(native_text, tags_text)


@pytest.fixture(scope="session")
def peer_packaged() -> Path:
    """Return the folder of PyTorch's own operator files."""
    peer = os.environ.get("TORCH_PEER")
    if not peer:
        pytest.skip("set TORCH_PEER to a Python that has torch 2.13.0")
    program = "import torchgen, pathlib; print(pathlib.Path(torchgen.__file__).parent / 'packaged')"
    found = subprocess.run([peer, "-I", "-c", program], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip()) / "ATen/native"


@pytest.fixture(scope="session")
def peer_headers() -> Path:
    """Return the folder of PyTorch's generated headers."""
    peer = os.environ.get("TORCH_PEER")
    if not peer:
        pytest.skip("set TORCH_PEER to a Python that has torch 2.13.0")
    program = "import torch, pathlib; print(pathlib.Path(torch.__file__).parent / 'include')"
    found = subprocess.run([peer, "-I", "-c", program], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip()) / "ATen/ops"

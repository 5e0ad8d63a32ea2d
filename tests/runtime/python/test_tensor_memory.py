"""A small tensor takes less memory than its budget in benchmarks/memory_bench.py allows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import torch

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "memory_bench.py"


@pytest.mark.skipif(
    "san.so" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers pad every allocation"
)
def test_small_tensors_are_within_their_budget():
    environment = {name: value for name, value in os.environ.items() if name != "TORCH_PEER"}
    command = [sys.executable, BENCHMARK, "--check", "--count", "50000"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_data_of_each_size_keeps_its_values():
    tensors = [torch.full((n,), float(n)) for n in range(130)]
    copies = [tensor.clone() for tensor in tensors]
    del tensors[::2]
    again = [torch.full((n,), -1.0) for n in range(130)]
    for n, copy in enumerate(copies):
        assert copy.tolist() == [float(n)] * n
        assert again[n].tolist() == [-1.0] * n


def test_storage_grows_out_of_its_block():
    tensor = torch.arange(4.0)
    tensor.resize_(100)
    assert tensor[:4].tolist() == [0.0, 1.0, 2.0, 3.0]
    tensor.resize_(1000)
    assert tensor[:4].tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.resize_(2**61, 8),
        lambda x: x.resize_(2**50),
        lambda x: x.resize_(0, 4, 2**61),
        lambda x: x.resize_(3, -1),
        lambda x: x.set_(x.untyped_storage(), 0, (2**50,), (1,)),
        lambda x: x.set_(x.untyped_storage(), 0, (2**61, 8), (1, 1)),
    ],
)
def test_a_tensor_keeps_its_sizes_if_others_are_refused(change):
    tensor = torch.ones(3)
    with pytest.raises(RuntimeError):
        change(tensor)
    assert tensor.shape == (3,)
    assert tensor.sum() == 3


def test_a_tensor_over_foreign_memory_keeps_its_sizes():
    tensor = torch.from_numpy(np.ones(3))
    with pytest.raises(RuntimeError, match="not resizable"):
        tensor.resize_(100)
    assert tensor.shape == (3,)

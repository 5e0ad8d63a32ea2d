"""Copies between layouts move the bits of elements of every size."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest

import torch

# Of 1, 2, 4 and 8 bytes; complex128 has 16.
INTEGERS = (torch.uint8, torch.int16, torch.int32, torch.int64)


def numbered(*sizes: int, dtype: torch.dtype) -> torch.Tensor:
    count = torch.Size(sizes).numel()
    if dtype.is_complex:
        return torch.complex(torch.arange(count).double(), -torch.arange(count).double()).view(
            sizes
        )
    return torch.arange(count).to(dtype).view(sizes)


@pytest.mark.parametrize("dtype", [*INTEGERS, torch.complex128])
@pytest.mark.parametrize("rows", [1, 4, 5, 8, 16, 17, 33])
@pytest.mark.parametrize("columns", [1, 3, 8, 16, 31, 64])
def test_transposed(dtype: torch.dtype, rows: int, columns: int) -> None:
    x = numbered(rows, columns + 2, dtype=dtype)[:, 1:-1]
    copied = x.t().contiguous()
    assert copied.is_contiguous()
    assert copied.tolist() == [[x[i, j].item() for i in range(rows)] for j in range(columns)]
    wide = torch.zeros(columns, rows + 3, dtype=dtype)
    wide[:, 2:-1] = x.t()
    assert wide[:, 2:-1].equal(copied)
    assert not wide[:, :2].any()
    assert not wide[:, -1].any()


@pytest.mark.parametrize("dtype", [*INTEGERS, torch.complex128])
@pytest.mark.parametrize("length", [1, 2, 4, 8, 16])
def test_short_runs(dtype: torch.dtype, length: int) -> None:
    x = numbered(37, 20, dtype=dtype)
    kept = x[:, 3 : 3 + length].contiguous()
    assert kept.tolist() == [row[3 : 3 + length] for row in x.tolist()]
    overlapping = x.unfold(1, length, 2).contiguous()
    starts = range(0, 20 - length + 1, 2)
    assert overlapping.tolist() == [[row[i : i + length] for i in starts] for row in x.tolist()]


def test_bits_of_nans_are_kept() -> None:
    bits = torch.tensor([0x7FA00001, 0x7FC12345, -1, 0x7F800001], dtype=torch.int32)
    x = bits.repeat(40).view(32, 5)
    assert x.view(torch.float32).t().contiguous().view(torch.int32).equal(x.t())


def test_permuted() -> None:
    x = numbered(3, 5, 18, 20, dtype=torch.int32)
    for dims in itertools.permutations(range(4)):
        moved = x.permute(dims)
        assert moved.contiguous().flatten().tolist() == [
            x.flatten()[offset].item() for offset in offsets(moved)
        ]


def offsets(x: torch.Tensor) -> list[int]:
    """Return where the elements of a tensor lie, in the order of its indices."""
    steps = [[i * step for i in range(n)] for n, step in zip(x.shape, x.stride(), strict=True)]
    return [sum(parts) for parts in itertools.product(*steps)]


@pytest.mark.parametrize("capability", ["default", "avx2"])
@pytest.mark.slow
def test_kernels_of_other_processors(capability: str) -> None:
    environment = {**os.environ, "ATEN_CPU_CAPABILITY": capability}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", __file__]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_an_empty_capability_is_not_set() -> None:
    code = "import torch; torch.ones(2) + 1"
    environment = {**os.environ, "ATEN_CPU_CAPABILITY": ""}
    command = [sys.executable, "-W", "error", "-c", code]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr

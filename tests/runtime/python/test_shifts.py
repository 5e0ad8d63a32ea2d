"""Shifts agree with Python's, within the width of the dtype."""

from __future__ import annotations

import pytest

import torch

INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]


def wrapped(value: int, info: torch.iinfo) -> int:
    value &= (1 << info.bits) - 1
    return value - (1 << info.bits) if info.min < 0 and value > info.max else value


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_by_each_number_of_bits(dtype: torch.dtype) -> None:
    info = torch.iinfo(dtype)
    values = [info.min, info.min + 1, 0, 1, 5, info.max, *([-1, -7] if info.min else [9])]
    x = torch.tensor(values, dtype=dtype)
    for bits in range(info.bits):
        assert (x << bits).tolist() == [wrapped(v << bits, info) for v in values]
        assert (x >> bits).tolist() == [v >> bits for v in values]
    for bits in (info.bits, info.bits + 1):
        assert (x << bits).tolist() == [0] * len(values)
        assert (x >> bits).tolist() == [-1 if v < 0 else 0 for v in values]
    assert (x << torch.ones_like(x)).dtype == dtype


def test_operands_and_in_place() -> None:
    x = torch.tensor([1, 2])
    assert (3 << x).tolist() == [6, 12] and (100 >> x).tolist() == [50, 25]
    kept = x
    kept <<= 2
    kept >>= 1
    assert kept is x and x.tolist() == [2, 4]
    assert torch.bitwise_left_shift(x, 1, out=torch.empty(0, dtype=torch.int64)).tolist() == [4, 8]
    assert x.bitwise_right_shift(1).tolist() == [1, 2]


def test_what_is_no_integer_is_refused() -> None:
    with pytest.raises(NotImplementedError, match=r"lshift_cpu.* not implemented for 'Float'"):
        torch.ones(1) << 1
    with pytest.raises(TypeError, match="unsupported operand"):
        torch.tensor([1]) << "a"

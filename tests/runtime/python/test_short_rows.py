"""Kernels that take a register at a time agree with element by element, at every length of a row."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import torch

LENGTHS = [*range(1, 36), 63, 64, 65, 127, 129]
DTYPES = [
    torch.uint8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_rest_of_a_row_is_computed_and_nothing_after_it(dtype: torch.dtype) -> None:
    for n in LENGTHS:
        column = torch.arange(1, 4).to(dtype)
        row = (torch.arange(n) % 7).to(dtype)
        room = torch.full((3, n + 1), 9, dtype=dtype)
        torch.mul(column.unsqueeze(1), row, out=room[:, :n])
        expected = [[(r + 1) * (c % 7) for c in range(n)] + [9] for r in range(3)]
        assert room.tolist() == expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_with_steps_are_staged(dtype: torch.dtype) -> None:
    for n in LENGTHS:
        wide = (torch.arange(2 * n) % 11).to(dtype)
        room = torch.full((2 * n,), 9, dtype=dtype)
        torch.add(wide[::2], wide[1::2], out=room[::2])
        expected = [9] * (2 * n)
        expected[::2] = [(2 * i % 11) + ((2 * i + 1) % 11) for i in range(n)]
        assert room.tolist() == expected


@pytest.mark.parametrize("capability", ["default", "avx2", "avx512"])
def test_nothing_around_rows_is_read_or_written(capability: str) -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "guarded_rows.py")],
        env={**os.environ, "ATEN_CPU_CAPABILITY": capability},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("number", [-math.inf, math.inf, math.nan])
def test_infinite_numbers_and_nan_in_rows_of_softmax(number: float, dtype: torch.dtype) -> None:
    for n in LENGTHS:
        x = torch.arange(n).remainder(7).to(dtype).repeat(3, 1)
        x[0, n // 2] = number
        x[1] = number
        exponentials = (x.double() - x.double().amax(1, keepdim=True)).exp()
        expected = exponentials / exponentials.sum(1, keepdim=True)
        tolerance = 1e-2 if dtype is torch.bfloat16 else 1e-6
        for found in (x.softmax(1), x.log_softmax(1).exp()):
            assert torch.allclose(found.double(), expected, tolerance, tolerance, equal_nan=True)
        sums = x.logsumexp(1)
        assert torch.isfinite(sums[2])
        assert torch.equal(
            sums[1:2].nan_to_num(), torch.full((1,), number, dtype=dtype).nan_to_num()
        )


def test_comparisons_store_single_bytes() -> None:
    for n in LENGTHS:
        for dtype in DTYPES:
            a, room = (torch.arange(n) % 5).to(dtype), torch.zeros(n + 1, dtype=torch.bool)
            torch.gt(a, 2, out=room[:n])
            assert room.tolist() == [i % 5 > 2 for i in range(n)] + [False]


def test_operators_of_many_tensors_step_through_rows() -> None:
    many = [torch.full((3, 5), float(i)).t()[:4] for i in range(12)]
    results = torch._foreach_add(many, 1.0)
    assert [r.tolist() for r in results] == [[[i + 1.0] * 3] * 4 for i in range(12)]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("n", [1, 7, 16, 63, 64, 65, 128, 200, 1024, 5000])
def test_extremes_keep_every_nan(dtype: torch.dtype, n: int) -> None:
    plain = torch.arange(n).remainder(101).sub(50).to(dtype)
    for name in ("amax", "amin"):
        extreme = getattr(torch, name)
        number = (max if name == "amax" else min)(plain.tolist())
        assert extreme(plain.unsqueeze(0), 1).item() == number
        for place in {0, n // 3, n // 2, n - 1}:
            x = plain.clone()
            x[place] = math.nan
            assert math.isnan(extreme(x.unsqueeze(0), 1).item())


@pytest.mark.parametrize("n", [64, 65, 1024])
def test_extremes_of_infinities(n: int) -> None:
    x = torch.zeros(n)
    x[3], x[n - 2] = math.inf, -math.inf  # their sum is a NaN, though none is among them
    assert torch.amax(x.unsqueeze(0), 1).item() == math.inf
    assert torch.amin(x.unsqueeze(0), 1).item() == -math.inf
    low = torch.full((1, n), -math.inf)
    assert torch.amax(low, 1).item() == -math.inf
    largest = torch.full((1, n), torch.finfo(torch.float32).max)
    assert torch.amax(largest, 1).item() == torch.finfo(torch.float32).max


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.float32, torch.float64])
def test_two_tensors_are_interleaved(dtype: torch.dtype) -> None:
    for n in LENGTHS:
        a, b = torch.arange(n).to(dtype), torch.arange(n).add(100).to(dtype)
        assert torch.stack([a, b], -1).tolist() == [[i, i + 100] for i in range(n)]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_rows_are_taken_and_put_on_threads(threads: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for rows, width in ((97, 1024), (300, 1024), (3, 40000), (40000, 3)):
            x = torch.arange(rows * width).remainder(8).float().reshape(rows, width)
            index = (torch.arange(rows) * 7 + 3) % rows
            assert torch.index_select(x, 0, index).equal(x[index.tolist()])
            assert torch.gather(x, 0, index.unsqueeze(1).expand(-1, width)).equal(x[index])
            sums = torch.zeros(rows, width).index_add_(0, index.clamp(max=1), x)
            assert sums[0].equal(x[index == 0].sum(0))
    finally:
        torch.set_num_threads(before)


def test_threads_keep_the_order_of_updates() -> None:
    x, y = torch.zeros(300, 1024), torch.arange(300.0).unsqueeze(1).expand(300, 1024).contiguous()
    index = torch.arange(300) % 7
    last = torch.tensor([293.0 + (i - 293) % 7 for i in range(7)])
    assert x.index_copy(0, index, y)[:7, 5].equal(last)
    assert x.index_put((index - 300,), y)[:7, 9].equal(last)
    assert x.index_put((index - 300,), y, accumulate=True).sum().item() == 1024 * 299 * 150
    assert x.index_fill(0, index, 3.0).sum().item() == 3 * 7 * 1024
    index[200] = 300
    with pytest.raises(IndexError, match="index 300 is out of bounds"):
        x.index_copy(0, index, y)
    with pytest.raises(RuntimeError, match="index 300 is out of bounds"):
        x.index_add(0, index, y)


@pytest.mark.parametrize("include_self", [True, False])
def test_means_count_their_terms(include_self: bool) -> None:
    x = torch.tensor([10.0, 20.0, 30.0])
    index, terms = torch.tensor([0, 0, 2, 0]), torch.tensor([1.0, 2.0, 3.0, 6.0])
    mean = torch.scatter_reduce(x, 0, index, terms, "mean", include_self=include_self)
    assert mean.tolist() == ([4.75, 20.0, 16.5] if include_self else [3.0, 20.0, 3.0])
    whole = torch.scatter_reduce(
        x.long(), 0, index, terms.long(), "mean", include_self=include_self
    )
    assert whole.tolist() == ([4, 20, 16] if include_self else [3, 20, 3])


def test_a_scaled_row_or_number_is_broadcast_by_addr() -> None:
    u, v = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0])
    expected = [[0.5 + 2 * a * b for b in v.tolist()] for a in u.tolist()]
    for x in (torch.tensor(1.0), torch.ones(2), torch.ones(3, 1), torch.ones(3, 2)):
        assert torch.addr(x, u, v, beta=0.5, alpha=2).tolist() == expected
        y = x.clone().requires_grad_()
        torch.addr(y, u, v, beta=0.5, alpha=2).sum().backward()
        assert y.grad is not None and y.grad.sum().item() == 3.0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_column_times_a_row_is_added_in_one_pass(dtype: torch.dtype) -> None:
    column, row = torch.arange(70, dtype=dtype), torch.arange(65, dtype=dtype).remainder(7)
    x = torch.arange(70 * 65, dtype=dtype).remainder(11).reshape(70, 65)
    a, b = column.unsqueeze(1), row.unsqueeze(0)
    expected = 0.5 * x + 2 * (a * b)
    for each in (x, x.t().contiguous().t()):
        assert torch.addmm(each, a, b, beta=0.5, alpha=2).equal(expected)
        assert each.clone().addmm_(a, b, beta=0.5, alpha=2).equal(expected)
        out = torch.empty(65, 70, dtype=dtype).t()
        assert torch.addmm(each, a, b, beta=0.5, alpha=2, out=out).equal(expected)
    assert torch.addmm(x[0], a, b, beta=0.5, alpha=2).equal(0.5 * x[0] + 2 * (a * b))
    nothing = torch.full_like(x, math.nan)
    assert torch.addmm(nothing, a, b, beta=0).equal(a * b)
    y = x.clone().requires_grad_()
    torch.addmm(y, a, b, beta=0.5).sum().backward()
    assert y.grad is not None and y.grad.equal(torch.full_like(x, 0.5))


@pytest.mark.parametrize("rows", [1, 2, 9, 70])
@pytest.mark.parametrize("dtype", DTYPES)
def test_repeated_elements_fill_their_row_and_nothing_after_it(
    dtype: torch.dtype, rows: int
) -> None:
    column = (torch.arange(rows) % 101 + 1).to(dtype)
    values = column.tolist()
    for n in LENGTHS:
        expected = [value for value in values for _ in range(n)]
        assert torch.repeat_interleave(column, n).tolist() == expected
        room = torch.zeros(rows * n + 2, dtype=dtype)
        room[1:-1].view(rows, n).copy_(column[:, None])
        assert room.tolist() == [0, *expected, 0]
        gaps = torch.zeros(rows, n + 1, dtype=dtype)
        gaps[:, :n].copy_(column.flip(0)[:, None])
        assert gaps.tolist() == [[value] * n + [0] for value in values[::-1]]


def test_rows_are_filled_from_one_of_their_own_elements() -> None:
    for n in (2, 3, 8, 40):
        rows = torch.arange(5.0 * n).view(5, n)
        expected = [[row[1]] * n for row in rows.tolist()]
        rows.copy_(rows[:, 1:2])
        assert rows.tolist() == expected


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [*DTYPES, torch.complex64, torch.complex128], ids=str)
def test_many_rows_meet_a_row_and_a_column(dtype: torch.dtype, threads: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for n in (2, 3, 5, 16, 31, 33, 64, 129, 256, 257):
            for rows in (8, 9, 70, 40000 // n):
                x = (torch.arange(rows * n) % 13).to(dtype).view(rows, n)
                row, column = (torch.arange(n) % 7).to(dtype), (torch.arange(rows) % 5).to(dtype)
                wide = row.expand(rows, n).clone()
                tall = column[:, None].expand(rows, n).clone()
                assert torch.equal(x + row, x + wide)
                assert torch.equal(column[:, None] * x, tall * x)
                assert torch.equal(row + column[:, None], wide + tall)
                assert torch.equal(x == row, x == wide)
                assert torch.equal(torch.addcmul(x, x, row), torch.addcmul(x, x, wide))
                assert torch.equal(x.clone().sub_(row), x - wide)
    finally:
        torch.set_num_threads(before)


def test_rows_change_in_order_where_they_depend_on_each_other() -> None:
    for n in (3, 40):
        x = torch.arange(1.0, 20 * n + 1).view(20, n)
        first = x[0].clone()
        x.sub_(x[0].expand(20, n))  # the first row becomes zero before the others are computed
        assert not x[0].any()
        assert torch.equal(x[1], first + n)
        expected = x[1:] / x[1:, :1].clone()
        assert torch.equal(x[1:].div_(x[1:, :1]), expected)


def test_images_with_channels_last_meet_a_number_for_each() -> None:
    image = torch.rand(2, 3, 9, 11).contiguous(memory_format=torch.channels_last)
    mean, std = torch.rand(3, 1, 1), torch.rand(3, 1, 1) + 1
    expected = (image.contiguous() - mean) / std
    result = (image - mean) / std
    assert torch.equal(result, expected)
    assert result.is_contiguous(memory_format=torch.channels_last)

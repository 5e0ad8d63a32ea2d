"""Products of matrices larger than the kernels' blocks are exact for small whole numbers.

Sums of such products are below 2**24, so that every order of summation gives the same floats.
"""

from __future__ import annotations

import numpy as np
import pytest

import torch
from torch import Tensor

SHAPES = {  # m, n, k
    "whole blocks": (96, 1024, 512),
    "a little more than a block of columns": (40, 1030, 300),
    "a little more than a block of depth": (130, 140, 259),
    "the rest of a sliver": (107, 129, 97),
    "few rows": (8, 600, 700),
    "few columns": (700, 9, 600),
    "deep": (24, 33, 3001),
    "few rows, many columns": (62, 1101, 300),
    "slivers of medium size at the end": (64, 1056, 100),
    "more rows than are packed together": (147, 600, 70),
}


@pytest.fixture(params=[torch.float32, torch.float64], ids=str)
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


@pytest.fixture(params=SHAPES.values(), ids=SHAPES.keys())
def shape(request: pytest.FixtureRequest) -> tuple[int, int, int]:
    return request.param


def numbers(rows: int, cols: int, dtype: torch.dtype, transposed: bool = False) -> Tensor:
    """Return whole numbers, as a matrix or as the transpose of one."""
    if transposed:
        return numbers(cols, rows, dtype).t()
    generator = torch.Generator().manual_seed(rows * cols)
    return torch.randint(-8, 9, (rows, cols), generator=generator).to(dtype)


def expected_product(a: Tensor, b: Tensor) -> Tensor:
    return torch.from_numpy(np.matmul(a.long().numpy(), b.long().numpy())).to(a.dtype)


@pytest.mark.parametrize("b_transposed", [False, True])
@pytest.mark.parametrize("a_transposed", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_product_is_exact(
    shape: tuple[int, int, int],
    dtype: torch.dtype,
    a_transposed: bool,
    b_transposed: bool,
    threads: int,
) -> None:
    m, n, k = shape
    a, b = numbers(m, k, dtype, a_transposed), numbers(k, n, dtype, b_transposed)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert torch.equal(a @ b, expected_product(a, b))
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("transposed", [False, True])
def test_sum_is_scaled_and_neighbours_are_left_alone(
    shape: tuple[int, int, int], dtype: torch.dtype, transposed: bool
) -> None:
    m, n, k = shape
    a, b = numbers(m, k, dtype, transposed), numbers(k, n, dtype)
    room = torch.full((m, n + 3), 7.0, dtype=dtype)
    part = room[:, 1 : n + 1]
    part.addmm_(a, b, beta=3, alpha=2)
    assert torch.equal(part, 21 + 2 * expected_product(a, b))
    assert torch.equal(room[:, :1], torch.full((m, 1), 7.0, dtype=dtype))
    assert torch.equal(room[:, n + 1 :], torch.full((m, 2), 7.0, dtype=dtype))


def test_columns_of_a_wider_matrix_are_multiplied(
    shape: tuple[int, int, int], dtype: torch.dtype
) -> None:
    m, n, k = shape
    wide, tall = numbers(k, m + 5, dtype), numbers(n + 2, k + 1, dtype)
    a, b = wide[:, 3 : m + 3].t(), tall[1 : n + 1, :k].t()
    assert torch.equal(a @ b, expected_product(a, b))


@pytest.mark.parametrize(
    ("dtype", "factors", "message"),
    [
        (torch.int64, {"alpha": 0.5}, "For integral input tensors, argument alpha must not be"),
        (torch.float32, {"beta": True}, "Boolean beta only supported for Boolean results"),
        (torch.int32, {"alpha": False}, "Boolean alpha only supported for Boolean results"),
        (torch.float32, {"beta": 0, "alpha": 2j}, "cannot be converted to type float without"),
    ],
)
def test_factors_of_outer_products_fit_the_result(
    dtype: torch.dtype, factors: dict[str, complex], message: str
) -> None:
    x, v = torch.ones(2, 2, dtype=dtype), torch.ones(2, dtype=dtype)
    with pytest.raises(RuntimeError, match=message):
        torch.addr(x, v, v, **factors)


def test_factors_do_not_widen_outer_products() -> None:
    x, v, w = torch.ones(2, 2).bool(), torch.ones(2, dtype=torch.uint8), torch.ones(2).char()
    assert torch.addr(x, v, w, beta=2, alpha=2).dtype == torch.int16
    assert torch.addr(x.byte(), v.bool(), w.bool()).dtype == torch.uint8


def test_batches_of_several_dtypes_are_refused() -> None:
    x = torch.ones(1, 2, 2)
    with pytest.raises(RuntimeError, match=r"Input dtypes must be the same, got: input c10::Half"):
        torch.baddbmm(x.half(), x, x)

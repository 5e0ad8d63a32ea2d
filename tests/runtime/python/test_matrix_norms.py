"""Norms of matrices and condition numbers: empty matrices, dimensions and orders that do not fit."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

import torch

linalg = torch.linalg


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, 2, inf])
def test_norms_of_empty_matrices_are_zero(ord: Any, shape: tuple[int, int]) -> None:
    assert linalg.matrix_norm(torch.ones(shape), ord).item() == 0
    assert linalg.norm(torch.ones(2, *shape), ord, (-2, -1)).tolist() == [0, 0]
    assert linalg.matrix_norm(torch.ones(shape), ord, keepdim=True).shape == (1, 1)


@pytest.mark.parametrize(("ord", "shape"), [(-1, (3, 0)), (-inf, (0, 3)), (-2, (0, 0))])
def test_smallest_norms_of_empty_matrices_are_refused(ord: Any, shape: tuple[int, int]) -> None:
    with pytest.raises(IndexError, match=r"amin\(\): Expected reduction dim"):
        linalg.matrix_norm(torch.ones(shape), ord)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("fro", (0, 2)), IndexError, r"range of \[-2, 1\], but got 2"),
        (("nuc", (0, -3)), IndexError, r"range of \[-2, 1\], but got -3"),
        ((1, (0, -2)), RuntimeError, r"dims must be different. Got \(0, 0\)"),
        ((3,), RuntimeError, "Order 3 not supported"),
        ((1 + 2j,), RuntimeError, "Expected a non-complex scalar as the order"),
        ((1, (0, 1, 2)), RuntimeError, "of length 1 or 2. Got "),
        (("fro", 0), RuntimeError, "dim must be a 2-tuple. Got 0"),
    ],
)
def test_orders_and_dimensions_that_do_not_fit(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        linalg.norm(torch.ones(2, 2), *arguments)


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        (torch.int32, "floating point or complex, but got Int"),
        (torch.complex64, "should be real for real inputs, but got ComplexFloat"),
        (torch.float16, r"\(Float\) should be convertible without narrowing"),
    ],
)
def test_dtypes_of_matrix_norms(dtype: torch.dtype, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        linalg.matrix_norm(torch.ones(2, 2), dtype=dtype)


def test_an_order_needs_one_or_two_dimensions() -> None:
    for x in (torch.ones(()), torch.ones(2, 2, 2)):
        with pytest.raises(RuntimeError, match=f"the input must be 1D or 2D. Got {x.dim()}D"):
            linalg.norm(x, 2)
        assert linalg.norm(x).shape == ()
    with pytest.raises(RuntimeError, match=r"matrix_norm: Expected a floating point.* Got Int"):
        linalg.norm(torch.ones(2, 2).int(), 1)


def test_condition_numbers_of_empty_and_singular_matrices() -> None:
    for p in (None, 1, 2, -2, inf):
        assert linalg.cond(torch.ones(2, 0, 3), p).tolist() == [0, 0]
    assert linalg.cond(torch.ones(0, 0), "nuc").item() == 0
    assert linalg.cond(torch.eye(3), "nuc").item() == pytest.approx(9)
    assert linalg.cond(torch.zeros(2, 2), 1).item() == inf
    found = linalg.cond(torch.zeros(2, 2), "nuc")
    torch.testing.assert_close(found, torch.tensor(nan), equal_nan=True)


@pytest.mark.parametrize(
    ("shape", "p", "message"),
    [
        ((3,), 2, "linalg.cond: The input tensor must have at least 2 dimensions"),
        ((2, 2), 3, "linalg.cond got an invalid norm type: 3"),
        ((2, 2), "x", "linalg.cond got an invalid norm type: x"),
        ((2, 3), 1, r"linalg.cond\(ord=1\): A must be batches of square matrices"),
    ],
)
def test_condition_numbers_that_do_not_exist(shape: Any, p: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        linalg.cond(torch.ones(shape), p)

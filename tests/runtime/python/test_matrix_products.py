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
    "rows a page apart": (152, 301, 1024),
    "few columns and rows a page apart": (152, 130, 1024),
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


def complex_numbers(rows: int, cols: int, dtype: torch.dtype, layout: str) -> Tensor:
    """Return numbers with whole parts, whose memory may hold their transpose or conjugates."""
    if layout == "rows":
        return torch.complex(*torch.randint(-3, 4, (2, rows, cols)).to(dtype.to_real()).unbind())
    turned = complex_numbers(cols, rows, dtype, "rows")
    return turned.mH if layout == "conjugates" else turned.mT


def expected_complex_product(a: Tensor, b: Tensor) -> Tensor:
    a, b = a.resolve_conj(), b.resolve_conj()
    real = expected_product(a.real, b.real) - expected_product(a.imag, b.imag)
    return torch.complex(real, expected_product(a.real, b.imag) + expected_product(a.imag, b.real))


COMPLEX_SHAPES = [
    *((5, 7, 9), (8, 300, 16), (130, 33, 259), (61, 65, 30), (530, 9, 300), (4, 4, 4)),
    *((301, 150, 270), (9, 129, 140)),
]


@pytest.mark.parametrize("b_layout", ["rows", "columns", "conjugates"])
@pytest.mark.parametrize("a_layout", ["rows", "columns", "conjugates"])
@pytest.mark.parametrize("shape", COMPLEX_SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=str)
def test_complex_product_is_exact(
    shape: tuple[int, int, int], dtype: torch.dtype, a_layout: str, b_layout: str
) -> None:
    m, n, k = shape
    a = complex_numbers(m, k, dtype, a_layout)
    b = complex_numbers(k, n, dtype, b_layout)
    product = expected_complex_product(a, b)
    torch.testing.assert_close(a @ b, product, rtol=0, atol=0)
    # An empty result is not read, and its neighbours are neither read nor written.
    room = torch.full((m, n + 3), complex("nan+nanj"), dtype=dtype)
    torch.mm(a, b, out=room[:, 1 : n + 1])
    torch.testing.assert_close(room[:, 1 : n + 1], product, rtol=0, atol=0)
    assert room[:, [0, n + 1, n + 2]].isnan().all()
    part = room[:, 1 : n + 1].fill_(2 - 1j)
    for alpha, beta in ((-1, 1), (2, 0.5), (1 - 2j, 2j)):
        expected = beta * part + alpha * product
        part.addmm_(a, b, alpha=alpha, beta=beta)
        torch.testing.assert_close(part, expected, rtol=1e-5, atol=1e-5)
    assert room[:, [0, n + 1, n + 2]].isnan().all()


@pytest.mark.parametrize("shape", [*COMPLEX_SHAPES, *SHAPES.values()], ids=str)
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128], ids=str
)
def test_products_read_only_their_operands(shape: tuple[int, int, int], dtype: torch.dtype) -> None:
    m, n, k = shape
    make = complex_numbers if dtype.is_complex else lambda *sizes: numbers(*sizes[:3])
    whole = make(m, k, dtype, "rows"), make(k, n, dtype, "rows")
    inner = []
    for operand in whole:
        wide = torch.full([size + 3 for size in operand.shape], torch.nan, dtype=dtype)
        inner.append(wide[1:-2, 1:-2].copy_(operand))
    assert torch.equal(torch.mm(*inner), torch.mm(*whole))

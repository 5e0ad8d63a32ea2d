"""Products of bfloat16 and int8, which some processors multiply in tiles of 16 rows."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import torch

SIZES = [  # rows, columns, depth
    (1, 1, 1),
    (3, 5, 7),
    (16, 16, 32),
    (17, 33, 65),
    (64, 48, 100),
    (1, 300, 513),
    (300, 1, 129),
    (33, 31, 1),
    (200, 150, 700),
    (5, 600, 64),
    (130, 600, 1100),
    (64, 48, 96),
    (70, 40, 600),
    (33, 17, 1024),
    (64, 600, 200),
    (70, 301, 513),
]


def operands(rows: int, columns: int, transposed: bool, dtype: Any) -> torch.Tensor:
    sizes = (columns, rows) if transposed else (rows, columns)
    if dtype is torch.int8:
        made = torch.randint(-128, 128, sizes, dtype=dtype)
    else:
        made = torch.randn(sizes).to(dtype)
    return made.t() if transposed else made


@pytest.mark.parametrize("b_transposed", [False, True])
@pytest.mark.parametrize("a_transposed", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_products_of_bfloat16(
    m: int, n: int, k: int, a_transposed: bool, b_transposed: bool
) -> None:
    torch.manual_seed(0)
    a = operands(m, k, a_transposed, torch.bfloat16)
    b = operands(k, n, b_transposed, torch.bfloat16)
    c = torch.randn(m, n).bfloat16()
    expected = a.double() @ b.double()
    close = {"rtol": 5e-3, "atol": 1e-4 * k**0.5}
    found = a @ b
    torch.testing.assert_close(found.double(), expected, **close)
    by_columns = torch.empty(n, m, dtype=torch.bfloat16).t()
    assert torch.equal(torch.mm(a, b, out=by_columns), found)
    changed = torch.addmm(c, a, b, beta=0.5, alpha=2)
    torch.testing.assert_close(changed.double(), 0.5 * c.double() + 2 * expected, **close)


@pytest.mark.parametrize("b_transposed", [False, True])
@pytest.mark.parametrize("a_transposed", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_products_of_bytes(m: int, n: int, k: int, a_transposed: bool, b_transposed: bool) -> None:
    torch.manual_seed(0)
    a = operands(m, k, a_transposed, torch.int8)
    b = operands(k, n, b_transposed, torch.int8)
    assert torch.equal(torch._int_mm(a, b).long(), a.long() @ b.long())


def inside(whole: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a wider matrix with a border, and the copy of `whole`, with its layout, within it."""
    transposed = whole.stride(0) < whole.stride(1)
    rows, columns = whole.t().shape if transposed else whole.shape
    wide = torch.full((rows + 2, columns + 2), 99 if whole.dtype is torch.int8 else torch.nan)
    wide = wide.to(whole.dtype)
    inner = wide[1:-1, 1:-1]
    return wide, (inner.t() if transposed else inner).copy_(whole)


@pytest.mark.parametrize("b_transposed", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int8])
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_products_read_only_their_operands(
    m: int, n: int, k: int, dtype: Any, b_transposed: bool
) -> None:
    torch.manual_seed(0)
    product = torch._int_mm if dtype is torch.int8 else torch.mm
    a, b = operands(m, k, False, dtype), operands(k, n, b_transposed, dtype)
    assert torch.equal(product(inside(a)[1], inside(b)[1]), product(a, b))


@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_products_write_only_their_result(m: int, n: int, k: int, by_columns: bool) -> None:
    torch.manual_seed(0)
    a = operands(m, k, False, torch.bfloat16)
    b = operands(k, n, True, torch.bfloat16)
    c = operands(m, n, by_columns, torch.bfloat16)
    wide, inner = inside(c)
    expected = torch.addmm(c, a, b)
    assert torch.equal(inner.addmm_(a, b), expected)
    assert wide.isnan().sum() == wide.numel() - m * n


@pytest.mark.parametrize(("m", "n", "k"), [(64, 600, 200), (100, 90, 70), (3, 40, 50)])
def test_a_linear_layer_adds_its_bias_before_rounding(m: int, n: int, k: int) -> None:
    torch.manual_seed(0)
    x, weight, bias = (torch.randn(s).bfloat16() for s in ((m, k), (n, k), (n,)))
    expected = x.double() @ weight.double().t() + bias.double()
    found = torch.nn.functional.linear(x, weight, bias)
    torch.testing.assert_close(found.double(), expected, rtol=4e-3, atol=1e-4)
    tiny = torch.full((n,), 1e-39).bfloat16()
    assert torch.equal(torch.nn.functional.linear(0 * x, weight, tiny), tiny.expand(m, n))


def test_batches_of_bfloat16_on_some_threads() -> None:
    torch.manual_seed(0)
    a, b = torch.randn(5, 70, 40).bfloat16(), torch.randn(5, 40, 90).bfloat16()
    one_by_one = torch.stack([x @ y for x, y in zip(a, b, strict=True)])
    assert torch.equal(torch.bmm(a, b), one_by_one)
    large = torch.randn(300, 500).bfloat16()
    before = torch.get_num_threads()
    found = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        found.append(large @ large.t())
    torch.set_num_threads(before)
    assert torch.equal(*found)


def test_a_process_without_tiles_has_the_same_products() -> None:
    code = (
        "import torch; torch.manual_seed(0); a = torch.randn(50, 80).bfloat16();"
        "torch.backends.mkldnn.enabled = False; b = a @ a.t();"
        "torch.backends.mkldnn.enabled = True; torch.testing.assert_close(a @ a.t(), b)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

"""Sorting of long rows, and sums by index that are exact in 16 bits and repeatable on request."""

from __future__ import annotations

import pytest

import torch

# Rows of more than 4096 elements are sorted by several blocks.
LENGTHS = {
    torch.int8: 4500,
    torch.float16: 4500,
    torch.float32: 1100,
    torch.int64: 1100,
    torch.float64: 1100,
}


@pytest.mark.parametrize("dtype", LENGTHS, ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_long_rows_are_sorted_stably(dtype: torch.dtype, descending: bool) -> None:
    torch.manual_seed(0)
    rows = (torch.randn(3, LENGTHS[dtype]) * 50).to(dtype)
    if dtype.is_floating_point:
        rows[0, ::7] = float("nan")
        rows[1, ::5], rows[1, 1::5] = 0.0, -0.0
        rows[2, 3], rows[2, 4] = float("inf"), -float("inf")
    for along in (rows, rows.t().contiguous().t()):
        expected = torch.sort(along, stable=True, dim=1, descending=descending)
        actual = torch.sort(along.cuda(), stable=True, dim=1, descending=descending)
        assert torch.equal(actual.indices.cpu(), expected.indices)
        torch.testing.assert_close(
            actual.values.cpu(), expected.values, rtol=0, atol=0, equal_nan=True
        )


def test_selection_in_long_rows() -> None:
    torch.manual_seed(1)
    rows = torch.randint(0, 200, (2, 1100))
    for name, arguments in (("kthvalue", (567, 1)), ("median", (1,)), ("mode", (1,))):
        expected = getattr(torch, name)(rows, *arguments)
        actual = getattr(torch, name)(rows.cuda(), *arguments)
        assert torch.equal(actual.values.cpu(), expected.values), name
        assert torch.equal(actual.indices.cpu(), expected.indices), name
    assert torch.equal(torch.topk(rows.cuda(), 7, 1).values.cpu(), torch.topk(rows, 7, 1).values)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_sums_in_16_bits_are_rounded_once(dtype: torch.dtype) -> None:
    """4096 terms of 0.3 added one by one in 16 bits would stop growing halfway."""
    terms = torch.full((4096, 2), 0.3, dtype=dtype)
    index = torch.zeros(4096, dtype=torch.int64)
    expected = torch.full((2,), float(terms[0, 0]) * 4096)
    target = torch.zeros(3, 2, dtype=dtype, device="cuda")
    target.index_add_(0, index.cuda(), terms.cuda())
    torch.testing.assert_close(target[0].float().cpu(), expected, rtol=0.01, atol=0)
    assert target[1:].abs().sum().item() == 0
    target = torch.zeros(3, 2, dtype=dtype, device="cuda")
    target.index_put_((index.cuda(),), terms.cuda(), accumulate=True)
    torch.testing.assert_close(target[0].float().cpu(), expected, rtol=0.01, atol=0)
    torch.testing.assert_close(
        torch.zeros(3, dtype=dtype, device="cuda")
        .index_add_(0, index.cuda() + 2, terms[:, 0].cuda(), alpha=2)[2]
        .float()
        .cpu(),
        2 * expected[0],
        rtol=0.01,
        atol=0,
    )


def test_sums_repeat_when_deterministic_algorithms_are_demanded() -> None:
    torch.manual_seed(2)
    index = torch.randint(0, 5, (100,))
    terms = torch.randn(100, 4) * 10.0 ** torch.randint(-6, 6, (100, 1))
    torch.use_deterministic_algorithms(True)
    try:
        results = [
            torch.zeros(5, 4, device="cuda").index_add_(0, index.cuda(), terms.cuda()).cpu()
            for _ in range(2)
        ]
        last = torch.zeros(5, device="cuda").index_put_((index.cuda(),), terms[:, 0].cuda())
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(*results)
    # In the order of the index, as on the CPU.
    assert torch.equal(results[0], torch.zeros(5, 4).index_add_(0, index, terms))
    assert torch.equal(last.cpu(), torch.zeros(5).index_put_((index,), terms[:, 0]))


def test_maps_of_resampling_need_no_wait() -> None:
    images = torch.randn(1, 2, 5, 6, device="cuda")
    torch.cuda.set_sync_debug_mode("error")
    try:
        torch.nn.functional.pad(images, (1, 2, 1, 1), mode="reflect")
        torch.nn.functional.interpolate(images, scale_factor=2, mode="bilinear")
    finally:
        torch.cuda.set_sync_debug_mode("default")

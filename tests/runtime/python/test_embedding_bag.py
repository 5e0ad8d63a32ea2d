"""Sums, means and maxima of bags of rows."""

from __future__ import annotations

import pytest

import torch
from torch.nn import functional as F

OFFSETS = [0, 3, 3, 4, 20, 29]


def by_definition(
    rows: torch.Tensor, indices: torch.Tensor, mode: str, padding: int | None, weights: torch.Tensor
) -> torch.Tensor:
    result = []
    for begin, end in zip(OFFSETS, [*OFFSETS[1:], len(indices)], strict=True):
        kept = [i for i in range(begin, end) if padding is None or indices[i] != padding]
        bag = rows[indices[kept]]
        if mode == "sum":
            result.append((bag * weights[kept].unsqueeze(1)).sum(0))
        elif not kept:
            result.append(torch.zeros(rows.shape[1], dtype=rows.dtype))
        else:
            result.append(bag.mean(0) if mode == "mean" else bag.amax(0))
    return torch.stack(result)


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("width", [0, 1, 15, 16, 17, 63, 64, 65, 150])
def test_bags_of_all_widths(width: int, mode: str, gradient: bool) -> None:
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        rows = torch.randn(12, width).to(dtype).requires_grad_(gradient)
        indices = torch.randint(0, 12, (33,))
        weights = torch.rand(33).to(dtype) if mode == "sum" else None
        for padding in (None, 3):
            found = F.embedding_bag(
                indices,
                rows,
                torch.tensor(OFFSETS),
                mode=mode,
                per_sample_weights=weights,
                padding_idx=padding,
            )
            ones = torch.ones(33, dtype=dtype) if weights is None else weights
            want = by_definition(rows.detach().double(), indices, mode, padding, ones.double())
            tolerance = 0.02 if dtype == torch.bfloat16 else 1e-5
            torch.testing.assert_close(
                found.detach().double(), want, rtol=tolerance, atol=tolerance
            )


@pytest.mark.parametrize("index", [-1, 12, 2**62])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("width", [5, 64])
def test_an_index_outside_the_table_is_named(width: int, mode: str, index: int) -> None:
    indices = torch.tensor([0, 1, index])
    with pytest.raises(RuntimeError, match=f"found idx to be {index}"):
        F.embedding_bag(indices, torch.rand(12, width), torch.tensor([0, 2]), mode=mode)


def test_only_gradients_need_the_bag_of_each_index() -> None:
    indices, offsets = torch.tensor([0, 1, 2]), torch.tensor([0, 2])
    table = torch.rand(4, 3)
    assert torch.embedding_bag(table, indices, offsets)[1].numel() == 0
    assert torch.embedding_bag(table, indices, offsets, mode=1)[1].tolist() == [0, 0, 1]
    table.requires_grad_()
    assert torch.embedding_bag(table, indices, offsets)[1].tolist() == [0, 0, 1]

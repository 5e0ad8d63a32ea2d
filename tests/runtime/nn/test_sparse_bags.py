"""Bags of rows of a table that gets a sparse gradient."""

from __future__ import annotations

import pytest

import torch
import torch.nn.functional as F
from torch import nn

INDICES = torch.tensor([1, 2, 4, 4, 0, 3])
OFFSETS = torch.tensor([0, 2, 2, 5])  # the second bag is empty


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("padding_idx", [None, 4, -1])
@pytest.mark.parametrize("include_last_offset", [False, True])
def test_sparse_gradient_is_the_dense_one(
    mode: str, padding_idx: int | None, include_last_offset: bool
) -> None:
    offsets = torch.cat([OFFSETS, torch.tensor([6])]) if include_last_offset else OFFSETS
    found = []
    for sparse in (True, False):
        table = torch.arange(15.0).reshape(5, 3).requires_grad_()
        result = F.embedding_bag(
            INDICES,
            table,
            offsets,
            mode=mode,
            sparse=sparse,
            padding_idx=padding_idx,
            include_last_offset=include_last_offset,
        )
        result.backward(torch.arange(12.0).reshape(4, 3))
        assert table.grad is not None
        assert table.grad.is_sparse == sparse
        found.append((result, table.grad.to_dense()))
    torch.testing.assert_close(found[0], found[1])


def test_factors_get_gradients_too() -> None:
    found = []
    for sparse in (True, False):
        table = torch.arange(15.0).reshape(5, 3).requires_grad_()
        factors = torch.arange(6.0).requires_grad_()
        F.embedding_bag(
            INDICES, table, OFFSETS, mode="sum", sparse=sparse, per_sample_weights=factors
        ).pow(2).sum().backward()
        assert table.grad is not None
        found.append((table.grad.to_dense(), factors.grad))
    torch.testing.assert_close(found[0], found[1])


def test_optimizers_train_with_sparse_bags() -> None:
    layer = nn.EmbeddingBag(5, 3, mode="sum", sparse=True)
    before = layer.weight.detach().clone()
    optimizer = torch.optim.SparseAdam(layer.parameters(), lr=0.1)
    layer(torch.tensor([[1, 2], [2, 2]])).sum().backward()
    optimizer.step()
    changed = (layer.weight != before).any(1)
    assert changed.tolist() == [False, True, True, False, False]


def test_scaling_by_frequency_is_refused() -> None:
    table = torch.ones(5, 3, requires_grad=True)
    for result in (
        F.embedding_bag(INDICES, table, OFFSETS, sparse=True, scale_grad_by_freq=True),
        F.embedding(INDICES, table, sparse=True, scale_grad_by_freq=True),
    ):
        with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse"):
            result.sum().backward()

"""Checks of gradients for functions of sparse tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.sparse._base import SparseBase, tracked, values_of
from torch.sparse._compressed import CompressedTensor

Tensor = torch.Tensor


def as_sparse_gradcheck(gradcheck: Callable[..., Any]) -> Callable[..., Any]:
    """Return a form of `torch.autograd.gradcheck` for functions of sparse tensors.

    A sparse input that requires gradients is replaced by its values, and a sparse result by a dense
    tensor. With `masked=False`, which is the default, an input varies in all of its elements; with
    `masked=True`, in those that it has.

    Args:
        gradcheck: `torch.autograd.gradcheck`, or a partial application of it.

    Example:
        >>> gradcheck = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
        >>> a = torch.eye(2, dtype=torch.float64).to_sparse_csr().requires_grad_()
        >>> gradcheck(lambda a: a * 2, a)
        True
    """

    @functools.wraps(gradcheck)
    def check(function: Callable[..., Any], inputs: Any, **options: Any) -> Any:
        bound = dict(getattr(gradcheck, "keywords", {}))
        masked = options.get("masked", bound.get("masked", False))
        return gradcheck(*of_values(function, inputs, masked), **options)

    return check


def of_values(function: Callable[..., Any], inputs: Any, masked: bool) -> tuple[Any, Any]:
    """Return a function of the values of sparse inputs, and these values."""
    given = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    patterns = [_pattern(each, masked) for each in given]

    def with_values(*arguments: Any) -> Any:
        rebuilt = [
            each if pattern is None else tracked(pattern, each)
            for each, pattern in zip(arguments, patterns, strict=True)
        ]
        return _dense(function(*rebuilt))

    values = tuple(
        each if pattern is None else values_of(pattern).detach().clone().requires_grad_()
        for each, pattern in zip(given, patterns, strict=True)
    )
    return with_values, values


def _pattern(tensor: Any, masked: bool) -> Any:
    """Return a tensor whose values vary, or None for an input that is not sparse."""
    if not isinstance(tensor, SparseBase) or not tensor.requires_grad:
        return None
    kept: Any = tensor.detach()
    if not masked:
        kept = _with_all_elements(kept)
    return kept.coalesce() if kept.is_sparse else kept


def _with_all_elements(tensor: Any) -> Any:
    dense = tensor.to_dense()
    full = torch.ones_like(dense)
    if isinstance(tensor, CompressedTensor):
        blocks = tensor._blocksize if tensor._kind.has_blocks else None
        mask = full.to_sparse(layout=tensor.layout, blocksize=blocks, dense_dim=tensor.dense_dim())
    else:
        mask = full.to_sparse(tensor.sparse_dim())
    return dense.sparse_mask(mask)


def _dense(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return tuple(_dense(each) for each in result)
    return result.to_dense() if isinstance(result, SparseBase) else result

"""Cumulative results of an associative function, in a logarithmic number of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

__all__ = ["associative_scan"]


def associative_scan(
    combine_fn: Callable[[Any, Any], Any],
    xs: Any,
    dim: int,
    reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Any:
    """Return the results of a function over all leading slices, as cumsum does for addition.

    Args:
        combine_fn: An associative function of two trees of tensors; it gets many slices at once.
        xs: A tree of tensors.
        dim: The dimension along which to combine.
        reverse: Whether to start from the end.
        combine_mode: "pointwise" or "generic"; both are computed in the same way.

    Raises:
        ValueError: If `combine_mode` is neither, or there is nothing to scan.

    Example:
        >>> from torch._higher_order_ops.associative_scan import associative_scan
        >>> associative_scan(lambda a, b: a + b, torch.arange(4.0), 0, combine_mode="generic")
        tensor([0., 1., 3., 6.])
    """
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(
            f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}"
        )
    leaves, spec = pytree.tree_flatten(xs)
    if not leaves or any(not isinstance(leaf, Tensor) for leaf in leaves):
        raise ValueError("xs must be a non-empty tree of tensors")
    if any(leaf.size(dim) != leaves[0].size(dim) for leaf in leaves):
        raise ValueError("the leaves of xs must have the same size in the scanned dimension")
    moved = [leaf.flip(dim) if reverse else leaf for leaf in leaves]

    def combine(first: list[Tensor], second: list[Tensor]) -> list[Tensor]:
        result = combine_fn(pytree.tree_unflatten(first, spec), pytree.tree_unflatten(second, spec))
        return list(pytree.tree_leaves(result))

    step = 1
    while step < leaves[0].size(dim):
        count = leaves[0].size(dim) - step
        early = [t.narrow(dim, 0, count) for t in moved]
        late = combine(early, [t.narrow(dim, step, count) for t in moved])
        moved = [
            torch.cat([t.narrow(dim, 0, step), new], dim)
            for t, new in zip(moved, late, strict=True)
        ]
        step *= 2
    return pytree.tree_unflatten([t.flip(dim) if reverse else t for t in moved], spec)

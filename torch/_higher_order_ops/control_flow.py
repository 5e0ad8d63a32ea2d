"""Branches and loops over functions, which run eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

__all__ = ["cond", "map", "scan", "while_loop"]


def _truth(value: Any) -> bool:
    if isinstance(value, Tensor) and value.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {value}")
    return bool(value)


def cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    """Call one of two functions.

    Args:
        pred: A boolean, or a tensor with one element.
        true_fn: The function to call if it is true.
        false_fn: The function to call if it is false.
        operands: The arguments.

    Raises:
        RuntimeError: If `pred` has several elements.

    Example:
        >>> torch.cond(torch.tensor(True), torch.sin, torch.cos, (torch.zeros(1),))
        tensor([0.])
    """
    return (true_fn if _truth(pred) else false_fn)(*operands)


def while_loop(cond_fn: Any, body_fn: Any, carried_inputs: Any) -> Any:
    """Call a function on its own results for as long as a condition holds.

    Args:
        cond_fn: A function that returns whether to go on.
        body_fn: A function that returns the next values.
        carried_inputs: The first values.

    Example:
        >>> torch.while_loop(lambda x: x < 10, lambda x: (x * 2,), (torch.tensor(1),))
        (tensor(16),)
    """
    values = tuple(carried_inputs)
    while _truth(cond_fn(*values)):
        result = body_fn(*values)
        values = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    return values


def _stack(results: list[Any]) -> Any:
    """Stack the tensors of several trees of the same structure."""
    flat = [pytree.tree_flatten(result) for result in results]
    columns = zip(*(leaves for leaves, _ in flat), strict=True)
    return pytree.tree_unflatten([torch.stack(column) for column in columns], flat[0][1])


def _slices(xs: Any, dim: int = 0) -> list[Any]:
    leaves, spec = pytree.tree_flatten(xs)
    count = leaves[0].size(dim)
    return [
        pytree.tree_unflatten([leaf.select(dim, i) for leaf in leaves], spec) for i in range(count)
    ]


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """Call a function on each slice of tensors and stack the results.

    Args:
        f: A function of a slice and the other arguments.
        xs: A tree of tensors.
        *args: The other arguments.
    """
    return _stack([f(x, *args) for x in _slices(xs)])


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any,
    *,
    dim: int = 0,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Carry a value through a function over the slices of tensors.

    Args:
        combine_fn: A function of the value and a slice, which returns the next value and a result.
        init: The first value.
        xs: A tree of tensors.
        dim: The dimension of the slices.
        reverse: Whether to start from the end.

    Returns:
        The last value, and the results stacked along a new first dimension.
    """
    slices = _slices(xs, dim)
    results = []
    for x in reversed(slices) if reverse else slices:
        init, result = combine_fn(init, x)
        results.append(result)
    return init, _stack(results[::-1] if reverse else results)

"""Checks of the arguments and results of functions that torch.func transforms."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

Tensor = torch.Tensor


def chosen_places(argnums: Any, count: int) -> tuple[int, ...]:
    """Return the positions, counted from the front, of the arguments to differentiate by.

    Raises:
        RuntimeError: If `argnums` is no int or tuple of distinct ints of `count` arguments.
    """
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    places = []
    for argnum in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(argnum, int):
            raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
        if not -count <= argnum < count:
            raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
        places.append(argnum % count)
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(places)}")
    return tuple(places)


def with_auxiliary(result: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """Return what a function returned to be differentiated, and what is passed on.

    Raises:
        RuntimeError: If `has_aux` is set, and `result` is no pair or passes on other than tensors.
    """
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    for leaf in pytree.tree_leaves(result[1]):
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
    return result


def require_output_tensors(outputs: list[Any], name: str) -> None:
    """Check that a function returned tensors, one at least, and nothing else."""
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(
            f"{name}: Expected f to be a function that has non-empty output (got output = {outputs})"
        )
    for output in outputs:
        if not isinstance(output, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(output)}"
            )


def require_real(tensors: list[Tensor], transform: str, what: str) -> None:
    """Check that no tensor is complex, for the transforms that compute Jacobians."""
    for i, tensor in enumerate(tensors):
        if tensor.is_complex():
            raise RuntimeError(
                f"{transform}: Expected all {what} to be real but received complex tensor at "
                f"flattened input idx: {i}"
            )

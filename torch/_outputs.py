"""The argument `out` of functions that are written in Python: results are copied into it as operators do."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch


def kind_of(tensor: Any) -> str:
    """Return the dtype of a tensor as messages name it, such as Float."""
    return str(tensor.type().rpartition(".")[2].removesuffix("Tensor"))


def into(result: Any, out: Any, name: str = "") -> Any:
    """Return a result, or `out` after a copy.

    Args:
        result: A tensor, or a named tuple of them.
        out: None, a tensor, or as many tensors as there are results.
        name: The name of the function, for messages.

    Raises:
        RuntimeError: If the dtype of `out` cannot hold the result, or a tensor needs a gradient.
    """
    if out is None:
        return result
    if isinstance(result, tuple):
        made = tuple(into(r, o, name) for r, o in zip(result, out, strict=True))
        return getattr(type(result), "_make", type(result))(made)
    if torch.is_grad_enabled() and (result.requires_grad or out.requires_grad):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    if not torch.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"result type {kind_of(result)} can't be cast to the desired output type {kind_of(out)}"
        )
    if out.shape != result.shape:
        if out.numel():
            _warn_of_resize(out.shape, result.shape)
        out.resize_(result.shape)
    return out.copy_(result)


def _warn_of_resize(before: torch.Size, after: torch.Size) -> None:
    warnings.warn(
        f"An output with one or more elements was resized since it had shape {list(before)}, which "
        f"does not match the required output shape {list(after)}. This behavior is deprecated, and "
        "in a future PyTorch release outputs will not be resized unless they have zero elements. "
        "You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
        "t.resize_(0).",
        UserWarning,
        stacklevel=4,
    )


def with_out(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function with an argument `out` more."""

    @functools.wraps(function)
    def call(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        return into(function(*args, **kwargs), out, name)

    return call

"""Conversions around composed functions, which libraries import."""

from __future__ import annotations

from typing import Any

import torch


def _maybe_convert_to_dtype(a: Any, dtype: torch.dtype) -> Any:
    """Return a tensor, or each of a sequence, in a dtype; numbers and None are unchanged.

    Raises:
        ValueError: If a value is none of these.
    """
    if isinstance(a, torch.Tensor):
        return a if a.dtype is dtype else a.to(dtype)
    if a is None or isinstance(a, (bool, int, float, complex)):
        return a
    if isinstance(a, (list, tuple)):
        return tuple(_maybe_convert_to_dtype(each, dtype) for each in a)
    raise ValueError(
        f"Received unsupported type {type(a)}. Expected TensorLike, Number, or Sequence!"
    )

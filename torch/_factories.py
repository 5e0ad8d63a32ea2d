"""Functions that make tensors, composed of operators."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor


def empty_permuted(
    size: Sequence[int],
    physical_layout: Sequence[int],
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a tensor without values whose dimensions lie in memory in a given order.

    Args:
        size: The shape.
        physical_layout: The dimensions, from the one with the largest stride to the one with
            the smallest.
        dtype: The dtype of the tensor.
        layout: The layout of the tensor.
        device: The device of the tensor.
        requires_grad: Whether autograd records operations on the tensor.
        pin_memory: Whether the memory is pinned.

    Raises:
        RuntimeError: If `physical_layout` is not a permutation of the dimensions.

    Example:
        >>> torch.empty_permuted((2, 3, 5), (0, 2, 1)).stride()
        (15, 1, 3)
    """
    if len(physical_layout) != len(size):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    for place, dim in enumerate(physical_layout):
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} "
                f"at index {place}).  NB: negative dims not currently supported; file an issue if "
                "you want it."
            )
    if len(set(physical_layout)) != len(size):
        raise RuntimeError("Duplicate dim not allowed")
    strides, step = [1] * len(size), 1
    for dim in reversed(physical_layout):
        strides[dim] = step
        step *= max(size[dim], 1)
    return torch.empty_strided(
        size,
        strides,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
        pin_memory=pin_memory,
    )


def range(
    start: float = 0,
    end: float | None = None,
    step: float = 1,
    *,
    out: Tensor | None = None,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return numbers from `start` to `end` inclusive; `arange` is the function to use instead.

    Args:
        start: The first number.
        end: The last number, if the steps reach it.
        step: The difference of adjacent numbers.
        out: A tensor to write the result to.
        dtype: The dtype of the result; by default, that of `out` or the default dtype.
        layout: The layout of the result.
        device: The device of the result.
        requires_grad: Whether autograd records operations on the result.
        pin_memory: Whether the memory is pinned.

    Raises:
        RuntimeError: If the step is 0 or leads away from `end`.

    Example:
        >>> torch.range(1, 2, 0.5)  # doctest: +SKIP
        tensor([1.0000, 1.5000, 2.0000])
    """
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values "
        "in [start, end).",
        UserWarning,
        stacklevel=2,
    )
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = int((end - start) / step) + 1
    if dtype is None:
        dtype = torch.get_default_dtype() if out is None else out.dtype
    device = out.device if out is not None else device
    whole = not (dtype.is_floating_point or dtype.is_complex)
    numbers = torch.arange(count, dtype=torch.int64 if whole else torch.float64, device=device)
    if whole:
        start, step = int(start), int(step)
    result = (numbers * step + start).to(dtype)
    if out is not None:
        if out.numel() != count:  # another shape with as many elements keeps its shape
            out.resize_(result.shape)
        return out.copy_(result.view_as(out))
    if pin_memory:
        result = result.pin_memory()
    return result.requires_grad_(requires_grad)

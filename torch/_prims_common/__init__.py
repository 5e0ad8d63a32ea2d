"""Questions about dtypes, sizes and strides that other packages ask."""

from __future__ import annotations

from typing import Any

import torch

__all__ = [
    "alert_not_deterministic",
    "canonicalize_dim",
    "canonicalize_dims",
    "is_boolean_dtype",
    "is_complex_dtype",
    "is_contiguous",
    "is_contiguous_or_false",
    "is_float_dtype",
    "is_integer_dtype",
    "make_contiguous_strides_for",
    "suggest_memory_format",
]


def alert_not_deterministic(caller: str) -> None:
    """Raise an error or warn if deterministic algorithms are demanded.

    Args:
        caller: The name of the operator.

    Raises:
        RuntimeError: If `torch.use_deterministic_algorithms(True)` is set.
    """
    if not torch.are_deterministic_algorithms_enabled():
        return
    text = f"{caller} does not have a deterministic implementation"
    if not torch.is_deterministic_algorithms_warn_only_enabled():
        raise RuntimeError(f"{text}, but you set 'torch.use_deterministic_algorithms(True)'.")
    import warnings

    warnings.warn(f"{text}; warn_only is set", stacklevel=2)


def is_boolean_dtype(dtype: torch.dtype) -> bool:
    """Return whether a dtype is bool."""
    return dtype is torch.bool


def is_float_dtype(dtype: torch.dtype) -> bool:
    """Return whether a dtype is a floating one."""
    return dtype.is_floating_point


def is_complex_dtype(dtype: torch.dtype) -> bool:
    """Return whether a dtype is complex."""
    return dtype.is_complex


def is_integer_dtype(dtype: torch.dtype) -> bool:
    """Return whether a dtype is an integer one; bool is not."""
    return not (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool)


def is_contiguous(a: torch.Tensor, **options: Any) -> bool:
    """Return whether the elements of a tensor lie in order without gaps."""
    return a.is_contiguous()


is_contiguous_or_false = is_contiguous


def canonicalize_dim(rank: int, idx: int, wrap_scalar: bool = True) -> int:
    """Return a dimension as a non-negative number.

    Raises:
        IndexError: If there is no such dimension.
    """
    count = max(rank, 1) if wrap_scalar else rank
    if not -count <= idx < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {idx})"
        )
    return idx % count


def canonicalize_dims(rank: int, indices: Any, wrap_scalar: bool = True) -> Any:
    """Return one dimension, or several, as non-negative numbers."""
    if isinstance(indices, int):
        return canonicalize_dim(rank, indices, wrap_scalar)
    return tuple(canonicalize_dim(rank, index, wrap_scalar) for index in indices)


def make_contiguous_strides_for(shape: Any, row_major: bool = True) -> tuple[int, ...]:
    """Return the strides of a contiguous tensor of a shape."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(int(size), 1)
    result = tuple(reversed(strides))
    if row_major or len(result) < 2:
        return result
    return (*result[:-2], 1, max(int(shape[-2]), 1))


def suggest_memory_format(x: torch.Tensor) -> torch.memory_format:
    """Return the memory format whose strides a tensor has: channels last, or contiguous."""
    last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(x.dim())
    if last is None or x.is_contiguous() or not x.is_contiguous(memory_format=last):
        return torch.contiguous_format
    return last


def get_computation_dtype(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype in which sums of elements are computed: float32 for 16-bit floats."""
    if dtype in (torch.float16, torch.bfloat16):
        return torch.float32
    return torch.complex64 if dtype is torch.complex32 else dtype

"""What a call gave, in plain Python and NumPy, so that it can cross from one interpreter to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import torch

from .model import Operator, Sample

TOLERANCE = {  # torch.testing.assert_close's: (relative, absolute)
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


@dataclass(frozen=True)
class Array:
    """A tensor: `dtype` is torch's, `values` hold it in a dtype that NumPy knows."""

    dtype: str
    stride: tuple[int, ...]
    values: np.ndarray


@dataclass(frozen=True)
class Raised:
    """An exception: the name of its type and its first line."""

    type: str
    message: str


Outcome = list[Any] | Raised


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    """The values; bfloat16 as float32, which holds them exactly. PyTorch conjugates lazily."""
    if tensor.dtype is torch.bfloat16:
        return tensor.float().numpy()
    return tensor.resolve_conj().numpy()


def leaf(value: Any) -> Any:
    """One returned value."""
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        strides = zip(value.shape, value.stride(), strict=True)
        steps = tuple(step for size, step in strides if size > 1)
        if value.numel() == 0:
            steps = ()
        if value.dtype is getattr(torch, "complex32", None):  # NumPy has none: compare by kind only
            return Array(dtype, steps, np.zeros(tuple(value.shape)))
        return Array(dtype, steps, to_numpy(value).copy())
    if isinstance(value, torch.dtype):
        return str(value)
    return value


def run(operator: Operator, sample: Sample) -> Outcome:
    """Call the operator; its results as a flat list, or the exception."""
    try:
        result = operator.function()(*sample.args, **sample.kwargs)
    except Exception as error:
        return Raised(type(error).__name__, (str(error).splitlines() or [""])[0])
    return [leaf(each) for each in (result if isinstance(result, tuple | list) else [result])]


def assert_close(
    actual: np.ndarray, expected: np.ndarray, dtype: str, tolerance: Any = None
) -> None:
    """Equal for exact dtypes, within the looser of both tolerances otherwise; NaN equals NaN."""
    relative, absolute = TOLERANCE.get(dtype, (0.0, 0.0))
    if tolerance and dtype in TOLERANCE:
        relative, absolute = max(relative, tolerance[0]), max(absolute, tolerance[1])
    np.testing.assert_allclose(actual, expected, rtol=relative, atol=absolute, equal_nan=True)

"""The outcome of a call in plain Python and NumPy, to pass from one interpreter to another."""

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
    """A tensor: the name of its dtype, and its values in a dtype that NumPy has."""

    dtype: str
    stride: tuple[int, ...]
    values: np.ndarray


@dataclass(frozen=True)
class Raised:
    """An exception: the name of its type and the first line of its message."""

    type: str
    message: str


Outcome = list[Any] | Raised


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    """Return the values; types that NumPy lacks become float32, exactly."""
    if tensor.dtype is torch.bfloat16 or (
        tensor.is_floating_point() and tensor.dtype.itemsize == 1
    ):
        return tensor.float().numpy()
    return tensor.resolve_conj().resolve_neg().numpy()


def leaf(value: Any) -> Any:
    """Convert one returned value."""
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        strides = zip(value.shape, value.stride(), strict=True)
        steps = tuple(step for size, step in strides if size > 1)
        if value.numel() == 0:
            steps = ()
        if value.dtype is getattr(
            torch, "complex32", None
        ):  # NumPy lacks this dtype: compare only the kind
            return Array(dtype, steps, np.zeros(tuple(value.shape)))
        return Array(dtype, steps, to_numpy(value).copy())
    if isinstance(value, torch.dtype):
        return str(value)
    return value


def run(operator: Operator, sample: Sample) -> Outcome:
    """Call the operator and read its results; return them as a flat list, or the exception."""
    try:
        result = operator.function()(*sample.args, **sample.kwargs)
        return [leaf(each) for each in (result if isinstance(result, tuple | list) else [result])]
    except Exception as error:
        return Raised(type(error).__name__, (str(error).splitlines() or [""])[0])


def assert_close(
    actual: np.ndarray, expected: np.ndarray, dtype: str, tolerance: Any = None
) -> None:
    """Assert equality for exact dtypes, otherwise within the looser tolerance; NaN equals NaN."""
    relative, absolute = TOLERANCE.get(dtype, (0.0, 0.0))
    if tolerance and dtype in TOLERANCE:
        relative, absolute = max(relative, tolerance[0]), max(absolute, tolerance[1])
    np.testing.assert_allclose(actual, expected, rtol=relative, atol=absolute, equal_nan=True)

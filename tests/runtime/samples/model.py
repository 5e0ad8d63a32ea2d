"""The rows of the sample table, and how their inputs are made.

The table runs in two interpreters (ours, and real PyTorch for comparison), so everything here uses
only `torch` and NumPy, and every value follows from the operator's name.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import torch

FLOATS = ("float32", "float64")
LOW_FLOATS = ("float16", "bfloat16")
INTS = ("uint8", "int8", "int16", "int32", "int64")
COMPLEX = ("complex64", "complex128")
REAL = INTS + FLOATS + LOW_FLOATS
ALL = ("bool", *REAL, *COMPLEX)
WIDE_UNSIGNED = ("uint16", "uint32", "uint64")


@dataclass(frozen=True)
class Sample:
    """One call: positional and keyword arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


def sample(*args: Any, **kwargs: Any) -> Sample:
    """`sample(a, b, dim=0)` for the call `op(a, b, dim=0)`."""
    return Sample(args, kwargs)


class Maker:
    """Makes the tensors for one operator and dtype, the same in every interpreter."""

    def __init__(self, name: str, dtype: str) -> None:
        self.dtype = dtype
        self.random = np.random.RandomState(zlib.crc32(f"{name}/{dtype}".encode()))

    @property
    def is_float(self) -> bool:
        return self.dtype in FLOATS + LOW_FLOATS

    @property
    def is_complex(self) -> bool:
        return self.dtype in COMPLEX

    def array(self, shape: tuple[int, ...], low: float, high: float, dtype: str) -> np.ndarray:
        """Return uniform values in [low, high), clipped to the range of integer dtypes."""
        if dtype == "bool":
            return np.asarray(self.random.randint(min(max(int(low), 0), 1), 2, shape)).astype(bool)
        if dtype.startswith("uint"):
            low, high = max(low, 0), max(high, 2)
        if "int" in dtype:
            whole = self.random.randint(int(low), max(int(high), int(low) + 1), shape)
            return np.asarray(whole).astype(dtype)
        values = self.random.uniform(low, high, shape)
        if dtype in COMPLEX:
            values = values + 1j * self.random.uniform(low, high, shape)
        return np.asarray(values, dtype="float32" if dtype in LOW_FLOATS else dtype)

    def __call__(
        self, *shape: int, low: float = -4, high: float = 5, dtype: str | None = None
    ) -> torch.Tensor:
        """Return a contiguous tensor with values in [low, high)."""
        chosen = dtype or self.dtype
        tensor = torch.from_numpy(self.array(shape, low, high, chosen))
        return tensor.to(getattr(torch, chosen)) if chosen in LOW_FLOATS else tensor

    def distinct(self, *shape: int) -> torch.Tensor:
        """Return a tensor of distinct values (if the dtype has enough), for sorting and argmax."""
        if self.dtype == "bool":
            raise ValueError("bool has no more than two distinct values")
        count = int(np.prod(shape))
        values = self.random.permutation(count).reshape(shape) - (
            0 if "u" in self.dtype else count // 2
        )
        return torch.from_numpy(np.asarray(values).astype("float32")).to(getattr(torch, self.dtype))

    def indices(self, *shape: int, high: int, low: int = 0) -> torch.Tensor:
        """Return int64 indices in [low, high)."""
        return torch.from_numpy(np.asarray(self.random.randint(low, high, shape)))

    def layouts(self, **bounds: Any) -> Iterator[torch.Tensor]:
        """Return tensors of the shapes and strides that every kernel must handle."""
        yield self(3, **bounds)
        yield self(**bounds)
        yield self(0, **bounds)
        yield self(2, 0, 3, **bounds)
        yield self(4, 5, **bounds)
        yield self(5, 4, **bounds).t()
        yield self(3, 4, 5, **bounds).transpose(0, 2)
        yield self(6, 8, **bounds)[::2, 1::3]
        yield self(3, 1, **bounds).expand(3, 4)
        yield self(67, **bounds)
        yield self(2, 3, 4, 5, **bounds).permute(0, 2, 3, 1)

    def extremal(self) -> torch.Tensor:
        """Return values at the limits of a floating dtype."""
        limit = torch.finfo(getattr(torch, self.dtype))
        values = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan")]
        values += [limit.max, limit.min, limit.tiny, limit.eps, 0.5, -0.5, 1.5, 2.5, 88.0, -104.0]
        return torch.tensor(values, dtype=getattr(torch, self.dtype))


Samples = Callable[[Maker], Iterator[Sample]]


def scipy_special(name: str) -> Callable[..., Any]:
    """Return a function of scipy.special that is imported when called: the peer may lack SciPy."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return getattr(importlib.import_module("scipy.special"), name)(*args, **kwargs)

    return function


@dataclass(frozen=True)
class Operator:
    """An operator with its inputs and expected properties.

    name: base name in native_functions.yaml; the row also stands for the in-place name.
    call: how the table calls it; by default torch.NAME, else the tensor's method.
    reference: the same function over NumPy arrays, where NumPy or SciPy has it.
    dtypes: where it must work; with a peer, the other dtypes must fail or work as the peer's.
    low_tolerance: for the 16-bit floats, where PyTorch accumulates in 16 bits and we in 32.
    covers: further names of native_functions.yaml that this row's calls reach.
    """

    name: str
    samples: Samples
    dtypes: tuple[str, ...] = FLOATS
    call: Callable[..., Any] | None = None
    reference: Callable[..., Any] | None = None
    method: bool = True
    in_place: bool = False
    out: bool = False
    meta: bool = True
    random: bool = False
    view: bool = False
    covers: tuple[str, ...] = ()
    tolerance: tuple[float, float] | None = None
    low_tolerance: tuple[float, float] | None = None
    variant: str = ""

    @property
    def title(self) -> str:
        return f"{self.name}.{self.variant}" if self.variant else self.name

    def tolerance_for(self, dtype: str) -> tuple[float, float] | None:
        """Return the (relative, absolute) tolerance in addition to the dtype's own, if any."""
        return self.low_tolerance or self.tolerance if dtype in LOW_FLOATS else self.tolerance

    def function(self) -> Callable[..., Any]:
        """Return the callable under test."""
        if self.call:
            return self.call
        if hasattr(torch, self.name):
            return getattr(torch, self.name)
        return getattr(torch.Tensor, self.name)

    def make(self, dtype: str) -> list[Sample]:
        """Return the inputs for one dtype, the same at every call."""
        return list(self.samples(Maker(self.title, dtype)))


@dataclass(frozen=True)
class Refusal:
    """A call that must raise, with the exception's type and a pattern for its message."""

    title: str
    call: Callable[[], Any]
    error: type[Exception]
    pattern: str

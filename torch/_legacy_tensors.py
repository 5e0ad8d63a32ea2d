"""torch.FloatTensor and similar types: names for a dtype on the CPU, older than torch.dtype."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch.storage import TypedStorage


class tensortype(type):
    """The metaclass of legacy types. They have no instances: calls return a torch.Tensor."""

    dtype: torch.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> torch.Tensor:
        """Create a tensor from data, or from sizes (uninitialised), as torch.Tensor() does."""
        if len(args) == 1 and isinstance(args[0], TypedStorage):
            args = (args[0].untyped(),)
        return _C._legacy_tensor(cls.dtype, args, kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, torch.Tensor) and instance.is_cpu and instance.dtype is cls.dtype
        )


tensortype.__module__ = "torch"


def _named(name: str, dtype: torch.dtype) -> tensortype:
    attributes = {
        "__doc__": f"A legacy type: creates tensors of {dtype}, which are its instances.",
        "__module__": "torch",
        "dtype": dtype,
        "layout": torch.strided,
        "is_cuda": False,
        "is_sparse": False,
    }
    return tensortype(name, (), attributes)


FloatTensor = _named("FloatTensor", torch.float32)
DoubleTensor = _named("DoubleTensor", torch.float64)
HalfTensor = _named("HalfTensor", torch.float16)
BFloat16Tensor = _named("BFloat16Tensor", torch.bfloat16)
ByteTensor = _named("ByteTensor", torch.uint8)
CharTensor = _named("CharTensor", torch.int8)
ShortTensor = _named("ShortTensor", torch.int16)
IntTensor = _named("IntTensor", torch.int32)
LongTensor = _named("LongTensor", torch.int64)
BoolTensor = _named("BoolTensor", torch.bool)


def set_default_tensor_type(t: tensortype | str, /) -> None:
    """Set the default dtype by a legacy type; prefer `torch.set_default_dtype`.

    Args:
        t: A type such as torch.DoubleTensor, or its name.

    Raises:
        TypeError: If `t` is not a legacy floating type.

    Example:
        >>> torch.set_default_tensor_type("torch.DoubleTensor")
        >>> torch.tensor(0.5).dtype
        torch.float64
    """
    if isinstance(t, str):
        t = globals().get(t.removeprefix("torch."), t)
    if not isinstance(t, tensortype):
        raise TypeError(
            "invalid type object: only floating-point types are supported as the default type"
        )
    torch.set_default_dtype(t.dtype)

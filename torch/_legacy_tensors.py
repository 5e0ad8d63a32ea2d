"""torch.FloatTensor and its kin: names for a dtype on the CPU, older than torch.dtype."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch.storage import TypedStorage


class tensortype(type):
    """The class of these names. They have no instances of their own: tensors are torch.Tensor."""

    dtype: torch.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> torch.Tensor:
        """A tensor from data, or without values from sizes, as torch.Tensor() makes it."""
        if len(args) == 1 and isinstance(args[0], TypedStorage):
            args = (args[0].untyped(),)
        return _C._legacy_tensor(cls.dtype, args, kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, torch.Tensor) and instance.is_cpu and instance.dtype is cls.dtype
        )


tensortype.__module__ = "torch"


def _named(name: str, dtype: torch.dtype) -> tensortype:
    facts = {"dtype": dtype, "layout": torch.strided, "is_cuda": False, "is_sparse": False}
    return tensortype(name, (), {"__module__": "torch", **facts})


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
    """set_default_dtype by a name such as torch.DoubleTensor, or by that name's text."""
    if isinstance(t, str):
        t = globals().get(t.removeprefix("torch."), t)
    if not isinstance(t, tensortype):
        raise TypeError(
            "invalid type object: only floating-point types are supported as the default type"
        )
    torch.set_default_dtype(t.dtype)

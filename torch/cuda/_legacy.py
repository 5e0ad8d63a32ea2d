"""torch.cuda.FloatTensor, torch.cuda.FloatStorage and similar names, older than torch.dtype."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch._legacy_tensors import tensortype
from torch.cuda import _lazy
from torch.storage import TypedStorage

_DTYPES = {
    "BFloat16": torch.bfloat16,
    "Bool": torch.bool,
    "Byte": torch.uint8,
    "Char": torch.int8,
    "ComplexDouble": torch.complex128,
    "ComplexFloat": torch.complex64,
    "Double": torch.float64,
    "Float": torch.float32,
    "Half": torch.float16,
    "Int": torch.int32,
    "Long": torch.int64,
    "Short": torch.int16,
}


class cudatensortype(tensortype):
    """The metaclass of legacy types for tensors on CUDA devices."""

    def __call__(cls, *args: Any, **kwargs: Any) -> torch.Tensor:
        """Create a tensor from data, or from sizes (uninitialised), as torch.Tensor() does."""
        cls._check_available()
        return _C._legacy_tensor(cls.dtype, args, kwargs).cuda()

    def _check_available(cls) -> None:
        if not _lazy.is_compiled():
            raise TypeError(
                f"type {cls.__module__}.{cls.__name__} not available. Torch not compiled with "
                "CUDA enabled."
            )

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, torch.Tensor) and instance.is_cuda and instance.dtype is cls.dtype
        )


cudatensortype.__name__ = cudatensortype.__qualname__ = "tensortype"
cudatensortype.__module__ = "torch"


def tensor_type(module: str, name: str, dtype: torch.dtype) -> tensortype:
    attributes = {
        "__doc__": f"A legacy type: creates tensors of {dtype} on the current CUDA device.",
        "__module__": module,
        "dtype": dtype,
        "layout": torch.strided,
        "is_cuda": True,
        "is_sparse": False,
    }
    return cudatensortype(name, (), attributes)


def _storage_type(name: str, dtype: torch.dtype) -> type:
    def new(cls: type, size: int = 0) -> TypedStorage:
        _lazy.lazy_init()
        memory = torch.empty(size, dtype=dtype, device="cuda").untyped_storage()
        return TypedStorage(wrap_storage=memory, dtype=dtype, _internal=True)

    text = f"A legacy type: creates TypedStorages of {dtype} on the current CUDA device."
    return type(
        name, (), {"__doc__": text, "__module__": "torch.cuda", "__new__": new, "dtype": dtype}
    )


TENSORS = {
    f"{name}Tensor": tensor_type("torch.cuda", f"{name}Tensor", dtype)
    for name, dtype in _DTYPES.items()
    if not name.startswith("Complex")
}
STORAGES = {
    f"{name}Storage": _storage_type(f"{name}Storage", dtype) for name, dtype in _DTYPES.items()
}

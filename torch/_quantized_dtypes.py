"""The quantized dtypes. Tensors that have them are instances of a class of torch._quantized."""

from __future__ import annotations

from typing import NoReturn

from torch import _C

_STORED = {
    "qint8": _C.int8,
    "quint8": _C.uint8,
    "qint32": _C.int32,
    "quint4x2": _C.uint8,
    "quint2x4": _C.uint8,
}
NAMES = tuple(_STORED)


class QuantizedDtype:
    """A dtype of integers that stand for numbers: those of quint4x2 and quint2x4 share bytes."""

    is_complex = False
    is_floating_point = False

    def __init__(self, name: str, stored: _C.dtype) -> None:
        self._name = name
        self._stored = stored  # the dtype of the integers in memory, of which torch.iinfo tells
        self.itemsize = stored.itemsize
        self.__module__ = "torch"  # where pickles look for it

    @property
    def is_signed(self) -> NoReturn:
        """Raise an error, as PyTorch does."""
        raise RuntimeError("isSignedType not supported for quantized types")

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


qint8, quint8, qint32, quint4x2, quint2x4 = (
    QuantizedDtype(name, stored) for name, stored in _STORED.items()
)

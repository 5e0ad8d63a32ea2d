"""The quantized dtypes. Tensors that have them are instances of a class of torch._quantized."""

from __future__ import annotations

from typing import NoReturn

_SIZES = {
    "qint8": 1,
    "quint8": 1,
    "qint32": 4,
    "quint4x2": 1,
    "quint2x4": 1,
}
NAMES = tuple(_SIZES)


class QuantizedDtype:
    """A dtype of integers that stand for numbers: those of quint4x2 and quint2x4 share bytes."""

    is_complex = False
    is_floating_point = False

    def __init__(self, name: str, itemsize: int) -> None:
        self._name = name
        self.itemsize = itemsize
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
    QuantizedDtype(name, itemsize) for name, itemsize in _SIZES.items()
)

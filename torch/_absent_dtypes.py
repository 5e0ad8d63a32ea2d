"""The quantized dtypes, which this build does not have: programs can name and compare them."""

from __future__ import annotations

_NAMES = {
    "qint8": 1,
    "quint8": 1,
    "qint32": 4,
    "quint4x2": 1,
    "quint2x4": 1,
}
NAMES = tuple(_NAMES)


class AbsentDtype:
    """The name of a dtype that no tensor of this build has."""

    is_complex = False
    is_floating_point = False
    _absent = True

    def __init__(self, name: str, itemsize: int) -> None:
        self._name = name
        self.itemsize = itemsize

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


globals().update({name: AbsentDtype(name, itemsize) for name, itemsize in _NAMES.items()})

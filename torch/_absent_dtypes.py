"""Dtypes that this build does not have: programs can name and compare them, but no tensor has one."""

from __future__ import annotations

from types import SimpleNamespace

_NAMES = {
    "float8_e4m3fn": (1, True, True),
    "float8_e4m3fnuz": (1, True, True),
    "float8_e5m2": (1, True, True),
    "float8_e5m2fnuz": (1, True, True),
    "float8_e8m0fnu": (1, True, False),
    "float4_e2m1fn_x2": (1, True, True),
    "bits1x8": (1, False, False),
    "bits2x4": (1, False, False),
    "bits4x2": (1, False, False),
    "bits8": (1, False, False),
    "bits16": (2, False, False),
    **{f"int{bits}": (1, False, True) for bits in range(1, 8)},
    **{f"uint{bits}": (1, False, False) for bits in range(1, 8)},
    "qint8": (1, False, True),
    "quint8": (1, False, False),
    "qint32": (4, False, True),
    "quint4x2": (1, False, False),
    "quint2x4": (1, False, False),
}
NAMES = tuple(_NAMES)
# The distance from 1 to the next number, the largest number, and the smallest normal one.
_LIMITS = {
    "float8_e4m3fn": (0.125, 448.0, 2.0**-6),
    "float8_e4m3fnuz": (0.125, 240.0, 2.0**-7),
    "float8_e5m2": (0.25, 57344.0, 2.0**-14),
    "float8_e5m2fnuz": (0.125, 57344.0, 2.0**-15),
    "float8_e8m0fnu": (1.0, 2.0**127, 2.0**-127),
}


class AbsentDtype:
    """The name of a dtype that no tensor of this build has."""

    is_complex = False
    _absent = True

    def __init__(self, name: str, itemsize: int, is_floating_point: bool, is_signed: bool) -> None:
        self._name = name
        self.itemsize = itemsize
        self.is_floating_point = is_floating_point
        self.is_signed = is_signed
        if name in _LIMITS:
            eps, largest, smallest = _LIMITS[name]
            self._finfo = SimpleNamespace(
                bits=8 * itemsize,
                dtype=name,
                eps=eps,
                max=largest,
                min=-largest if is_signed else smallest,
                resolution=1.0,
                smallest_normal=smallest,
                tiny=smallest,
            )

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


globals().update({name: AbsentDtype(name, *facts) for name, facts in _NAMES.items()})

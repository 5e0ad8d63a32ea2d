"""Symbolic numbers, which this build does not make: their classes, and functions that take numbers.

The functions serve programs that also run where sizes may be symbols.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from torch._absent import absent_class

_WITHOUT = "this build has no symbolic numbers; sizes are integers"

SymInt = absent_class("torch", "SymInt", _WITHOUT)
SymFloat = absent_class("torch", "SymFloat", _WITHOUT)
SymBool = absent_class("torch", "SymBool", _WITHOUT)


def sym_int(a: float) -> int:
    """Round a number towards zero.

    Example:
        >>> torch.sym_int(3.7), torch.sym_int(-3.7)
        (3, -3)
    """
    return math.trunc(a)


def sym_float(a: float) -> float:
    """Convert a number to a float.

    Example:
        >>> torch.sym_float(3)
        3.0
    """
    return float(a)


def sym_not(a: bool) -> bool:
    """Return the opposite of a boolean.

    Example:
        >>> torch.sym_not(True)
        False
    """
    return not a


def sym_max(a: float, b: float) -> float:
    """Return the larger of two numbers, as a float if one of them is a float.

    Example:
        >>> torch.sym_max(3, 2), torch.sym_max(3, 2.0)
        (3, 3.0)
    """
    return _same_kind(max(a, b), a, b)


def sym_min(a: float, b: float) -> float:
    """Return the smaller of two numbers, as a float if one of them is a float.

    Example:
        >>> torch.sym_min(3, 2), torch.sym_min(3.0, 2)
        (2, 2.0)
    """
    return _same_kind(min(a, b), a, b)


def _same_kind(chosen: float, a: float, b: float) -> float:
    return float(chosen) if isinstance(a, float) or isinstance(b, float) else chosen


def sym_ite(b: bool, t: object, f: object) -> object:
    """Return the second argument if the first is true, else the third.

    Example:
        >>> torch.sym_ite(True, 1, 2)
        1
    """
    return t if b else f


def sym_sum(args: Iterable[float]) -> float:
    """Return the sum of numbers.

    Example:
        >>> torch.sym_sum([1, 2, 3])
        6
    """
    return sum(args)


def sym_sqrt(a: float) -> float:
    """Return the square root of a number.

    Example:
        >>> torch.sym_sqrt(4)
        2.0
    """
    return math.sqrt(a)

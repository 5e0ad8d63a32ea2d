"""Questions about sizes that may be symbols in PyTorch; here all sizes are numbers."""

from __future__ import annotations

from typing import Any

from torch._absent import absent_class as _absent_class

_WITHOUT = "sizes are integers in this build; there are no symbols"
ShapeEnv = _absent_class(__name__, "ShapeEnv", _WITHOUT)
DimDynamic = _absent_class(__name__, "DimDynamic", _WITHOUT)
SymNode = _absent_class(__name__, "SymNode", _WITHOUT)
StatelessSymbolicContext = _absent_class(__name__, "StatelessSymbolicContext", _WITHOUT)
StrictMinMaxConstraint = _absent_class(__name__, "StrictMinMaxConstraint", _WITHOUT)


class GuardOnDataDependentSymNode(RuntimeError):
    """The error of a branch on a symbol without a value."""


class ConstraintViolationError(RuntimeError):
    """The error of a size that breaks a constraint."""


def guard_or_false(a: Any) -> bool:
    """Return the truth of a condition.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import guard_or_false
        >>> guard_or_false(2 > 1)
        True
    """
    return bool(a)


guard_or_true = guard_size_oblivious = guard_bool = guard_or_false
statically_known_true = definitely_true = is_concrete_bool_true = guard_or_false


def definitely_false(a: Any) -> bool:
    """Return whether a condition is false.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.definitely_false(2 < 1)  # doctest: +SKIP
        True
    """
    return not a


statically_known_false = definitely_false


def sym_and(*conditions: Any) -> bool:
    """Return whether all conditions are true.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.sym_and(True, 1 < 2)  # doctest: +SKIP
        True
    """
    return all(conditions)


def sym_or(*conditions: Any) -> bool:
    """Return whether any condition is true.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.sym_or(False, 1 < 2)  # doctest: +SKIP
        True
    """
    return any(conditions)


def sym_eq(x: Any, y: Any) -> bool:
    """Return whether two numbers, or sequences of them, are equal.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.sym_eq((1, 2), (1, 2))  # doctest: +SKIP
        True
    """
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return list(x) == list(y)
    return bool(x == y)


def hint_int(a: Any, fallback: int | None = None) -> int:
    """Return a number as an integer.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.size_hint(3)  # doctest: +SKIP
        3
    """
    return int(a)


size_hint = guard_int = optimization_hint = hint_int


def guard_float(a: Any) -> float:
    """Return a number as a float.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.guard_float(3)  # doctest: +SKIP
        3.0
    """
    return float(a)


def is_concrete_int(a: Any) -> bool:
    """Return whether a value is an integer.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.is_concrete_int(3)  # doctest: +SKIP
        True
    """
    return isinstance(a, int)


def is_symbolic(value: Any) -> bool:
    """Return False, as no value is a symbol.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.is_symbolic(3)  # doctest: +SKIP
        False
    """
    return False


has_free_symbols = has_free_unbacked_symbols = has_symbolic_sizes_strides = is_symbolic


def free_symbols(value: Any) -> set[Any]:
    """Return the symbols in a value: none.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.free_symbols(3)  # doctest: +SKIP
        set()
    """
    return set()


free_unbacked_symbols = free_symbols


def constrain_range(a: Any, *, min: int | None, max: int | None = None) -> None:
    """Raise an error unless a number is in a range.

    Raises:
        ValueError: If it is not.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.constrain_range(3, min=0, max=5)  # doctest: +SKIP
    """
    if (min is not None and a < min) or (max is not None and a > max):
        raise ValueError(f"Invalid value {a} for range [{min}:{max}]")


def constrain_unify(a: Any, b: Any) -> None:
    """Raise an error unless two numbers are equal.

    Raises:
        AssertionError: If they are not.

    Example:
        >>> torch.fx.experimental.symbolic_shapes.constrain_unify(3, 3)  # doctest: +SKIP
    """
    if a != b:
        raise AssertionError(f"{a} != {b}")

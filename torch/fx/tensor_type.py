"""Types of tensors that tell their sizes, some of which may be unknown."""

from __future__ import annotations

from typing import Any

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


class TensorType:
    """The type of tensors with some sizes.

    Args:
        dim: The sizes: numbers, or `Dyn` for one that is unknown.

    Example:
        >>> from torch.fx.tensor_type import Dyn, TensorType
        >>> TensorType((2, 3)) == TensorType([2, 3]), TensorType((2, Dyn))
        (True, TensorType[(2, Dyn)])
    """

    __origin__: Any
    __args__: Any

    def __init__(self, dim: Any) -> None:
        self.__origin__ = TensorType
        self.__args__ = dim

    def __repr__(self) -> str:
        return f"TensorType[{self.__args__}]"

    def _expression(self) -> str:
        """Return the Python expression of the type, for generated code."""
        sizes = (d._expression() if isinstance(d, _DynType) else repr(d) for d in self.__args__)
        return f"torch.fx.tensor_type.TensorType(({', '.join(sizes)},))"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return False
        return list(self.__args__) == list(other.__args__)

    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    def __class_getitem__(*args: Any) -> TensorType:
        return TensorType(args[0] if len(args) == 1 and isinstance(args[0], tuple) else tuple(args))


class _DynType:
    """The type of a size or value of which nothing is known."""

    def __init__(self) -> None:
        self.__name__ = "_DynType"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    def __hash__(self) -> int:
        return hash(type(self))

    def _expression(self) -> str:
        return "torch.fx.tensor_type.Dyn"

    def __str__(self) -> str:
        return "Dyn"

    __repr__ = __str__


Dyn = _DynType()


def _pairwise(check: Any, t1: Any, t2: Any) -> bool:
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        return False
    return len(t1.__args__) == len(t2.__args__) and all(
        check(a, b) for a, b in zip(t1.__args__, t2.__args__, strict=True)
    )


def _is_variable(value: Any) -> bool:
    from torch.fx.experimental.unification import Var

    return isinstance(value, Var)


def is_consistent(t1: Any, t2: Any) -> bool:
    """Return whether a value can have both types.

    Example:
        >>> from torch.fx.tensor_type import Dyn, TensorType, is_consistent
        >>> is_consistent(TensorType((1, Dyn)), TensorType((1, 2)))
        True
    """
    if t1 in (t2, Dyn) or t2 == Dyn or _is_variable(t1) or _is_variable(t2):
        return True
    return _pairwise(is_consistent, t1, t2)


def is_more_precise(t1: Any, t2: Any) -> bool:
    """Return whether the first type tells all that the second does.

    Example:
        >>> from torch.fx.tensor_type import Dyn, TensorType, is_more_precise
        >>> is_more_precise(TensorType((1, 2)), TensorType((1, Dyn)))
        True
    """
    if t2 in (t1, Dyn) or _is_variable(t2):
        return True
    return _pairwise(is_more_precise, t1, t2)

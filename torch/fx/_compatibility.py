"""The decorator by which functions of graphs say whether their interface is stable."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def compatibility(is_backward_compatible: bool) -> Callable[[_T], _T]:
    """Return a decorator that notes in the docstring if an interface may change.

    Args:
        is_backward_compatible: Whether the interface stays as it is.

    Example:
        >>> from torch.fx._compatibility import compatibility
        >>> @compatibility(is_backward_compatible=True)
        ... def double(x):
        ...     return x * 2
        >>> double(2)
        4
    """

    def mark(function: _T) -> _T:
        if not is_backward_compatible:
            function.__doc__ = f"{function.__doc__ or ''}\n\n    This interface may change.\n"
        return function

    return mark

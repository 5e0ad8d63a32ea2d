"""Decorators for a compiler of TorchScript, which return functions unchanged."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final, Optional, Union

from torch.futures import Future

__all__ = [
    "Final",
    "Future",
    "Optional",
    "Union",
    "boolean_dispatch",
    "export",
    "ignore",
    "is_scripting",
    "unused",
]


class BroadcastingListCls:
    """Allow `BroadcastingList2[int]` in annotations."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()


def export(fn: Any) -> Any:
    """Return a method unchanged; PyTorch would compile it with its module.

    Example:
        >>> class Net(nn.Module):
        ...     @torch.jit.export
        ...     def features(self, x):
        ...         return x
    """
    return fn


def unused(fn: Any) -> Any:
    """Return a function or a property unchanged; PyTorch would not compile it.

    Example:
        >>> @torch.jit.unused
        ... def debug(x):
        ...     return x
    """
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Return a function unchanged; PyTorch would not compile it.

    Args:
        drop: The function, or whether compiled code drops calls of it.
        **kwargs: Accepted for compatibility.

    Example:
        >>> @torch.jit.ignore
        ... def debug(x):
        ...     return x
        >>> @torch.jit.ignore()
        ... def log(x):
        ...     return x
    """
    if callable(drop):
        return drop
    if drop:
        warnings.warn(
            "ignore(True) has been deprecated. TorchScript will now drop the function call on "
            "compilation. Use torch.jit.unused now. {}",
            category=FutureWarning,
            stacklevel=2,
        )
    return lambda fn: fn


def is_scripting() -> bool:
    """Return False, as functions run as Python code.

    Example:
        >>> torch.jit.is_scripting()
        False
    """
    return False


def _overload(func: Any) -> Any:
    return func


_overload_method = _overload


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str,
    func_name: str,
) -> Callable[..., Any]:
    """Return a function that calls one of two others, depending on a boolean argument."""

    def chosen(*args: Any, **kwargs: Any) -> Any:
        value = args[arg_index] if arg_index < len(args) else kwargs.get(arg_name, default)
        return (if_true if value else if_false)(*args, **kwargs)

    chosen.__module__, chosen.__name__ = module_name, func_name
    chosen.__doc__ = if_true.__doc__ or if_false.__doc__
    return chosen


def _copy_to_script_wrapper(fn: Any) -> Any:
    return fn

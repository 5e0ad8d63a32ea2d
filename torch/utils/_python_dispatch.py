"""Modes and subclasses of torch.Tensor that handle operators in `__torch_dispatch__`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import _C

__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "is_traceable_wrapper_subclass",
    "return_and_correct_aliasing",
    "transform_subclass",
]


class TorchDispatchMode:
    """A context manager inside which a method handles every operator, below autograd.

    A subclass overrides `__torch_dispatch__`. Inside it the mode is not active, so it may call the
    operator itself; of several modes, the innermost is asked first.

    Example:
        >>> from torch.utils._python_dispatch import TorchDispatchMode
        >>> class Names(TorchDispatchMode):
        ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        ...         print(func)
        ...         return func(*args, **(kwargs or {}))
        >>> x = torch.ones(2)
        >>> with Names():
        ...     y = x.exp()
        aten.exp.default
    """

    def __init__(self, _dispatch_key: Any = None):
        pass

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Handle an operator; subclasses override this."""
        raise NotImplementedError

    def __enter__(self) -> TorchDispatchMode:
        _C._push_on_torch_dispatch_stack(self)
        return self

    def __exit__(self, *error: object) -> None:
        _C._pop_torch_dispatch_stack()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchDispatchMode:
        """Create a mode; an old way to write `cls(...)`."""
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Return whether the mode belongs to PyTorch's own machinery."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that calls every operator unchanged."""

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the operator."""
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    count = _C._len_torch_dispatch_stack()
    return _C._get_dispatch_stack_at(count - 1) if count else None


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    return [_C._get_dispatch_stack_at(i) for i in range(_C._len_torch_dispatch_stack())]


def _push_mode(mode: TorchDispatchMode) -> None:
    _C._push_on_torch_dispatch_stack(mode)


def _pop_mode(k: Any = None) -> TorchDispatchMode:
    found: TorchDispatchMode = _C._pop_torch_dispatch_stack()
    return found


@contextlib.contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[TorchDispatchMode]:
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextlib.contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """Leave all modes for the length of a block."""
    modes = [_pop_mode() for _ in range(_C._len_torch_dispatch_stack())]
    try:
        yield modes
    finally:
        for mode in reversed(modes):
            _push_mode(mode)


def _detect_infra_mode(key: Any) -> None:
    """Return the active mode of PyTorch's own machinery, of which this build has none."""
    return


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Return whether a mode is active."""
    return bool(_C._len_torch_dispatch_stack())


# ---- subclasses that hold other tensors ---------------------------------------------------------


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Return whether an object is of a subclass that can be taken apart and rebuilt.

    Such a class has `__tensor_flatten__`, which returns the names of the tensors it holds and a
    context, and `__tensor_unflatten__`, which rebuilds it from those.
    """
    cls = type(t)
    is_subclass = isinstance(t, torch.Tensor) and cls is not torch.Tensor
    return (
        is_subclass and hasattr(cls, "__tensor_flatten__") and hasattr(cls, "__tensor_unflatten__")
    )


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Return whether a class can be taken apart; see `is_traceable_wrapper_subclass`."""
    return (
        issubclass(t, torch.Tensor)
        and t is not torch.Tensor
        and hasattr(t, "__tensor_flatten__")
        and hasattr(t, "__tensor_unflatten__")
    )


def transform_subclass(
    t: Any,
    callback: Callable[[str, torch.Tensor], torch.Tensor],
    outer_size=None,
    outer_stride=None,
) -> Any:
    """Rebuild a wrapper with each tensor it holds replaced by `callback(name, tensor)`."""
    outer_size = t.size() if outer_size is None else outer_size
    outer_stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    return type(t).__tensor_unflatten__(inner, context, outer_size, outer_stride)


def _alias_names(info: Any) -> set[str]:
    return set() if info is None else set(info.before_set)


def _is_write(info: Any) -> bool:
    return info is not None and info.is_write


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """Make the results of a `__torch_dispatch__` alias its arguments as the operator's schema says.

    A result that a view operator returned gets the storage of the argument that it views; the
    result of an operator that changes an argument in place is replaced by that argument.

    Args:
        func: The operator.
        args: Its arguments.
        kwargs: Its keyword arguments.
        out: The results, which are of the same subclass as the arguments.

    Returns:
        The results to return from `__torch_dispatch__`.
    """
    schema = func._schema
    values: dict[str, Any] = {}
    for argument, value in zip(schema.arguments, args, strict=False):
        values[argument.name] = value
    values.update(kwargs or {})
    results = list(out) if isinstance(out, (tuple, list)) else [out]
    returns = schema.returns
    lists = len(returns) == 1 and len(results) != 1
    for i, result in enumerate(results):
        info = returns[0 if lists else i].alias_info if returns else None
        if info is None:
            continue
        source = next(
            (
                values[argument.name]
                for argument in schema.arguments
                if argument.name in values
                and _alias_names(argument.alias_info) & _alias_names(info)
            ),
            None,
        )
        if source is None:
            continue
        if _is_write(info):
            results[i] = source
        elif isinstance(source, torch.Tensor) and isinstance(result, torch.Tensor):
            _share_storage(source, result)
    if isinstance(out, (tuple, list)):
        return type(out)(results)
    return results[0]


def _share_storage(source: torch.Tensor, result: torch.Tensor) -> None:
    if source is not result:
        _C._set_storage_of(result, source)


def _enable_thunkify() -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()

"""Nested levels of transforms, and the tensors that belong to them.

A level is one running transform: a `jvp` or a `vmap`. Its tensors wrap tensors of the levels
outside it, so each operator is handled by the innermost level among its arguments, whose rule then
calls operators on what the wrappers hold. Those calls start from the top of the dispatcher again:
the levels outside and autograd see them like any other call. Autograd outside a level therefore
records the wrapped tensors, and autograd started inside it records the wrappers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import _C

Tensor = torch.Tensor
_reentrant = _C._DefaultDispatchKeys


class Level:
    """A running transform; `depth` orders nested ones."""

    is_transform = True
    """Whether a function of torch.func runs, and not a level of torch.autograd.forward_ad."""

    has_tangents = False
    """Whether the level is one of forward-mode differentiation."""

    def __init__(self) -> None:
        self.depth = len(_running.levels)
        self.alive = True

    def lift(self, tensor: Tensor) -> Tensor:
        """Wrap a tensor that does not depend on the level."""
        raise NotImplementedError

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call an operator whose arguments belong to this level or to levels outside it."""
        raise NotImplementedError


class _Running(threading.local):
    def __init__(self) -> None:
        self.levels: list[Level] = []
        self.keeps_tangents = False


_running = _Running()


def keeps_tangents() -> bool:
    """Return whether detach() is called by without_graph()."""
    return _running.keeps_tangents


def without_graph(tensor: Tensor) -> Tensor:
    """Detach a tensor from its graph, but keep the tangents of outer levels."""
    _running.keeps_tangents = True
    try:
        return tensor.detach()
    finally:
        _running.keeps_tangents = False


class LevelTensor(Tensor):
    """A tensor that belongs to a level."""

    _level: Level
    _handles_calls_first = True
    """Whether the dispatcher asks this class before other subclasses of Tensor."""

    __torch_function__ = _C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Have the innermost level among the arguments handle the operator."""
        kwargs = kwargs or {}
        innermost: Level | None = None
        for tensor in tensors_in((*args, *kwargs.values())):
            if isinstance(tensor, LevelTensor) and (
                innermost is None or tensor._level.depth > innermost.depth
            ):
                innermost = tensor._level
        assert innermost is not None
        with _reentrant():
            if innermost.alive:
                return innermost.call(func, args, kwargs)
            return func(*ended(args, innermost), **ended(kwargs, innermost))

    def _inner(self) -> Tensor:
        """Return the wrapped tensor, for callers that only need its values."""
        raise NotImplementedError


def ended(value: Any, level: Level) -> Any:
    """Replace the tensors of a level that has ended by what they wrap."""
    return map_tensors(
        lambda t: t._inner() if isinstance(t, LevelTensor) and t._level is level else t, value
    )


def tensors_in(values: Any) -> Iterator[Tensor]:
    """Yield the tensors among an operator's arguments, which may be in lists."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


def map_tensors(function: Callable[[Tensor], Any], value: Any) -> Any:
    """Apply a function to the tensors in an argument or result, which may be in containers."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        items = [map_tensors(function, item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: map_tensors(function, item) for key, item in value.items()}
    return value


def wrapper_of(cls: type[Tensor], like: Tensor, sizes: Any, strides: Any) -> Any:
    """Create a wrapper with the dtype and device of a tensor, and what is pending for it."""
    wrapper = Tensor._make_wrapper_subclass(
        cls,
        sizes,
        strides=strides,
        storage_offset=like.storage_offset(),
        dtype=like.dtype,
        device=like.device,
    )
    if like.is_conj():
        _C._set_conj(wrapper, True)
    if like.is_neg():
        _C._set_neg(wrapper, True)
    return wrapper


def innermost_level() -> Level | None:
    """Return the innermost running level."""
    return _running.levels[-1] if _running.levels else None


def running_levels() -> list[Level]:
    """Return the running levels, the outermost first."""
    return _running.levels


def push(level: Level) -> None:
    """Start a level."""
    _running.levels.append(level)


def pop(level: Level) -> None:
    """End a level and the levels inside it."""
    while _running.levels:
        last = _running.levels.pop()
        last.alive = False
        if last is level:
            return


@contextmanager
def running(level: Level) -> Iterator[None]:
    """Run a level for the length of a block."""
    push(level)
    try:
        yield
    finally:
        pop(level)


def lifted(tensor: Tensor) -> Tensor:
    """Wrap a tensor at the innermost level, so that graphs started there are its own."""
    level = innermost_level()
    if level is None or (isinstance(tensor, LevelTensor) and tensor._level is level):
        return tensor
    return level.lift(tensor)

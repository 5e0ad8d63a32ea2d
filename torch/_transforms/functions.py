"""autograd.Function inside transforms: its own `jvp` and `vmap`, or a rule made from its passes."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._transforms.batch_calls import VmapInfo, placed
from torch._transforms.batched import VmapLevel
from torch._transforms.dual import DualLevel
from torch._transforms.levels import Level, LevelTensor, map_tensors, tensors_in

Tensor = torch.Tensor
Function = torch.autograd.Function
_recorded: Any = Tensor.requires_grad  # of a wrapper itself, not of what it holds


class _Context:
    """The `ctx` of a Function's methods, outside a graph."""

    def __init__(self, needs: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs
        self.forward = False
        self._for_backward: tuple[Any, ...] = ()
        self._for_forward: tuple[Any, ...] | None = None
        self.dirty: tuple[Any, ...] = ()
        self.constant: tuple[Any, ...] = ()

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors saved for the pass that runs: `jvp` if `forward` is set, or `backward`."""
        chosen = self._for_forward if self.forward else None
        return self._for_backward if chosen is None else chosen

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for `backward`, and for `jvp` unless others are saved for it."""
        self._for_backward = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`."""
        self._for_forward = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Declare inputs that `forward` has changed in place."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Declare outputs without derivatives."""
        self.constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Accept the declaration, which nothing here needs."""


def innermost(args: tuple[Any, ...]) -> Level | None:
    """Return the innermost level among the arguments."""
    levels = [t._level for t in tensors_in(args) if isinstance(t, LevelTensor) and t._level.alive]
    return max(levels, key=lambda level: level.depth) if levels else None


def apply(cls: Any, level: Level, args: tuple[Any, ...]) -> Any:
    """Call a Function on arguments of a level."""
    if isinstance(level, DualLevel):
        return _apply_dual(cls, level, args)
    assert isinstance(level, VmapLevel)
    return _apply_batched(cls, level, args)


def _context(cls: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Run the forward pass outside a graph; return its context and its result."""
    context = _Context(tuple(isinstance(a, Tensor) and a.requires_grad for a in args))
    with torch.no_grad():
        if not cls._has_setup_context:
            return context, cls.forward(context, *args)
        result = cls.forward(*args)
        cls.setup_context(context, args, result)
    return context, result


def _apply_dual(cls: Any, level: DualLevel, args: tuple[Any, ...]) -> Any:
    pairs = [level.split(value) for value in args]
    primals, tangents = tuple(p for p, _ in pairs), [t for _, t in pairs]
    if all(t is None for t in tangents):
        result = cls.apply(*primals)
        return _join(level, result, None)
    if cls.jvp is Function.jvp:
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )
    context, plain = _context(cls, primals)
    tracked = any(t.requires_grad for t in tensors_in(primals)) and torch.is_grad_enabled()
    result = cls.apply(*primals) if tracked or innermost(primals) else plain
    given = [
        torch.zeros_like(p) if t is None and isinstance(p, Tensor) and p.is_floating_point() else t
        for p, t in zip(primals, tangents, strict=True)
    ]
    context.forward = True
    found = cls.jvp(context, *given)
    from torch._transforms.function_checks import check_tangents

    check_tangents(context, (primals, given), plain, found)
    dirty = {id(p): arg for p, arg in zip(primals, args, strict=True) if _is_in(p, context.dirty)}
    if isinstance(result, Tensor):
        return dirty[id(plain)] if id(plain) in dirty else _join(level, result, found)
    joined = [
        dirty[id(p)] if id(p) in dirty else level.join(r, t)
        for p, r, t in zip(plain, result, found, strict=True)
    ]
    return joined if isinstance(result, list) else tuple(joined)


def _is_in(value: Any, tensors: tuple[Any, ...]) -> bool:
    return any(value is each for each in tensors)


def _join(level: DualLevel, result: Any, tangents: Any) -> Any:
    if isinstance(result, Tensor):
        return level.join(result, tangents)
    return level.join(tuple(result), tangents)


_DETAILS = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def _apply_batched(cls: Any, level: VmapLevel, args: tuple[Any, ...]) -> Any:
    if cls.generate_vmap_rule:
        if cls.vmap is not Function.vmap:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True "
                "and an overridden vmap staticmethod. Please set generate_vmap_rule=False or delete "
                f"the overridden vmap staticmethod to avoid ambiguity. {_DETAILS}"
            )
        places = [i for i, a in enumerate(args) if level.owns(a)]
        result = _passes(cls, level, args, places).apply(*(args[i]._value for i in places))
        return level.wrap(result)
    if cls.vmap is Function.vmap:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please "
            f"override and implement the vmap staticmethod or set generate_vmap_rule=True. {_DETAILS}"
        )
    dims = tuple(
        map_tensors(lambda t: 0 if level.owns(t) else None, a)
        if isinstance(a, (Tensor, list, tuple, dict))
        else None
        for a in args
    )
    values = tuple(level.unwrapped(a) for a in args)
    found = cls.vmap(VmapInfo(level.size, level.randomness), dims, *values)
    if not isinstance(found, tuple) or len(found) != 2:
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
            f"structure compatible with the output. Got a {type(found)} instead"
        )
    result, out_dims = found
    return placed(level, result, out_dims)


@contextmanager
def _revived(level: VmapLevel) -> Iterator[None]:
    """Let operators use a level's tensors after it has ended, as backward passes do."""
    alive, level.alive = level.alive, True
    try:
        yield
    finally:
        level.alive = alive


def _passes(cls: Any, level: VmapLevel, args: tuple[Any, ...], places: list[int]) -> Any:
    """Make a Function whose passes are another's on batched tensors.

    Its graph connects what the batched tensors hold, as that of an operator would.
    """

    class Passes(Function):
        @staticmethod
        def forward(ctx: Any, *values: Tensor) -> Any:
            given = list(args)
            for i, value in zip(places, values, strict=True):
                given[i] = level.wrap(value)
            ctx.inner, result = _context(cls, tuple(given))
            single = isinstance(result, Tensor)
            found = [level.batched(r).clone() for r in ((result,) if single else result)]
            return found[0] if single else tuple(found)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            given = [None if g is None else level.wrap(g) for g in grads]
            with _revived(level):
                found = cls.backward(ctx.inner, *given)
                found = found if isinstance(found, tuple) else (found,)
                return tuple(None if found[i] is None else level.batched(found[i]) for i in places)

    def jvp(ctx: Any, *tangents: Any) -> Any:
        given: list[Any] = [None] * len(args)
        for i, tangent in zip(places, tangents, strict=True):
            given[i] = None if tangent is None else level.wrap(tangent)
        ctx.inner.forward = True
        with _revived(level):
            found = cls.jvp(ctx.inner, *given)
            several = isinstance(found, tuple)
            whole = [
                None if t is None else level.batched(t) for t in (found if several else [found])
            ]
        return tuple(whole) if several else whole[0]

    if cls.jvp is not Function.jvp:
        Passes.jvp = staticmethod(jvp)  # type: ignore[method-assign]
    Passes.__name__ = cls.__name__
    return Passes


def _mapped_first(cls: Any) -> Any:
    """Return the Function that records another one in a graph and computes it with its `vmap`."""
    if "_mapped_first" not in cls.__dict__:

        class MappedFirst(Function):
            @staticmethod
            def forward(*args: Any) -> Any:
                return cls.apply(*args)

            setup_context = staticmethod(cls.setup_context)
            backward = staticmethod(cls.backward)
            jvp = staticmethod(cls.jvp)

        MappedFirst.__name__ = cls.__name__
        cls._mapped_first = MappedFirst
    return cls.__dict__["_mapped_first"]


def _apply_in_transforms(cls: Any, *args: Any, **kwargs: Any) -> Any:
    given = (*args, *kwargs.values())
    level = innermost(given)
    # Graphs of the level's own tensors are inside it, so they come first.
    recorded = torch.is_grad_enabled() and any(
        isinstance(t, LevelTensor) and t._level is level and _recorded.__get__(t)
        for t in tensors_in(given)
    )
    own = cls.__module__.startswith("torch.")
    if level is None or recorded:
        own = own or cls.generate_vmap_rule or not cls._has_setup_context
        if isinstance(level, VmapLevel) and not own:
            values = cls._bind_arguments(*args, **kwargs)
            return _mapped_first(cls)._apply_untransformed(*values)
        return cls._apply_untransformed(*args, **kwargs)
    old = not cls._has_setup_context and not own
    if old and level.is_transform:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, "
            f"jacrev, ...), it must override the setup_context staticmethod. {_DETAILS}"
        )
    return apply(cls, level, cls._bind_arguments(*args, **kwargs))


@functools.cache
def install() -> None:
    """Have every Function look for transforms from now on."""
    Function._set_transformed_apply(_apply_in_transforms)

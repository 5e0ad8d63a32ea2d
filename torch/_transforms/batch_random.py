"""Random operators inside vmap: an error, other numbers for each element, or the same for all."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import _C
from torch._transforms import levels
from torch._transforms.batch_calls import aligned, require_batched_self
from torch._transforms.batch_shapes import in_format
from torch._transforms.batched import Rule, VmapLevel

Tensor = torch.Tensor

_ERROR = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
    "'different' randomness flags on vmap or perform the randomness operation out of vmap"
)

_SAME = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an "
    "issue with functorch"
)
_DIFFERENT_IN_PLACE = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like "
    "same randomness. If this is necessary for your usage, please file an issue with functorch."
)


def _check(level: VmapLevel) -> bool:
    """Return whether all elements get the same numbers."""
    if level.randomness == "error":
        raise RuntimeError(_ERROR)
    return level.randomness == "same"


def like(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call rand_like and others, whose result depends on the shape only."""
    if _check(level):
        return level.lift(func(level.unwrapped(args[0])[0], *args[1:], **kwargs))
    return in_format(level, func, args, kwargs)


def drawn(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw from distributions that the tensor gives: bernoulli, multinomial, ...."""
    if _check(level):
        raise RuntimeError(_SAME)
    return level.wrap(func(*aligned(level, args), **kwargs))


def multinomial(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw from rows of probabilities, which the operator takes as a matrix."""
    if _check(level):
        raise RuntimeError(_SAME)
    weights = level.batched(args[0])
    found = func(weights.flatten(0, -2), *args[1:], **kwargs)
    return level.wrap(found.reshape(*weights.shape[:-1], found.shape[-1]))


def in_place(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Overwrite a tensor with random numbers: normal_, uniform_, ...."""
    same = _check(level)
    if same and any(level.owns(a) for a in args[1:]):
        raise RuntimeError(_SAME)
    require_batched_self(level, func, args, f"inplace {func.overloadpacket.__name__[:-1]}")
    value = level.unwrapped(args[0])
    if same:
        value.copy_(func(value[0].clone(), *level.unwrapped(args[1:]), **kwargs))
    else:
        func(value, *level.unwrapped(args[1:]), **kwargs)
    return args[0]


def dropout(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result and the mask of native_dropout(input, p, train)."""
    p, train = args[1], args[2]
    value = level.unwrapped(args[0])
    if train is False or p == 0:
        return level.wrap(func(value, p, train))
    if not _check(level):
        return level.wrap(func(value, p, train))
    mask = func(torch.ones_like(value[0]), p, train)[1]
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return level.wrap((value * mask * scale, mask.expand_as(value)))


def _each(rule: Rule, names: str) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


RULES: dict[str, Rule] = {
    **_each(like, "rand_like randn_like randint_like randint_like.low_dtype bernoulli.p"),
    **_each(drawn, "bernoulli poisson _standard_gamma _sample_dirichlet binomial"),
    "multinomial": multinomial,
    **_each(
        in_place,
        """normal_ uniform_ random_ exponential_ cauchy_ geometric_ log_normal_ bernoulli_.float
        bernoulli_.Tensor""",
    ),
    "native_dropout": dropout,
}
"""Rules by operator; a name without overload stands for all overloads that have no own row."""


# ---- factories, which have no batched argument --------------------------------------------------

_SIZE_PLACES = {
    "rand": 0,
    "randn": 0,
    "randint": 1,
    "randint.low": 2,
    "randperm": None,
    "rand.generator": 0,
    "randn.generator": 0,
    "randint.generator": 1,
    "randint.low_generator": 2,
    "randperm.generator": None,
}


def _factory(func: Any, place: int | None, *args: Any, **kwargs: Any) -> Any:
    def draw(level: VmapLevel) -> Any:
        if _check(level):
            return func(*args, **kwargs)
        if place is None:
            return level.wrap(torch.stack([func(*args, **kwargs) for _ in range(level.size)]))
        size = [level.size, *args[place]]
        return level.wrap(func(*args[:place], size, *args[place + 1 :], **kwargs))

    return _drawn_at(draw, func, args, kwargs)


def _unbatched_drawn(func_name: str, func: Any, *args: Any, **kwargs: Any) -> Any:
    """Draw from a distribution that tensors give, which may be the same for all elements."""

    def draw(level: VmapLevel) -> Any:
        if any(level.owns(a) for a in args):
            with _C._ExcludeVmapMode():
                return func(*args, **kwargs)
        if _check(level):
            return func(*args, **kwargs)
        whole = tuple(level.lift(a) if isinstance(a, Tensor) else a for a in args)
        return RULES[func_name](level, func, whole, kwargs)

    return _drawn_at(draw, func, args, kwargs)


def _unbatched_in_place(_: str, func: Any, *args: Any, **kwargs: Any) -> Any:
    """Overwrite a tensor, which may be the same for all elements."""

    def draw(level: VmapLevel) -> Any:
        if any(level.owns(a) for a in args):
            with _C._ExcludeVmapMode():
                return func(*args, **kwargs)
        if not _check(level):
            raise RuntimeError(_DIFFERENT_IN_PLACE)
        return func(*args, **kwargs)

    return _drawn_at(draw, func, args, kwargs)


def _unbatched_dropout(func: Any, input: Tensor, p: float, train: bool) -> Any:
    """Drop elements of a tensor, which may be the same for all elements of the vmap."""

    def draw(level: VmapLevel) -> Any:
        if not level.owns(input) and (not train or p == 0 or _check(level)):
            return func(input, p, train)
        with _C._ExcludeVmapMode():
            return func(input if level.owns(input) else level.lift(input), p, train)

    return _drawn_at(draw, func, (input, p, train), {})


def _feature_dropout(func: Any, input: Tensor, p: float, train: bool) -> Any:
    """Drop whole channels of (N, C, ...); the numbers are those of the first two dimensions."""

    def draw(level: VmapLevel) -> Any:
        if not train or p == 0:
            return level.wrap(func(level.batched(input), p, train))
        same = _check(level)
        if same and not level.owns(input):
            return func(input, p, train)
        if input.dim() < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        value = level.batched(input)
        if same:
            return level.wrap(func(value.movedim(0, -1), p, train).movedim(-1, 0))
        dropped = func(value.flatten(0, 1), p, train)
        return level.wrap(dropped.unflatten(0, value.shape[:2]))

    return _drawn_at(draw, func, (input, p, train), {})


def _drawn_at(draw: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw at the innermost level, which is left meanwhile; rules are called outside of vmap."""
    level = levels.innermost_level()
    if level is None:
        with _C._ExcludeVmapMode():
            return func(*args, **kwargs)
    running = levels._running.levels
    running.pop()
    try:
        if isinstance(level, VmapLevel) and not level.calling:
            return draw(level)
        return func(*args, **kwargs)
    finally:
        running.append(level)


@functools.cache
def register_factories() -> Any:
    """Register the factories' kernels for calls inside vmap; return what keeps them alive."""
    library = torch.library.Library("aten", "IMPL")
    for name, place in _SIZE_PLACES.items():
        packet, _, overload = name.partition(".")
        func = getattr(getattr(torch.ops.aten, packet), overload or "default")
        library.impl(name, functools.partial(_factory, func, place), "FuncTorchVmapMode")
    for name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"):
        func = getattr(torch.ops.aten, name).default
        drop = _feature_dropout if name.startswith("feature") else _unbatched_dropout
        library.impl(name, functools.partial(drop, func), "FuncTorchVmapMode")
    kernels = dict.fromkeys((like, drawn, multinomial, dropout), _unbatched_drawn)
    kernels[in_place] = _unbatched_in_place
    for rule, kernel in kernels.items():
        for name in (name for name, own in RULES.items() if own is rule):
            packet, _, overload = name.partition(".")
            func = getattr(getattr(torch.ops.aten, packet), overload or "default")
            library.impl(name, functools.partial(kernel, name, func), "FuncTorchVmapMode")
    return library

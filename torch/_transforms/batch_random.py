"""Random operators inside vmap: an error, other numbers for each element, or the same for all."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import _C
from torch._transforms import levels
from torch._transforms.batch_calls import require_batched_self
from torch._transforms.batched import Rule, VmapLevel

Tensor = torch.Tensor

_ERROR = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
    "'different' randomness flags on vmap or perform the randomness operation out of vmap"
)


def _check(level: VmapLevel) -> bool:
    """Return whether all elements get the same numbers."""
    if level.randomness == "error":
        raise RuntimeError(_ERROR)
    return level.randomness == "same"


def like(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call rand_like and others, whose result depends on the shape only."""
    value = level.unwrapped(args[0])
    if _check(level):
        return level.lift(func(value[0], *args[1:], **kwargs))
    return level.wrap(func(value, *args[1:], **kwargs))


def drawn(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw from distributions that the tensor gives: bernoulli, multinomial, ...."""
    value = level.unwrapped(args[0])
    if not _check(level):
        return level.wrap(func(value, *level.unwrapped(args[1:]), **kwargs))
    state = torch.get_rng_state()
    results = []
    for element in value.unbind(0):
        torch.set_rng_state(state)
        results.append(func(element, *args[1:], **kwargs))
    return level.wrap(torch.stack(results))


def in_place(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Overwrite a tensor with random numbers: normal_, uniform_, ...."""
    require_batched_self(level, func, args)
    value = level.unwrapped(args[0])
    if _check(level):
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
    **_each(like, "rand_like randn_like randint_like bernoulli.p"),
    **_each(drawn, "bernoulli multinomial poisson _standard_gamma _sample_dirichlet binomial"),
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
}


def _factory(func: Any, place: int | None, *args: Any, **kwargs: Any) -> Any:
    level = levels.innermost_level()
    running = levels._running.levels
    if level is None:
        with _C._ExcludeVmapMode():
            return func(*args, **kwargs)
    running.pop()
    try:
        if not isinstance(level, VmapLevel):
            return func(*args, **kwargs)
        if _check(level):
            return func(*args, **kwargs)
        if place is None:
            result = torch.stack([func(*args, **kwargs) for _ in range(level.size)])
        else:
            size = [level.size, *args[place]]
            result = func(*args[:place], size, *args[place + 1 :], **kwargs)
    finally:
        running.append(level)
    return level.wrap(result)


@functools.cache
def register_factories() -> Any:
    """Register the factories' kernels for calls inside vmap; return what keeps them alive."""
    library = torch.library.Library("aten", "IMPL")
    for name, place in _SIZE_PLACES.items():
        packet, _, overload = name.partition(".")
        func = getattr(getattr(torch.ops.aten, packet), overload or "default")
        library.impl(name, functools.partial(_factory, func, place), "FuncTorchVmapMode")
    return library

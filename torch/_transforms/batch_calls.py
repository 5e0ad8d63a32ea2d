"""Ways to call an operator for all elements of a vmap, from which the batching rules are made.

An operator without a rule is called for each element, and a warning says so.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import torch
from torch._transforms.batched import Rule, VmapLevel
from torch._transforms.levels import map_tensors, tensors_in

Tensor = torch.Tensor


class VmapInfo(NamedTuple):
    """Information about the vmap, for a custom rule.

    Attributes:
        batch_size: The number of elements.
        randomness: What random operators do.
    """

    batch_size: int
    randomness: str


def placed(level: VmapLevel, result: Any, dims: Any) -> Any:
    """Wrap results whose mapped dimensions are given; None marks results without one."""
    if isinstance(result, (list, tuple)):
        each = dims if isinstance(dims, (list, tuple)) else [dims] * len(result)
        return tuple(placed(level, r, d) for r, d in zip(result, each, strict=True))
    if not isinstance(result, Tensor):
        return result
    if dims is None:
        return level.lift(result)
    return level.wrap(result.movedim(dims, 0) if dims else result)


def require_batched_self(
    level: VmapLevel, func: Any, args: tuple[Any, ...], name: str | None = None
) -> None:
    """Raise an error if an in-place operator would write different values to one element."""
    if not level.owns(args[0]):
        name = name or func.overloadpacket.__name__
        raise RuntimeError(
            f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor "
            "`other` in extra_args that has more elements than `self`. This happened due to "
            "`other` being vmapped over but `self` not being vmapped over in a vmap. Please try to "
            f"use out-of-place operators instead of {name}. If said operator is being called "
            "inside the PyTorch framework, please file a bug report instead."
        )


# ---- point-wise operators -----------------------------------------------------------------------


def aligned(level: VmapLevel, values: Any) -> Any:
    """Return what the level's tensors hold, with ones inserted so that the elements broadcast."""
    tensors = list(tensors_in(values))
    rank = max(t.dim() for t in tensors)
    dtypes = {t.dtype for t in tensors}
    promoted = _promoted(level, tensors) if len(dtypes) > 1 else None

    def align(t: Tensor) -> Tensor:
        value: Tensor = t._value if level.owns(t) else t  # type: ignore[attr-defined]
        if promoted is not None and not t.dim() and t.dtype not in (promoted, torch.bool):
            value = value.to(promoted)
        if level.owns(t) and 0 < value.dim() <= rank:
            value = value.reshape(level.size, *[1] * (rank - t.dim()), *t.shape)
        return value

    return map_tensors(align, values)


def _promoted(level: VmapLevel, tensors: list[Tensor]) -> torch.dtype:
    """Return the dtype of a result; tensors without dimensions count less, as in each element.

    Python's numbers count least. They come as tensors that are not the level's, so these are last.
    """
    dtype: torch.dtype | None = None
    rank = 0
    for t in sorted(tensors, key=lambda t: (-t.dim(), not level.owns(t))):
        sample = torch.empty((1,) * min(t.dim(), 1), dtype=t.dtype, device="meta")
        operand = sample if level.owns(t) or t.dim() else t
        if dtype is None:
            dtype, rank = t.dtype, operand.dim()
        else:
            found = torch.empty((1,) * rank, dtype=dtype, device="meta")
            dtype = torch.result_type(found, operand)
    assert dtype is not None
    return dtype


def point_wise(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the operator once, on tensors that broadcast as the elements do."""
    if func._schema.is_mutable:
        require_batched_self(level, func, args, "inplace arithmetic")
        func(*aligned(level, args), **level.unwrapped(kwargs))
        return args[0]
    both = aligned(level, (args, kwargs))
    return level.wrap(func(*both[0], **both[1]))


def masked_fill(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Fill by a mask; the value may be another for each element."""
    if not level.owns(args[2]):
        return point_wise(level, func, args, kwargs)
    x, mask, value = aligned(level, args)
    filled = torch.where(mask, value.to(x.dtype), x)
    if not func._schema.is_mutable:
        return level.wrap(filled)
    require_batched_self(level, func, args, "inplace arithmetic")
    args[0].copy_(level.wrap(filled))
    return args[0]


# ---- operators without a rule -------------------------------------------------------------------

_warned: set[str] = set()


def loop(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the operator for each element."""
    name = func.name()
    if name not in _warned:
        _warned.add(name)
        warnings.warn(
            "There is a performance drop because we have not yet implemented the batching rule for "
            f"{name}. Please file us an issue on GitHub so that we can prioritize its implementation.",
            UserWarning,
            stacklevel=3,
        )
    if func._schema.is_mutable:
        require_batched_self(level, func, args)
    if level.size == 0:
        raise RuntimeError(
            f"The fallback path does not support vmap over dims of size 0; {name} has no batching "
            "rule"
        )
    results = []
    for i in range(level.size):
        each = map_tensors(lambda t, i=i: t._value[i] if level.owns(t) else t, (args, kwargs))
        results.append(func(*each[0], **each[1]))
    if func._schema.is_mutable:
        return args[0]
    return level.wrap(_stacked(results))


def _stacked(results: list[Any]) -> Any:
    if isinstance(results[0], Tensor):
        return torch.stack(results)
    if isinstance(results[0], (list, tuple)):
        return type(results[0])(_stacked(list(each)) for each in zip(*results, strict=True))
    return results[0]


def by_decomposition(function: Any) -> Rule:
    """Make a rule that calls a function of batched tensors, composed of other operators."""

    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = function(*level.fresh(args), **level.fresh(kwargs))
        return map_tensors(
            lambda t: level.wrap(t._value) if level.owns(t) else level.lift(t), result
        )

    return rule

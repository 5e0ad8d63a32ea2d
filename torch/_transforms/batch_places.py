"""Batching rules of operators that read or write elements at indices."""

from __future__ import annotations

from typing import Any

import torch
from torch._composites import wrapped_axis
from torch._transforms.batch_calls import loop, masked_fill, require_batched_self
from torch._transforms.batched import Rule, VmapLevel
from torch._transforms.levels import map_tensors

Tensor = torch.Tensor


def _dim(dim: int, rank: int) -> int:
    return wrapped_axis(dim, rank) + 1


def at_indices(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Gather and scatter: all tensors get the mapped dimension."""
    first, rank = args[0], args[0].dim()
    given = [level.batched(a) if isinstance(a, Tensor) else a for a in args]
    given[1] = _dim(args[1], rank)
    if func._schema.is_mutable:
        require_batched_self(level, func, args)
    if rank == 1 or rank == 0:
        # Tensors without dimensions have one element along the only dimension.
        given = [
            a.reshape(level.size, -1) if isinstance(a, Tensor) and a.dim() == 1 else a
            for a in given
        ]
    result = func(*given, **kwargs)
    if func._schema.is_mutable:
        return first
    if rank == 0 or (func.name() == "aten::gather" and args[2].dim() == 0):
        shape = args[2].shape if func.name() == "aten::gather" else ()
        result = result.reshape(level.size, *shape)
    return level.wrap(result)


def index_select(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Select slices; with an index for each element, gather them."""
    x, dim, index = args
    rank = x.dim()
    value = level.batched(x)
    if rank == 0:
        return level.wrap(value.unsqueeze(1).expand(level.size, max(index.numel(), 1)).squeeze(1))
    dim = _dim(dim, rank)
    if not level.owns(index):
        return level.wrap(func(value, dim, index))
    places = level.unwrapped(index).reshape(level.size, -1)
    wide = places.reshape(level.size, *[1] * (dim - 1), -1, *[1] * (rank - dim))
    shape = [*value.shape]
    shape[dim] = places.size(1)
    return level.wrap(value.gather(dim, wide.expand(shape)))


def index_write(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """index_add, index_copy and index_reduce with one index for all elements."""
    x, dim, index, source, *rest = args
    if x.dim() == 0 or (level.owns(index) and func.name().startswith("aten::index_reduce")):
        return loop(level, func, args, kwargs)
    if level.owns(index):
        return _scattered(level, func, args, kwargs)
    if func._schema.is_mutable:
        require_batched_self(level, func, args)
    result = func(
        level.batched(x),
        _dim(dim, x.dim()),
        index,
        level.batched(source).contiguous(),
        *rest,
        **kwargs,
    )
    return x if func._schema.is_mutable else level.wrap(result)


def _scattered(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """index_add and index_copy with an index for each element: scatter slices."""
    x, _, index, source = args[:4]
    dim = _dim(args[1], x.dim())
    values = level.batched(source).reshape(level.size, *source.shape or (1,))
    wide = level.batched(index).reshape(level.size, *[1] * (dim - 1), -1, *[1] * (x.dim() - dim))
    wide = wide.expand(values.shape)
    alpha = kwargs.get("alpha", args[4] if len(args) > 4 else 1)
    name = "scatter_add" if func.name().startswith("aten::index_add") else "scatter"
    if func._schema.is_mutable:
        require_batched_self(level, func, args)
        name += "_"
    values = values if alpha == 1 else values * alpha
    result = getattr(level.batched(x), name)(dim, wide, values)
    return x if func._schema.is_mutable else level.wrap(result)


# ---- indexing by tensors ------------------------------------------------------------------------


def _positions(level: VmapLevel, indices: Any) -> list[Any]:
    """Return the indices; a mask becomes the positions where it is true."""
    found: list[Any] = []
    for index in indices:
        if index is not None and index.dtype in (torch.bool, torch.uint8):
            if level.owns(index):
                raise RuntimeError(
                    "vmap: We do not support batching operators that can support dynamic shape. "
                    "Attempting to batch over indexing with a boolean mask."
                )
            found += index.nonzero().unbind(1)
        else:
            found.append(index)
    return found


def _with_mapped(level: VmapLevel, indices: list[Any]) -> tuple[list[Any], int]:
    """Return indices of the batched tensor, and the number of dimensions they broadcast to."""
    given = [i for i in indices if i is not None]
    shape = torch.broadcast_shapes(*(i.shape for i in given))
    rank = len(shape)
    device = given[0].device
    counts = torch.arange(level.size, device=device).reshape(level.size, *[1] * rank)

    def wide(index: Tensor) -> Tensor:
        value = level.unwrapped(index)
        if level.owns(index):
            return value.reshape(level.size, *[1] * (rank - index.dim()), *index.shape)
        return value

    return [counts, *(i if i is None else wide(i) for i in indices)], rank


def _first_place(indices: list[Any]) -> int:
    """Return where the indices' dimensions appear: at their place if adjacent, else in front."""
    places = [i for i, index in enumerate(indices) if index is not None]
    adjacent = places == list(range(places[0], places[-1] + 1))
    return places[0] if adjacent else 0


def index(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Index by tensors, with one more index along the mapped dimension."""
    indices = _positions(level, args[1])
    value = level.batched(args[0])
    if not any(level.owns(i) for i in indices) and _first_place(indices) == next(
        i for i, each in enumerate(indices) if each is not None
    ):
        return level.wrap(func(value, [None, *indices]))
    mapped, rank = _with_mapped(level, indices)
    result = func(value, mapped)
    # The indices' dimensions are in front, after the mapped one; an element has them in their place.
    place = _first_place(indices)
    if place and _first_place(mapped) == 0:
        moved = list(range(1, rank + 1))
        result = result.movedim(moved, [m + place for m in moved])
    return level.wrap(result)


def index_put(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Write values at indices, with one more index along the mapped dimension."""
    x, indices, values = args[0], _positions(level, args[1]), args[2]
    if func._schema.is_mutable:
        require_batched_self(level, func, args)
    mapped, rank = _with_mapped(level, indices)
    value = level.batched(x)
    if not func._schema.is_mutable:
        value = value.contiguous()
    place = _first_place(indices)
    source = level.unwrapped(values)
    if level.owns(values):
        # The elements' own shape: the indices' dimensions in their place among the others.
        full = rank + x.dim() - sum(i is not None for i in indices)
        source = source.reshape(level.size, *[1] * (full - values.dim()), *values.shape)
    if place and rank:
        missing = rank + x.dim() - sum(i is not None for i in indices)
        if not level.owns(values):
            source = level.batched(values.reshape(*[1] * (missing - values.dim()), *values.shape))
        moved = list(range(1, rank + 1))
        source = source.movedim([m + place for m in moved], moved)
    result = func(value, mapped, source, *args[3:], **kwargs)
    return x if func._schema.is_mutable else level.wrap(result)


def bucketize(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Searchsorted and bucketize: the boundaries are the same for all elements, or have rows."""
    if func.name().startswith("aten::searchsorted"):
        if isinstance(args[1], Tensor) and args[0].dim() == args[1].dim() > 0:
            both = map_tensors(level.batched, (args, kwargs))
            return level.wrap(func(*both[0], **both[1]))
        if args[0].dim() == 1 and isinstance(args[1], Tensor) and level.owns(args[0]):
            values = level.batched(args[1])
            named = map_tensors(level.batched, kwargs)
            found = func(level.batched(args[0]), values.reshape(level.size, -1), **named)
            return level.wrap(found.reshape(values.shape))
        if level.owns(args[0]) or not isinstance(args[1], Tensor):
            return loop(level, func, args, kwargs)
    elif level.owns(args[1]):
        values = level.batched(args[0]) if isinstance(args[0], Tensor) else None
        if values is None:
            return loop(level, func, args, kwargs)
        rows = values.reshape(level.size, -1)
        found = torch.searchsorted(level.batched(args[1]), rows, **kwargs)
        return level.wrap(found.reshape(values.shape))
    return level.wrap(func(*level.unwrapped(args), **kwargs))


def _each(rule: Rule, names: str) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


RULES: dict[str, Rule] = {
    **_each(
        at_indices,
        "gather scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_",
    ),
    **_each(masked_fill, "masked_fill.Tensor masked_fill_.Tensor"),
    "index_select": index_select,
    **_each(index_write, "index_add index_add_ index_copy index_copy_ index_reduce index_reduce_"),
    "index.Tensor": index,
    **_each(index_put, "index_put index_put_ _index_put_impl_"),
    **_each(bucketize, "searchsorted bucketize"),
}
"""Rules by operator; a name without overload stands for all overloads that have no own row."""

"""torch.vmap: map a function over a dimension of its arguments, all elements at once."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import _C
from torch._transforms import levels
from torch._transforms.batched import VmapLevel
from torch.utils import _pytree as pytree

Tensor = torch.Tensor
_NO_DIM = object()


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that maps over a dimension of its arguments.

    Operators with a batching rule are called once for all elements. One without is called for each
    element, and warns.

    Args:
        func: The function of one element; it returns tensors, or containers of them.
        in_dims: The dimension of each argument to map over; None for arguments that are the same
            for all elements. An integer for all arguments, or a structure like theirs.
        out_dims: The dimension of the results that counts the elements.
        randomness: "error" forbids random operators; with "different" each element draws numbers
            of its own, with "same" all get the same numbers.
        chunk_size: The number of elements to compute at a time; all by default.

    Raises:
        ValueError: If the dimensions do not fit the arguments, or have different sizes.
        RuntimeError: If the function needs values of elements, as `.item()` and `if` do.

    Example:
        >>> torch.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))
        tensor([3., 3.])
        >>> weight = torch.ones(3)
        >>> per_sample = torch.vmap(torch.func.grad(lambda w, x: w @ x), in_dims=(None, 0))
        >>> per_sample(weight, torch.eye(3)).shape
        torch.Size([3, 3])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}"
        )
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        steps = sys.modules.get("torch._functorch.vmap")
        if steps is not None and steps.are_replaced():
            return steps.run(func, in_dims, out_dims, randomness, args, kwargs)
        name = getattr(func, "__name__", repr(func))
        leaves, spec = pytree.tree_flatten(args)
        dims = _input_dims(in_dims, args, leaves, spec, name)
        size = _mapped_size(leaves, dims)
        if chunk_size is None or chunk_size >= size:
            return _mapped(func, leaves, spec, dims, size, out_dims, randomness, kwargs)
        parts = [
            x if d is None else x.split(chunk_size, d) for x, d in zip(leaves, dims, strict=True)
        ]
        results = []
        same = torch.get_rng_state() if randomness == "same" else None
        for i in range(-(-size // chunk_size)):
            if same is not None:
                torch.set_rng_state(same)
            part = [p if d is None else p[i] for p, d in zip(parts, dims, strict=True)]
            count = min(chunk_size, size - i * chunk_size)
            results.append(_mapped(func, part, spec, dims, count, out_dims, randomness, kwargs))
        return _concatenated(results, out_dims)

    return wrapper


def _input_dims(
    in_dims: Any, args: tuple[Any, ...], leaves: list[Any], spec: Any, name: str
) -> list[int | None]:
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a "
            f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not leaves:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
            "trying to vmap over a function with no inputs. The latter is unsupported."
        )
    found = pytree._broadcast_to_and_flatten(in_dims, spec, is_leaf=lambda x: x is None)
    if found is None:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the "
            "structure of `inputs`. in_dims has structure "
            f"{pytree.tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    lead = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
    return [_checked_dim(d, x, lead) for d, x in zip(found, leaves, strict=True)]


def _checked_dim(dim: Any, value: Any, lead: str) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{lead}: Got in_dim={dim} for an input but in_dim must be either an integer "
            "dimension or None."
        )
    if not isinstance(value, Tensor):
        raise ValueError(
            f"{lead}: Got in_dim={dim} for an input but the input is of type {type(value)}. "
            "We cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -value.dim() <= dim < value.dim():
        raise ValueError(
            f"{lead}: Got in_dim={dim} for some input, but that input is a Tensor of "
            f"dimensionality {value.dim()} so expected in_dim to satisfy "
            f"-{value.dim()} <= in_dim < {value.dim()}."
        )
    return dim % value.dim()


def _mapped_size(leaves: list[Any], dims: list[int | None]) -> int:
    sizes = [x.size(d) for x, d in zip(leaves, dims, strict=True) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got "
            f"sizes {sizes} for the mapped dimension"
        )
    return int(sizes[0])


def _mapped(
    func: Callable[..., Any],
    leaves: list[Any],
    spec: Any,
    dims: list[int | None],
    size: int,
    out_dims: Any,
    randomness: str,
    kwargs: dict[str, Any],
) -> Any:
    from torch._transforms import batch_random
    from torch._transforms.batching import RunningVmap

    batch_random.register_factories()
    level = RunningVmap(size, randomness)
    with levels.running(level), _C._IncludeVmapMode():
        inputs = [
            x if d is None else level.wrap(x.movedim(d, 0) if d else x)
            for x, d in zip(leaves, dims, strict=True)
        ]
        result = func(*pytree.tree_unflatten(inputs, spec), **kwargs)
        return _outputs(level, result, out_dims, getattr(func, "__name__", repr(func)))


def _outputs(level: VmapLevel, result: Any, out_dims: Any, name: str) -> Any:
    leaves, spec = pytree.tree_flatten(result)
    dims = _output_dims(out_dims, spec, leaves, name)
    found = [_output(level, x, d, name) for x, d in zip(leaves, dims, strict=True)]
    return pytree.tree_unflatten(found, spec)


def _output(level: VmapLevel, value: Any, dim: int | None, name: str) -> Any:
    """Return a result for all elements, with the mapped dimension at its place."""
    if dim is None:
        if level.owns(value):
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return value
    if not isinstance(value, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(value)}. "
            "Did you mean to set out_dims= to None for output?"
        )
    whole = level.batched(value)
    if not -whole.dim() <= dim < whole.dim():
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-whole.dim()}, "
            f"{whole.dim() - 1}], but got {dim})"
        )
    return whole.movedim(0, dim) if dim else whole


def _output_dims(out_dims: Any, spec: Any, leaves: list[Any], name: str) -> list[int | None]:
    if isinstance(out_dims, int) or out_dims is None:
        return [out_dims] * len(leaves)
    whole = tuple(out_dims) if isinstance(out_dims, list) else out_dims
    if len(leaves) == 1 and isinstance(whole, tuple) and len(whole) == 1:
        found: list[Any] | None = list(whole)
    else:
        found = pytree._broadcast_to_and_flatten(whole, spec, is_leaf=lambda x: x is None)
    if found is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
            f"the structure of `outputs`. out_dims has structure {pytree.tree_structure(out_dims)} "
            f"but outputs has structure {spec}."
        )
    if not all(dim is None or isinstance(dim, int) for dim in found):
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
            "collection of ints representing where in the outputs the vmapped dimension should "
            "appear."
        )
    return found


def _concatenated(results: list[Any], out_dims: Any) -> Any:
    """Join the results of the chunks."""
    _, spec = pytree.tree_flatten(results[0])
    columns = list(zip(*(pytree.tree_leaves(r) for r in results), strict=True))
    dims = _output_dims(out_dims, spec, list(columns), "f")
    return pytree.tree_unflatten(
        [c[0] if d is None else torch.cat(c, d) for c, d in zip(columns, dims, strict=True)], spec
    )

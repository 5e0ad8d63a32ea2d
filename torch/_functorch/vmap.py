"""The steps of torch.vmap under the names by which libraries replace them.

TensorDict replaces the functions that split the arguments and join the results, so that its own
containers can be mapped. `level` is an object that stands for the running vmap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import _C, Tensor, _vmap
from torch._C._functorch import _add_batch_dim, _remove_batch_dim
from torch._transforms import levels
from torch._vmap import vmap as vmap_impl
from torch.utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten

__all__ = [
    "Tensor",
    "_add_batch_dim",
    "_broadcast_to_and_flatten",
    "_remove_batch_dim",
    "tree_flatten",
    "tree_unflatten",
    "vmap_impl",
]


def _get_name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", repr(func))


def _process_batched_inputs(
    in_dims: Any, args: tuple[Any, ...], func: Callable[..., Any]
) -> tuple[int, list[int | None], list[Any], Any]:
    """Return the number of elements, the mapped dimensions, the arguments, and their structure."""
    leaves, spec = tree_flatten(args)
    dims = _vmap._input_dims(in_dims, args, leaves, spec, _get_name(func))
    return _vmap._mapped_size(leaves, dims), dims, leaves, spec


def _create_batched_inputs(
    flat_in_dims: list[int | None], flat_args: list[Any], vmap_level: Any, args_spec: Any
) -> Any:
    """Return the arguments for a call with all elements at once."""
    return tree_unflatten(
        [
            x if d is None else _add_batch_dim(x, d, vmap_level)
            for x, d in zip(flat_args, flat_in_dims, strict=True)
        ],
        args_spec,
    )


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, vmap_level: Any, batch_size: int, out_dim: int | None
) -> Any:
    """Return a result for all elements; without `out_dim` it must be the same for each."""
    return _vmap._output(vmap_level, batched_output, out_dim, name)


def _unwrap_batched(
    batched_outputs: Any,
    out_dims: Any,
    vmap_level: Any,
    batch_size: int,
    func: Callable[..., Any],
) -> Any:
    """Return the results for all elements."""
    return _vmap._outputs(vmap_level, batched_outputs, out_dims, _get_name(func))


_STEPS = (_process_batched_inputs, _create_batched_inputs, _unwrap_batched)


def are_replaced() -> bool:
    """Return whether a library has replaced a step."""
    current = (_process_batched_inputs, _create_batched_inputs, _unwrap_batched)
    return current != _STEPS


def run(
    func: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Map a function with the current steps."""
    from torch._transforms import batch_random
    from torch._transforms.batching import RunningVmap

    batch_random.register_factories()
    size, dims, leaves, spec = _process_batched_inputs(in_dims, args, func)
    level = RunningVmap(size, randomness)
    with levels.running(level), _C._IncludeVmapMode():
        inputs = _create_batched_inputs(dims, leaves, level, spec)
        result = func(*inputs, **kwargs)
        return _unwrap_batched(result, out_dims, level, size, func)

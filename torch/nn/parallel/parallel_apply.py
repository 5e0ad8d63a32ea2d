"""Call modules at the same time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch._utils import ExceptionWrapper
from torch.nn.modules.module import Module
from torch.nn.parallel.scatter_gather import device_of_index
from torch.utils._pytree import tree_leaves

__all__ = ["parallel_apply"]


def _device_of(value: Any) -> torch.device | None:
    tensors = [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]
    return tensors[0].device if tensors else None


def _callers_stream(device: Any) -> Any:
    """Return the calling thread's stream, which the threads of the copies run on; None on the CPU."""
    place = None if device is None else device_of_index(device)
    return torch.cuda.current_stream(place) if place is not None and place.type == "cuda" else None


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """Call modules in parallel, each in its own thread.

    Args:
        modules: The modules.
        inputs: The argument of each call, or a tuple of them.
        kwargs_tup: The keyword arguments of each call.
        devices: The device of each call; those of the inputs if None.

    Raises:
        Exception: The first error of a call.

    Example:
        >>> nn.parallel.parallel_apply([nn.ReLU(), nn.Identity()], [-torch.ones(1)] * 2)  # doctest: +SKIP
        [tensor([0.]), tensor([-1.])]
    """
    options = kwargs_tup or [{}] * len(modules)
    if not len(modules) == len(inputs) == len(options):
        raise AssertionError(
            f"The number of modules {len(modules)} is not equal to the number of inputs {len(inputs)}"
        )
    results: list[Any] = [None] * len(modules)
    streams = [
        _callers_stream(devices[i] if devices else _device_of(inputs[i]))
        for i in range(len(modules))
    ]
    grad_enabled = torch.is_grad_enabled()

    def call(index: int) -> None:
        given = inputs[index]
        try:
            with torch.set_grad_enabled(grad_enabled), torch.cuda.stream(streams[index]):
                args = tuple(given) if isinstance(given, (list, tuple)) else (given,)
                results[index] = modules[index](*args, **options[index])
        except Exception:
            results[index] = ExceptionWrapper(where=f"in replica {index}")

    threads = [threading.Thread(target=call, args=(i,)) for i in range(len(modules))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, ExceptionWrapper):
            result.reraise()
    return results

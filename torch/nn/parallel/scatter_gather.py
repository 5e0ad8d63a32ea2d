"""Split the arguments of a call among devices, and join the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.nn.parallel._replicas import gather, scatter

__all__ = ["gather", "scatter", "scatter_kwargs"]


def scatter_kwargs(
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    target_gpus: Sequence[Any],
    dim: int = 0,
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Return the arguments and the keyword arguments of each device's call.

    Tensors are split in `dim`; there are fewer calls than devices if that is smaller.

    Example:
        >>> from torch.nn.parallel.scatter_gather import scatter_kwargs
        >>> scatter_kwargs((1,), {}, ["cpu"])  # doctest: +SKIP
        (((1,),), ({},))
    """
    positional = [tuple(each) for each in scatter(inputs, target_gpus, dim)] if inputs else []
    named = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    # What has no tensors is repeated for each device, also for those that get no part of a tensor.
    calls = min((len(each) for each in (positional, named) if each), default=0)
    return (
        tuple(positional[:calls]) or ((),) * calls,
        tuple(named[:calls]) or tuple({} for _ in range(calls)),
    )

"""Settings for all pipes of a graph: the part of a worker, random order, and seeds."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import torch
from torch.utils.data.datapipes.iter._ordering import SHARDING_PRIORITIES
from torch.utils.data.graph import DataPipeGraph, traverse_dps

__all__ = [
    "apply_random_seed",
    "apply_sharding",
    "apply_shuffle_seed",
    "apply_shuffle_settings",
    "get_all_graph_pipes",
]


def _has_methods(pipe: Any, *names: str) -> bool:
    return all(inspect.ismethod(getattr(pipe, name, None)) for name in names)


def get_all_graph_pipes(graph: DataPipeGraph) -> list[Any]:
    """Return the pipes of a graph, each once.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse_dps
        >>> from torch.utils.data.graph_settings import get_all_graph_pipes
        >>> get_all_graph_pipes(traverse_dps(IterableWrapper([1, 2]).batch(2)))
        [BatcherIterDataPipe, IterableWrapperIterDataPipe]
    """
    found: dict[int, Any] = {}

    def add(graph: DataPipeGraph) -> None:
        for key, (pipe, below) in graph.items():
            if key not in found:
                found[key] = pipe
                add(below)

    add(graph)
    return list(found.values())


def apply_sharding(
    datapipe: Any,
    num_of_instances: int,
    instance_id: int,
    sharding_group: Any = SHARDING_PRIORITIES.DEFAULT,
) -> Any:
    """Set the number of workers, and which one this is, in the pipes that divide items.

    Args:
        datapipe: The last pipe.
        num_of_instances: The number of workers.
        instance_id: The index of this one.
        sharding_group: The group that they belong to.

    Raises:
        RuntimeError: If items pass two pipes that divide them.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_sharding
        >>> list(apply_sharding(IterableWrapper(range(5)).sharding_filter(), 2, 1))
        [1, 3]
    """

    def apply(graph: DataPipeGraph, previous: Any) -> None:
        for pipe, below in graph.values():
            applied = previous
            if _has_methods(pipe, "apply_sharding"):
                if previous is not None:
                    raise RuntimeError(
                        "Sharding twice on a single pipeline is likely unintended and will cause "
                        f"data loss. Sharding already applied to {previous} while trying to apply "
                        f"to {pipe}"
                    )
                parameters = inspect.signature(pipe.apply_sharding).parameters
                group = (sharding_group,) if len(parameters) > 2 else ()
                pipe.apply_sharding(num_of_instances, instance_id, *group)
                applied = pipe
            apply(below, applied)

    apply(traverse_dps(datapipe), None)
    return datapipe


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """Switch the random orders of a graph on or off, and return its last pipe.

    Args:
        datapipe: The last pipe.
        shuffle: Whether items come in random order; None changes nothing. If a graph has no random
            order to switch on, one is added at the end, with a warning.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_shuffle_settings
        >>> list(apply_shuffle_settings(IterableWrapper(range(3)).shuffle(), False))
        [0, 1, 2]
    """
    if shuffle is None:
        return datapipe
    pipes = get_all_graph_pipes(traverse_dps(datapipe))
    shufflers = [pipe for pipe in pipes if _has_methods(pipe, "set_shuffle", "set_seed")]
    if shuffle and not shufflers:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at "
            "the end. Be aware that the default buffer size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for pipe in shufflers:
        pipe.set_shuffle(shuffle)
    return datapipe


def apply_random_seed(datapipe: Any, rng: torch.Generator) -> Any:
    """Set a seed, drawn from a generator, in each pipe of a graph that has one.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_random_seed
        >>> pipe = IterableWrapper(range(5)).shuffle()
        >>> list(apply_random_seed(pipe, torch.Generator().manual_seed(0)))
        [1, 3, 0, 2, 4]
    """
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has_methods(pipe, "set_seed"):
            pipe.set_seed(int(torch.empty((), dtype=torch.int64).random_(generator=rng).item()))
    return datapipe


def apply_shuffle_seed(datapipe: Any, rng: Any) -> Any:
    """Call `apply_random_seed`, which replaces this function.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_shuffle_seed
        >>> apply_shuffle_seed(IterableWrapper([1]), torch.Generator())  # doctest: +SKIP
        IterableWrapperIterDataPipe
    """
    warnings.warn(
        "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. "
        "Please use `apply_random_seed` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return apply_random_seed(datapipe, rng)

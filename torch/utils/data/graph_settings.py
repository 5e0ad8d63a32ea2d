"""Settings of all pipes in a graph: random orders, seeds, and the part of each worker."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch.utils.data.datapipes import _settings
from torch.utils.data.graph import traverse_dps

__all__ = [
    "apply_random_seed",
    "apply_sharding",
    "apply_shuffle_seed",
    "apply_shuffle_settings",
    "get_all_graph_pipes",
]


def get_all_graph_pipes(graph: dict[int, tuple[Any, Any]]) -> list[Any]:
    """Return the pipes of a graph from `traverse_dps`, each once, before its sources.

    Args:
        graph: The graph.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse_dps
        >>> from torch.utils.data.graph_settings import get_all_graph_pipes
        >>> numbers = IterableWrapper([1, 2])
        >>> pairs = numbers.batch(2)
        >>> get_all_graph_pipes(traverse_dps(pairs)) == [pairs, numbers]
        True
    """
    found: dict[int, Any] = {}

    def visit(part: dict[int, tuple[Any, Any]]) -> None:
        for key, (pipe, sources) in part.items():
            if key not in found:
                found[key] = pipe
                visit(sources)

    visit(graph)
    return list(found.values())


def apply_sharding(
    datapipe: Any, num_of_instances: int, instance_id: int, sharding_group: Any = None
) -> Any:
    """Give each pipe that filters by worker, such as `sharding_filter`, its part.

    Args:
        datapipe: The end of the graph.
        num_of_instances: The number of workers.
        instance_id: Which worker this is.
        sharding_group: Passed to the pipes if given.

    Returns:
        The pipe.

    Raises:
        RuntimeError: If a pipe that filters reads from another one.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_sharding
        >>> list(apply_sharding(IterableWrapper(range(5)).sharding_filter(), 2, 1))
        [1, 3]
    """
    arguments = () if sharding_group is None else (sharding_group,)

    def visit(graph: dict[int, tuple[Any, Any]], earlier: Any) -> None:
        for pipe, sources in graph.values():
            applied = earlier
            if _settings.has_method(pipe, "apply_sharding"):
                if earlier is not None:
                    raise RuntimeError(
                        "Sharding twice on a single pipeline is likely unintended and will cause "
                        f"data loss. Sharding already applied to {earlier} while trying to apply "
                        f"to {pipe}"
                    )
                pipe.apply_sharding(num_of_instances, instance_id, *arguments)
                applied = pipe
            visit(sources, applied)

    visit(traverse_dps(datapipe), None)
    return datapipe


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """Switch the random orders of a graph on or off.

    Args:
        datapipe: The end of the graph.
        shuffle: Whether they are on; None changes nothing.

    Returns:
        The pipe, followed by a `shuffle` if it has to be on and the graph has no random order.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_shuffle_settings
        >>> list(apply_shuffle_settings(IterableWrapper([1, 2, 3]).shuffle(), shuffle=False))
        [1, 2, 3]
    """
    if shuffle is None:
        return datapipe
    shuffled = any(
        _settings.has_method(pipe, "set_shuffle") and _settings.has_method(pipe, "set_seed")
        for pipe in _settings.pipes_in(datapipe)
    )
    if shuffle and not shuffled:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at "
            "the end. Be aware that the default buffer size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = datapipe.shuffle()
    _settings.set_shuffle(datapipe, shuffle)
    return datapipe


def apply_random_seed(datapipe: Any, rng: torch.Generator) -> Any:
    """Seed the random orders of a graph.

    Args:
        datapipe: The end of the graph.
        rng: The generator that the seeds are drawn from.

    Returns:
        The pipe.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_random_seed
        >>> pipe = IterableWrapper(range(4)).shuffle()
        >>> orders = [
        ...     list(apply_random_seed(pipe, torch.Generator().manual_seed(5))) for _ in range(2)
        ... ]
        >>> orders[0] == orders[1]
        True
    """
    _settings.set_seeds(datapipe, rng)
    return datapipe


def apply_shuffle_seed(datapipe: Any, rng: Any) -> Any:
    """Seed the random orders of a graph. Deprecated: use `apply_random_seed`.

    Args:
        datapipe: The end of the graph.
        rng: The generator that the seeds are drawn from.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_shuffle_seed
        >>> pipe = IterableWrapper(range(4)).shuffle()
        >>> pipe = apply_shuffle_seed(pipe, torch.Generator())  # doctest: +SKIP
    """
    warnings.warn(
        "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. "
        "Please use `apply_random_seed` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return apply_random_seed(datapipe, rng)

"""The graph of the pipes that a pipe reads from."""

from __future__ import annotations

import warnings
from typing import Any

from torch.utils.data.datapipes._settings import sources_of
from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]


def _graph(pipe: Any, path: frozenset[int]) -> dict[int, tuple[Any, Any]]:
    if id(pipe) in path:
        return {}
    path |= {id(pipe)}
    sources: dict[int, tuple[Any, Any]] = {}
    for source in sources_of(pipe):
        sources.update(_graph(source, path))
    return {id(pipe): (pipe, sources)}


def traverse_dps(datapipe: Any) -> dict[int, tuple[Any, Any]]:
    """Return the graph of a pipe: which pipes it reads from, which these read from, and so on.

    Args:
        datapipe: The pipe.

    Returns:
        A dict from the pipe's `id` to the pair of the pipe and the graph of its sources, a dict of
        the same form.

    Raises:
        RuntimeError: If the argument is not a pipe.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse_dps
        >>> numbers = IterableWrapper([1, 2])
        >>> squares = numbers.map(lambda number: number**2)
        >>> pipe, sources = traverse_dps(squares)[id(squares)]
        >>> pipe is squares, list(sources) == [id(numbers)]
        (True, True)
    """
    if not isinstance(datapipe, (IterDataPipe, MapDataPipe)):
        raise RuntimeError(
            f"Expected `IterDataPipe` or `MapDataPipe`, but {type(datapipe)} is found"
        )
    return _graph(datapipe, frozenset())


def traverse(datapipe: Any, only_datapipe: bool | None = None) -> dict[int, tuple[Any, Any]]:
    """Return the graph of a pipe. Deprecated: use `traverse_dps`.

    Args:
        datapipe: The pipe.
        only_datapipe: Ignored; pipes are found in attributes and in the containers there.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse
        >>> len(traverse(IterableWrapper([1, 2])))  # doctest: +SKIP
        1
    """
    warnings.warn(
        "`traverse` function and will be removed after 1.13. Please use `traverse_dps` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return traverse_dps(datapipe)

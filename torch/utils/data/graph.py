"""The pipes that a pipe reads from, and those that these read from."""

from __future__ import annotations

import io
import pickle
import types
import warnings
from typing import Any

from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]

DataPipe = IterDataPipe | MapDataPipe
DataPipeGraph = dict[int, tuple[Any, "DataPipeGraph"]]
# Values that hold no pipes, and which pickle may refuse.
_LEAVES = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.GeneratorType,
    types.ModuleType,
    io.IOBase,
)
_NOTHING = (str, ())


class _Search(pickle.Pickler):
    """Walks the values that a pipe's pickle would contain, as far as the next pipes."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO())
        self.found: list[Any] = []

    def persistent_id(self, obj: Any) -> str | None:
        """Store a pipe, and skip what is inside it."""
        if isinstance(obj, DataPipe):
            if all(obj is not other for other in self.found):
                self.found.append(obj)
            return "pipe"
        return "leaf" if isinstance(obj, _LEAVES) else None

    def reducer_override(self, obj: Any) -> Any:
        """Skip values that cannot be pickled."""
        try:
            obj.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        except Exception:
            return _NOTHING
        return NotImplemented


def _sources(pipe: Any, only_datapipe: bool) -> list[Any]:
    if only_datapipe:
        return [value for value in vars(pipe).values() if isinstance(value, DataPipe)]
    search = _Search()
    search.dump(pipe.__getstate__())
    return search.found


def _traverse(pipe: Any, only_datapipe: bool, above: frozenset[int]) -> DataPipeGraph:
    if not isinstance(pipe, DataPipe):
        raise RuntimeError(f"Expected `IterDataPipe` or `MapDataPipe`, but {type(pipe)} is found")
    if id(pipe) in above:
        return {}
    below: DataPipeGraph = {}
    for source in _sources(pipe, only_datapipe):
        below.update(_traverse(source, only_datapipe, above | {id(pipe)}))
    return {id(pipe): (pipe, below)}


def traverse_dps(datapipe: Any) -> DataPipeGraph:
    """Return the graph of a pipe: by `id()`, each pipe with the graph of those that it reads from.

    Args:
        datapipe: The last pipe.

    Raises:
        RuntimeError: If it is not a pipe.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse_dps
        >>> pipe = IterableWrapper([1, 2]).shuffle()
        >>> [(last, list(sources.values())) for last, sources in traverse_dps(pipe).values()]
        [(ShufflerIterDataPipe, [(IterableWrapperIterDataPipe, {})])]
    """
    return _traverse(datapipe, False, frozenset())


def traverse(datapipe: Any, only_datapipe: bool | None = None) -> DataPipeGraph:
    """Return the graph of a pipe, by the name that PyTorch deprecates in favour of `traverse_dps`.

    Args:
        datapipe: The last pipe.
        only_datapipe: Whether to find sources only among the attributes, not inside other values.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse
        >>> len(traverse(IterableWrapper([1]), only_datapipe=True))  # doctest: +SKIP
        1
    """
    text = (
        "`traverse` function is deprecated and will be removed after 1.13. Please use "
        "`traverse_dps` instead."
    )
    if only_datapipe is None:
        text += " And, the behavior will be changed to the equivalent of `only_datapipe=True`."
    warnings.warn(text, FutureWarning, stacklevel=2)
    return _traverse(datapipe, bool(only_datapipe), frozenset())

"""IterDataPipe and MapDataPipe: data sets with methods that compose them."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import torch
from torch.utils.data.datapipes._iteration import picklable_state, single_iterator
from torch.utils.data.dataset import Dataset, IterableDataset, T_co

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe"]


class _Functional:
    """Looks up methods among the registered functions of the class."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}
    # Set by libraries; each replaces a method of all pipes.
    getstate_hook: ClassVar[Callable[[Any], Any] | None] = None
    reduce_ex_hook: ClassVar[Callable[[Any], Any] | None] = None
    str_hook: ClassVar[Callable[[Any], str] | None] = None
    repr_hook: ClassVar[Callable[[Any], str] | None] = None

    def __getattr__(self, name: str) -> Any:
        if name in type(self).functions:
            function = type(self).functions[name]
            method = functools.partial(function, self)
            method.__doc__ = function.__doc__
            return method
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Make a function, whose first argument is the pipe, a method of all pipes."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Any, enable_df_api_tracing: bool = False
    ) -> None:
        """Make a class, whose first argument is the pipe, a method of all pipes."""
        if function_name in cls.functions:
            raise Exception(
                f"Unable to add DataPipe function name {function_name} as it is already taken"
            )
        cls.functions[function_name] = cls_to_register

    @classmethod
    def set_getstate_hook(cls, hook_fn: Callable[[Any], Any] | None) -> None:
        """Set a function that makes the state of a pipe for its pickle; None removes it."""
        if cls.getstate_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing getstate_hook")
        cls.getstate_hook = hook_fn

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn: Callable[[Any], Any] | None) -> None:
        """Set a function that replaces `__reduce_ex__` of pipes; None removes it.

        Where it raises NotImplementedError, a pipe is pickled as without it.
        """
        if cls.reduce_ex_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing reduce_ex_hook")
        cls.reduce_ex_hook = hook_fn

    def __str__(self) -> str:
        hook = type(self).str_hook
        return type(self).__qualname__ if hook is None else hook(self)

    def __repr__(self) -> str:
        hook = type(self).repr_hook
        return type(self).__qualname__ if hook is None else hook(self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self).functions]

    def __reduce_ex__(self, *args: Any) -> Any:
        hook = type(self).reduce_ex_hook
        if hook is not None:
            with contextlib.suppress(NotImplementedError):
                return hook(self)
        return super().__reduce_ex__(*args)

    def __getstate__(self) -> Any:
        state = picklable_state(self)
        hook = type(self).getstate_hook
        return state if hook is None else hook(state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class IterDataPipe(_Functional, IterableDataset[T_co]):
    """A data set that is iterated over; subclasses override `__iter__`.

    Its methods compose it with others: `map`, `filter`, `batch`, `unbatch`, `collate`, `shuffle`,
    `zip`, `concat`, `mux`, `demux`, `fork`, `groupby` and `sharding_filter`.

    A pipe has one iterator: a new one makes the earlier one invalid. `fork` makes pipes that can be
    iterated over at the same time.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> pipe = IterableWrapper(range(6)).filter(lambda x: x % 2 == 0).map(lambda x: 10 * x)
        >>> list(pipe), list(pipe.batch(2))
        ([0, 20, 40], [[0, 20], [40]])
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__iter__" in vars(cls):
            cls.__iter__ = single_iterator(vars(cls)["__iter__"])  # type: ignore[method-assign]

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} does not define __iter__")

    def reset(self) -> None:
        """Go back to the beginning; subclasses that keep a position override this."""


class MapDataPipe(_Functional, Dataset[T_co]):
    """A data set with keys; subclasses override `__getitem__` and mostly `__len__`.

    Its methods compose it with others: `map`, `batch`, `shuffle`, `zip` and `concat`.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> pipe = SequenceWrapper([1, 2, 3]).map(lambda x: 10 * x)
        >>> pipe[1], len(pipe), list(pipe.batch(2))
        (20, 3, [[10, 20], [30]])
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}


class _DataPipeSerializationWrapper:
    """A pipe that libraries wrap before they send it to a worker; ours pickle as they are."""

    def __init__(self, datapipe: Any) -> None:
        self._datapipe = datapipe

    def __len__(self) -> int:
        return length_of(self._datapipe, self)


class _IterDataPipeSerializationWrapper(_DataPipeSerializationWrapper, IterDataPipe):
    def __iter__(self) -> Iterator[Any]:
        return iter(self._datapipe)


class _MapDataPipeSerializationWrapper(_DataPipeSerializationWrapper, MapDataPipe):
    def __getitem__(self, index: Any) -> Any:
        return self._datapipe[index]


class functional_datapipe:
    """Decorator that makes a class of pipes a method of all pipes.

    Args:
        name: The name of the method.
        enable_df_api_tracing: Accepted for compatibility.

    Example:
        >>> from torch.utils.data import IterDataPipe, functional_datapipe
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> @functional_datapipe("twice")
        ... class Twice(IterDataPipe):
        ...     def __init__(self, source):
        ...         self.source = source
        ...
        ...     def __iter__(self):
        ...         for item in self.source:
        ...             yield item
        ...             yield item
        >>> list(IterableWrapper("ab").twice())
        ['a', 'a', 'b', 'b']
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name = name

    def __call__(self, cls: Any) -> Any:
        """Register a class."""
        kinds = [kind for kind in (IterDataPipe, MapDataPipe) if issubclass(cls, kind)]
        if not kinds:
            raise TypeError(
                "functional_datapipe decorates subclasses of IterDataPipe and MapDataPipe"
            )
        kinds[0].register_datapipe_as_function(self.name, cls)
        return cls


class DataChunk(list):
    """A batch of a pipe.

    Example:
        >>> from torch.utils.data import DataChunk
        >>> DataChunk([1, 2]).as_str()
        '[1, 2]'
    """

    def __init__(self, items: Any) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """Return the items as text."""
        return f"{indent}[{', '.join(map(str, self))}]"

    def raw_iterator(self) -> Iterator[Any]:
        """Iterate over the items."""
        yield from self.items


class RandomOrder:
    """The settings of pipes with a random order: whether it is on, and the seed of the next iteration."""

    _enabled = True
    _seed: int | None = None

    def set_shuffle(self, shuffle: bool = True) -> Self:
        """Switch the random order on or off."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Self:
        """Set the seed of the next iteration; without one, it is drawn from torch's generator."""
        self._seed = seed
        return self

    def _next_generator(self) -> random.Random:
        """Return the generator of an iteration."""
        seed, self._seed = self._seed, None
        if seed is None:
            seed = int(torch.empty((), dtype=torch.int64).random_())
        return random.Random(seed)


def length_of(source: Any, pipe: object) -> int:
    """Return the length of a source, or raise a TypeError that names the pipe."""
    try:
        return len(source)
    except (TypeError, NotImplementedError):
        name = type(pipe).__name__
        raise TypeError(f"{name} instance doesn't have valid length") from None


def check_function(function: Any) -> None:
    """Raise a TypeError for a value that cannot be called."""
    if not callable(function):
        raise TypeError(f"A callable function is expected, but {type(function)} is provided.")

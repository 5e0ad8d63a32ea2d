"""Iterators of pipes: one at a time for each pipe, with events of profiles and errors that name the pipe."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from torch.autograd import _profiled_blocks as _blocks

_FEEDBACK = (
    "\nFor feedback regarding this single iterator per IterDataPipe constraint, feel free to comment "
    "on this issue: https://github.com/pytorch/data/issues/45."
)
_NUMBER = "_valid_iterator_id"


def describe(pipe: Any) -> str:
    """Return the class of a pipe with those arguments of its constructor that are attributes."""
    names = sorted(set(inspect.signature(type(pipe).__init__).parameters) & vars(pipe).keys())
    values = ", ".join(f"{name}={_value_text(vars(pipe)[name])}" for name in names)
    return f"{type(pipe).__name__}({values})"


def _value_text(value: Any) -> str:
    return value.__name__ if isinstance(value, FunctionType) else repr(value)


def picklable_state(pipe: Any) -> dict[str, Any]:
    """Return the attributes of a pipe, without those about its iterators."""
    return {name: value for name, value in vars(pipe).items() if name != _NUMBER}


class PipeIterator:
    """An iterator of a pipe, which is valid until the pipe has another one.

    Attributes of the iterator that the pipe itself made can be used, too.
    """

    def __init__(self, pipe: Any, items: Iterator[Any], number: int) -> None:
        self._pipe, self._items, self._number = pipe, items, number

    def __iter__(self) -> PipeIterator:
        return self

    def __next__(self) -> Any:
        if vars(self._pipe).get(_NUMBER) != self._number:
            raise RuntimeError(_invalidated(self._pipe))
        try:
            if _blocks.running is None:
                return next(self._items)
            return self._profiled_next()
        except StopIteration:
            raise
        except Exception as error:
            self._name_pipe(error)
            raise

    def _profiled_next(self) -> Any:
        from torch.autograd.profiler import record_function

        with record_function(describe(self._pipe)):
            return next(self._items)

    def _name_pipe(self, error: Exception) -> None:
        """Add the pipe to an error's message, unless a pipe that it reads from did."""
        message = error.args[0] if error.args else None
        if isinstance(message, str) and "thrown by __iter__ of" not in message:
            where = f"\nThis exception is thrown by __iter__ of {describe(self._pipe)}"
            error.args = (message + where, *error.args[1:])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_items"], name)


def _invalidated(pipe: Any) -> str:
    return (
        "This iterator has been invalidated because another iterator has been created from the same "
        f"IterDataPipe: {describe(pipe)}\nThis may be caused by multiple references to the same "
        f"IterDataPipe. We recommend using `.fork()` if that is necessary.{_FEEDBACK}"
    )


def invalidated_child(main: Any) -> str:
    """Return the message for an iterator of a child whose siblings began again."""
    return (
        "This iterator has been invalidated, because a new iterator has been created from one of the "
        f"ChildDataPipes of {describe(main)}.{_FEEDBACK}"
    )


def single_iterator(make: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """Return an `__iter__` that resets the pipe and makes its earlier iterator invalid."""

    @functools.wraps(make)
    def __iter__(self: Any) -> Iterator[Any]:
        if type(self).__iter__ is not __iter__:  # called by the method of a subclass
            return make(self)
        number = vars(self).get(_NUMBER, 0) + 1
        vars(self)[_NUMBER] = number
        self.reset()
        return PipeIterator(self, make(self), number)

    return __iter__

"""Sets that keep the order in which their elements were added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any, TypeVar

T = TypeVar("T")

__all__ = ["OrderedSet"]


class OrderedSet(MutableSet[T]):
    """A set that is iterated over in the order in which its elements were added.

    Args:
        iterable: The elements.

    Example:
        >>> from torch.utils._ordered_set import OrderedSet
        >>> OrderedSet([3, 1, 3, 2])
        OrderedSet([3, 1, 2])
    """

    __slots__ = ("_dict",)

    def __init__(self, iterable: Iterable[T] | None = None) -> None:
        self._dict: dict[T, None] = dict.fromkeys(iterable or ())

    def __contains__(self, element: object) -> bool:
        return element in self._dict

    def __iter__(self) -> Iterator[T]:
        return iter(self._dict)

    def __reversed__(self) -> Iterator[T]:
        return reversed(self._dict)

    def __len__(self) -> int:
        return len(self._dict)

    def __repr__(self) -> str:
        return f"OrderedSet({list(self)})"

    def __getstate__(self) -> list[T]:
        return list(self._dict)

    def __setstate__(self, elements: list[T]) -> None:
        self._dict = dict.fromkeys(elements)

    def add(self, element: T) -> None:
        """Add an element; one that is there already keeps its place."""
        self._dict[element] = None

    def discard(self, element: T) -> None:
        """Remove an element if it is there."""
        self._dict.pop(element, None)

    def clear(self) -> None:
        """Remove all elements."""
        self._dict.clear()

    def pop(self) -> T:
        """Remove and return the last element; raise KeyError if there is none."""
        if not self._dict:
            raise KeyError("pop from an empty set")
        return self._dict.popitem()[0]

    def copy(self) -> OrderedSet[T]:
        """Return another set with the same elements."""
        return OrderedSet(self)

    def update(self, *others: Iterable[T]) -> None:
        """Add the elements of the arguments."""
        for other in others:
            self._dict.update(dict.fromkeys(other))

    def union(self, *others: Iterable[T]) -> OrderedSet[T]:
        """Return a set with the elements of this one, then those of the arguments."""
        result = self.copy()
        result.update(*others)
        return result

    def difference(self, *others: Iterable[T]) -> OrderedSet[T]:
        """Return a set with the elements that are in none of the arguments."""
        left_out = {element for other in others for element in other}
        return OrderedSet(element for element in self if element not in left_out)

    def intersection(self, *others: Iterable[T]) -> OrderedSet[T]:
        """Return a set with the elements that are in all arguments."""
        groups = [set(other) for other in others]
        return OrderedSet(element for element in self if all(element in it for it in groups))

    def symmetric_difference(self, other: Iterable[T]) -> OrderedSet[T]:
        """Return a set with the elements that are in this or the argument, but not in both."""
        others = OrderedSet(other)
        return self.difference(others).union(others.difference(self))

    def difference_update(self, *others: Iterable[T]) -> None:
        """Remove the elements of the arguments."""
        self._dict = self.difference(*others)._dict

    def intersection_update(self, *others: Iterable[T]) -> None:
        """Remove the elements that are not in all arguments."""
        self._dict = self.intersection(*others)._dict

    def symmetric_difference_update(self, other: Iterable[T]) -> None:
        """Keep the elements that are in this or the argument, but not in both."""
        self._dict = self.symmetric_difference(other)._dict

    def issubset(self, other: Iterable[T]) -> bool:
        """Return whether all elements are in the argument."""
        others = set(other)
        return all(element in others for element in self)

    def issuperset(self, other: Iterable[T]) -> bool:
        """Return whether all elements of the argument are in this set."""
        return all(element in self._dict for element in other)

    def __sub__(self, other: Any) -> OrderedSet[T]:
        return self.difference(other)

    def __or__(self, other: Any) -> OrderedSet[Any]:
        return self.union(other)

    def __and__(self, other: Any) -> OrderedSet[T]:
        return self.intersection(other)

    def __xor__(self, other: Any) -> OrderedSet[Any]:
        return self.symmetric_difference(other)

"""Dictionaries with weak keys that are compared by identity, such as tensors."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to references to the same object.

    Example:
        >>> from torch.utils.weak import WeakIdRef
        >>> x = torch.ones(1)
        >>> WeakIdRef(x) == WeakIdRef(x)
        True
    """

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        super().__init__(key, callback)
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine = self()
        theirs = other() if isinstance(other, weakref.ref) else None
        return mine is theirs if mine is not None and theirs is not None else self is other


class TensorWeakRef:
    """A weak reference to a tensor.

    Example:
        >>> from torch.utils.weak import TensorWeakRef
        >>> x = torch.ones(1)
        >>> TensorWeakRef(x)() is x
        True
    """

    def __init__(self, tensor: Any) -> None:
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Any:
        """Return the tensor, or None if it no longer exists."""
        return self.ref()


class WeakIdKeyDictionary(MutableMapping):  # type: ignore[type-arg]
    """A dictionary whose keys are compared by identity, and disappear with their objects.

    Example:
        >>> from torch.utils.weak import WeakIdKeyDictionary
        >>> x = torch.ones(1)
        >>> names = WeakIdKeyDictionary({x: "x"})
        >>> names[x], torch.ones(1) in names
        ('x', False)
    """

    def __init__(self, dict: Any = None, ref_type: Any = WeakIdRef) -> None:
        self.data: dict[Any, Any] = {}
        self.ref_type = ref_type
        own = weakref.ref(self)

        def remove(reference: Any) -> None:
            found = own()
            if found is not None:
                found.data.pop(reference, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        for reference in [*self.data]:
            found = reference()
            if found is not None:
                yield found

    def keyrefs(self) -> list[Any]:
        """Return the weak references to the keys; an object may be gone when one is called."""
        return list(self.data)

    def copy(self) -> WeakIdKeyDictionary:
        """Return a dictionary of the same keys and values."""
        return type(self)(self, ref_type=self.ref_type)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> WeakIdKeyDictionary:
        values = {key: copy.deepcopy(value, memo) for key, value in self.items()}
        return type(self)(values, ref_type=self.ref_type)

    def __ior__(self, other: Any) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def __or__(self, other: Any) -> WeakIdKeyDictionary:
        joined = self.copy()
        joined.update(other)
        return joined


WeakTensorKeyDictionary = WeakIdKeyDictionary

"""Dispatch keys, sets of them, and guards that change which keys a thread's calls use.

torch._C gives keys and sets as integers; its attributes of the same names are the classes of this module.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from torch import _C

DispatchKey: Any = IntEnum("DispatchKey", _C._dispatch_key_values(), module="torch._C")  # type: ignore[misc]
_SHARED = ("Dense", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "AutogradFunctionality")


class DispatchKeySet:
    """A set of dispatch keys: functionalities, and the back ends that they apply to.

    Example:
        >>> keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        >>> keys.has(torch._C.DispatchKey.CPU), keys.has(torch._C.DispatchKey.CUDA)
        (True, False)
    """

    __slots__ = ("_raw",)

    def __init__(self, *keys: Any) -> None:
        self._raw = 0
        for key in keys:
            self._raw |= _C._dispatch_keyset_bits(int(key))

    @classmethod
    def from_raw_repr(cls, raw: int) -> DispatchKeySet:
        """Return the set with a value of `raw_repr`."""
        made = cls()
        made._raw = raw
        return made

    def raw_repr(self) -> int:
        """Return the set as an integer."""
        return self._raw

    def has(self, key: Any) -> bool:
        """Return whether a key is in the set."""
        wanted = _C._dispatch_keyset_bits(int(key))
        return wanted != 0 and self._raw & wanted == wanted

    def add(self, key: Any) -> DispatchKeySet:
        """Return the set with another key."""
        return self | DispatchKeySet(key)

    def remove(self, key: Any) -> DispatchKeySet:
        """Return the set without a key; the back ends of the others stay."""
        return self - DispatchKeySet(key)

    def highestPriorityTypeId(self) -> Any:
        """Return the key whose kernel a call with these keys runs first."""
        return DispatchKey(_C._dispatch_keyset_highest(self._raw))

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self.from_raw_repr(self._raw | other._raw)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self.from_raw_repr(self._raw & other._raw)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self.from_raw_repr(self._raw & (_all_backends() | ~other._raw))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and other._raw == self._raw

    def __hash__(self) -> int:
        return hash(self._raw)

    def _keys(self) -> list[Any]:
        return [key for key in DispatchKey if _has_kernels(key) and self.has(key)]

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key.name for key in self._keys())})"


def _all_backends() -> int:
    """Return the bits of all back ends, which are those below the first functionality."""
    return int(_C._dispatch_keyset_bits(DispatchKey.Dense)) - 1


def _has_kernels(key: Any) -> bool:
    """Return whether a key is a runtime key: neither an alias nor shared by several back ends."""
    bits = _C._dispatch_keyset_bits(int(key))
    return bits != 0 and key.name not in _SHARED


class _DispatchKeyGuard:
    """Context manager that changes this thread's sets of keys for its block."""

    def __init__(self, keys: DispatchKeySet) -> None:
        self._keys = keys.raw_repr() & ~_all_backends()
        self._before: list[tuple[int, int]] = []

    def __enter__(self) -> _DispatchKeyGuard:
        self._before.append(_C._dispatch_local_keysets())
        _C._dispatch_set_local_keysets(*self._changed(*self._before[-1]))
        return self

    def __exit__(self, *error: object) -> None:
        _C._dispatch_set_local_keysets(*self._before.pop())

    def _changed(self, included: int, excluded: int) -> tuple[int, int]:
        raise NotImplementedError


class _ExcludeDispatchKeyGuard(_DispatchKeyGuard):
    """Context manager inside which calls skip the kernels of some keys.

    Example:
        >>> autograd = torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradCPU)
        >>> x = torch.ones(1, requires_grad=True)
        >>> with torch._C._ExcludeDispatchKeyGuard(autograd):
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    def _changed(self, included: int, excluded: int) -> tuple[int, int]:
        return included, excluded | self._keys


class _SetExcludeDispatchKeyGuard(_DispatchKeyGuard):
    """Context manager inside which calls skip the kernels of a key, or use them again.

    Args:
        key: The key.
        flag: Whether calls skip its kernels.
    """

    def __init__(self, key: Any, flag: bool) -> None:
        super().__init__(DispatchKeySet(key))
        self._flag = flag

    def _changed(self, included: int, excluded: int) -> tuple[int, int]:
        return included, excluded | self._keys if self._flag else excluded & ~self._keys


class _IncludeDispatchKeyGuard(_DispatchKeyGuard):
    """Context manager inside which calls also use the kernels of some keys."""

    def __init__(self, keys: Any) -> None:
        super().__init__(keys if isinstance(keys, DispatchKeySet) else DispatchKeySet(keys))

    def _changed(self, included: int, excluded: int) -> tuple[int, int]:
        return included | self._keys, excluded


class _ForceDispatchKeyGuard(_DispatchKeyGuard):
    """Context manager inside which calls use exactly the given sets; without arguments, it restores."""

    def __init__(
        self, include: DispatchKeySet | None = None, exclude: DispatchKeySet | None = None
    ) -> None:
        super().__init__(DispatchKeySet())
        self._forced = None if include is None or exclude is None else (include, exclude)

    def _changed(self, included: int, excluded: int) -> tuple[int, int]:
        if self._forced is None:
            return included, excluded
        return self._forced[0].raw_repr(), self._forced[1].raw_repr()


ExcludeDispatchKeyGuard = _ExcludeDispatchKeyGuard


def _dispatch_keys(tensor: Any) -> DispatchKeySet:
    """Return the keys of a tensor."""
    return DispatchKeySet.from_raw_repr(_C._dispatch_keyset_of(tensor))


def _dispatch_key_parse(name: str) -> Any:
    """Return the key with a name.

    Raises:
        RuntimeError: If there is none.
    """
    if name not in DispatchKey.__members__:
        raise RuntimeError(f"could not parse dispatch key: {name}")
    return DispatchKey[name]


def _parse_dispatch_key(name: str) -> Any:
    """Return the key with a name, or None if there is none."""
    return DispatchKey.__members__.get(name)


def _dispatch_key_name(key: Any) -> str:
    """Return the name of a key."""
    return str(DispatchKey(int(key)).name)


def _dispatch_keyset_to_string(keys: DispatchKeySet) -> str:
    """Return a set as text."""
    return repr(keys)


def _dispatch_key_set(tensor: Any) -> str:
    """Return the keys of a tensor as text."""
    return repr(_dispatch_keys(tensor))


def _dispatch_keyset_full() -> DispatchKeySet:
    """Return the set of all keys."""
    return DispatchKeySet(*(key for key in DispatchKey if _C._dispatch_keyset_bits(key)))


def _dispatch_tls_local_include_set() -> DispatchKeySet:
    """Return the keys that this thread adds to every call."""
    return DispatchKeySet.from_raw_repr(_C._dispatch_local_keysets()[0])


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    """Return the keys that this thread removes from every call."""
    return DispatchKeySet.from_raw_repr(_C._dispatch_local_keysets()[1])


def _functionality(key: Any) -> int:
    return int(_C._dispatch_keyset_bits(int(key)) & ~_all_backends())


def _dispatch_tls_is_dispatch_key_included(key: Any) -> bool:
    """Return whether this thread adds a key to every call."""
    return bool(_C._dispatch_local_keysets()[0] & _functionality(key))


def _dispatch_tls_is_dispatch_key_excluded(key: Any) -> bool:
    """Return whether this thread removes a key from every call."""
    return bool(_C._dispatch_local_keysets()[1] & _functionality(key))


def _dispatch_tls_set_dispatch_key_included(key: Any, on: bool) -> None:
    """Add a key to every call of this thread, or no longer."""
    included, excluded = _C._dispatch_local_keysets()
    bit = _functionality(key)
    _C._dispatch_set_local_keysets(included | bit if on else included & ~bit, excluded)


def _dispatch_tls_set_dispatch_key_excluded(key: Any, on: bool) -> None:
    """Remove a key from every call of this thread, or no longer."""
    included, excluded = _C._dispatch_local_keysets()
    bit = _functionality(key)
    _C._dispatch_set_local_keysets(included, excluded | bit if on else excluded & ~bit)

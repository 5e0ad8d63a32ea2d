"""The values of an archive as Python objects: tensors that use its bytes, lists, and modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.jit._numbers import SCALAR_TYPES
from torch.jit.mobile._archive import CLASS_WITH_SETSTATE, Archive
from torch.storage import UntypedStorage

Place = Callable[[UntypedStorage], UntypedStorage]


class MobileObject:
    """An object of an archive, usually a module: the values of its attributes, in order.

    Args:
        type_name: Its qualified name, such as `__torch__.torch.nn.modules.linear.Linear`.
        names: The names of its attributes.
        values: Their values.
    """

    def __init__(self, type_name: str, names: list[str], values: list[Any]) -> None:
        self._type_name = type_name
        self._names = names
        self._values = values

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("_names", ())
        if name not in names:
            raise AttributeError(f"{self.__dict__.get('_type_name')} has no attribute {name!r}")
        return self._values[names.index(name)]

    def __repr__(self) -> str:
        return f"{self._type_name}({', '.join(self._names)})"

    def tensors(self, prefix: str = "") -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the tensors of this object and of all below it, with dotted names."""
        for name, value in zip(self._names, self._values, strict=True):
            if isinstance(value, torch.Tensor):
                yield prefix + name, value
            elif isinstance(value, MobileObject):
                yield from value.tensors(f"{prefix}{name}.")

    def state_dict(self) -> OrderedDict[str, torch.Tensor]:
        """Return the tensors by dotted name, as `torch.nn.Module.state_dict` names them."""
        return OrderedDict(self.tensors())


class Values:
    """Makes each value of an archive when it is first needed.

    Args:
        archive: The archive.
        buffer: Its bytes, which the tensors use.
        place: Returns a storage where it should be.
    """

    def __init__(self, archive: Archive, buffer: Any, place: Place) -> None:
        self._archive = archive
        self._buffer = buffer
        self._place = place
        self._made: dict[int, Any] = {}
        self._unfinished: set[int] = set()
        self._storages: dict[int, UntypedStorage] = {}

    def __getitem__(self, number: int) -> Any:
        """Return a value.

        Raises:
            RuntimeError: If the archive is damaged.
        """
        if number not in self._made:
            raw = item(self._archive.values, number, "value")
            if number in self._unfinished:
                raise damaged(f"value {number} contains itself")
            self._unfinished.add(number)
            self._made[number] = self._value(raw) if isinstance(raw, tuple) else raw
            self._unfinished.discard(number)
        return self._made[number]

    def _value(self, raw: tuple[Any, ...]) -> Any:
        kind, *parts = raw
        return _MAKERS[kind](self, *parts)

    def _all(self, numbers: list[int]) -> list[Any]:
        return [self[number] for number in numbers]

    def _tensor(
        self,
        storage: int,
        scalar_type: int,
        offset: int,
        sizes: list[int],
        strides: list[int],
        requires_grad: bool,
        quantized: bool,
    ) -> torch.Tensor:
        dtype = SCALAR_TYPES.get(scalar_type)
        if quantized or dtype is None:
            raise NotImplementedError(
                "the archive has a quantized tensor, which this build does not support"
                if quantized or scalar_type in range(12, 23)
                else f"the archive has a tensor of the unknown scalar type {scalar_type}"
            )
        memory = self._storage(storage)
        if len(sizes) != len(strides) or min((offset, *sizes, *strides)) < 0:
            raise damaged(f"a tensor has the sizes {sizes}, strides {strides} and offset {offset}")
        end = offset + 1 + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
        if 0 not in sizes and end * dtype.itemsize > memory.nbytes():
            raise damaged(f"a tensor needs {end} elements of a storage of {memory.nbytes()} bytes")
        tensor = torch.empty(0, dtype=dtype, device=memory.device)
        return tensor.set_(memory, offset, sizes, strides).requires_grad_(requires_grad)

    def _storage(self, number: int) -> UntypedStorage:
        if number not in self._storages:
            offset, size = item(self._archive.storages, number, "storage")
            whole = UntypedStorage._over_buffer(self._buffer, offset, size)
            self._storages[number] = self._place(whole)
        return self._storages[number]

    def storages(self) -> list[Any]:
        """Return the bytes of all storages, including changes made through the tensors."""
        numbers = range(len(self._archive.storages))
        return [memoryview(self._storage(number).cpu()) for number in numbers]

    def _dict(self, keys: list[int], values: list[int], annotation: str) -> dict[Any, Any]:
        if len(keys) != len(values):
            raise damaged("a dict has another number of keys than of values")
        return dict(zip(self._all(keys), self._all(values), strict=True))

    def _object(
        self, type_number: int, state: int, attributes: list[int], setstate: int
    ) -> MobileObject:
        name, kind, names = item(self._archive.types, type_number, "object type")
        if kind == CLASS_WITH_SETSTATE:
            raise NotImplementedError(
                f"the archive has an object of {name}, which restores itself by __setstate__"
            )
        if len(names) != len(attributes):
            raise damaged(f"an object of {name} has {len(attributes)} attributes")
        return MobileObject(name, names, self._all(attributes))

    def _enum(self, type_name: str, value: int) -> Any:
        return self[value]


_MAKERS: dict[str, Callable[..., Any]] = {
    "Tensor": Values._tensor,
    "List": lambda values, items, annotation: values._all(items),
    "IntList": lambda values, items: list(items),
    "DoubleList": lambda values, items: list(items),
    "BoolList": lambda values, items: list(items),
    "Tuple": lambda values, items: tuple(values._all(items)),
    "Dict": Values._dict,
    "Device": lambda values, text: torch.device(text),
    "Enum": Values._enum,
    "Object": Values._object,
    "Function": lambda values, *parts: parts,
}


def item(values: list[Any], number: int, what: str) -> Any:
    """Return an element that an archive refers to.

    Raises:
        RuntimeError: If there is none.
    """
    if not 0 <= number < len(values):
        raise damaged(f"it has no {what} {number}")
    return values[number]


def damaged(reason: str) -> RuntimeError:
    """Return the error for content that no writer produces."""
    return RuntimeError(f"the mobile archive is damaged: {reason}")

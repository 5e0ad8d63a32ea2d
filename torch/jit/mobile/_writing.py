"""Turns a module's state and methods into the values of an archive."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.jit._numbers import number_of
from torch.jit._upgraders import version_of
from torch.jit.mobile._archive import BYTECODE_VERSION, CLASS_WITH_FIELD, Archive
from torch.jit.mobile._values import MobileObject
from torch.nn.modules.module import Module
from torch.storage import UntypedStorage

_LEAST_OPERATOR_VERSION = 3
"""The version of archives whose operators have never changed."""


class Writer:
    """Collects the values, storages and types of one archive."""

    def __init__(self) -> None:
        self.values: list[Any] = [None]
        self.types: list[tuple[str, int, list[str]]] = []
        self.methods: list[int] = []
        self.operators: set[str] = set()
        """The full names of the operators that the methods call."""
        self._storages: list[UntypedStorage] = []
        self._storage_numbers: dict[int, int] = {}
        self._numbers: dict[Any, int] = {}
        self._alive: list[Any] = []  # so that no other object gets the id of a known one

    def add(self, value: Any) -> int:
        """Return the number of a value, which is written once if it is a number, text or tensor.

        Raises:
            TypeError: If archives cannot hold the value.
        """
        if value is None:
            return 0
        if isinstance(value, (bool, int, float, complex, str)):
            return self._add_once((type(value), repr(value)), value)
        if isinstance(value, torch.Tensor):
            return self._add_once(("tensor", id(value)), value, self._tensor)
        if isinstance(value, MobileObject):
            return self._add_once(("object", id(value)), value, self._object)
        if isinstance(value, Module):
            return self.add(mobile_object(value))
        return self._append(self._compound(value))

    def method(self, name: str, parts: tuple[Any, ...], operators: Iterable[str]) -> None:
        """Add a method of the module: the parts of a function, and the operators that it calls."""
        self.operators.update(operators)
        self.methods.append(self._append(("Function", name, *parts)))

    def archive(self, state: int, extra_files: Iterable[tuple[str, bytes]]) -> Archive:
        """Return the archive of the module with this number."""
        version = max([_LEAST_OPERATOR_VERSION, *map(version_of, self.operators)])
        return Archive(
            BYTECODE_VERSION,
            version,
            self.methods,
            list(extra_files),
            state,
            self.values,
            self._storages,
            self.types,
        )

    def _append(self, raw: Any) -> int:
        self.values.append(raw)
        return len(self.values) - 1

    def _add_once(self, key: Any, value: Any, make: Callable[[Any], Any] | None = None) -> int:
        if key not in self._numbers:
            self._numbers[key] = self._append(value if make is None else make(value))
            self._alive.append(value)
        return self._numbers[key]

    def _tensor(self, tensor: torch.Tensor) -> tuple[Any, ...]:
        if tensor.layout != torch.strided or number_of(tensor.dtype) is None:
            raise TypeError(
                f"a mobile archive cannot hold a tensor of {tensor.layout} and {tensor.dtype}"
            )
        plain = tensor.detach().cpu()
        storage = plain.untyped_storage()
        number = self._storage_numbers.setdefault(storage._cdata, len(self._storages))
        if number == len(self._storages):
            self._storages.append(storage)
        return (
            "Tensor",
            number,
            number_of(tensor.dtype),
            plain.storage_offset(),
            list(plain.shape),
            list(plain.stride()),
            tensor.requires_grad,
            False,
        )

    def _object(self, value: MobileObject) -> tuple[Any, ...]:
        attributes = [self.add(attribute) for attribute in value._values]
        type_row = (value._type_name, CLASS_WITH_FIELD, list(value._names))
        if type_row not in self.types:
            taken = {name for name, _, _ in self.types}
            name = value._type_name
            copy = 0
            while name in taken:  # a class whose objects have other attributes
                path, _, last = value._type_name.rpartition(".")
                name = f"{path}.___torch_mangle_{copy}.{last}"
                copy += 1
            type_row = (name, CLASS_WITH_FIELD, list(value._names))
            self.types.append(type_row)
        return ("Object", self.types.index(type_row), 0, attributes, 0)

    def _compound(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return ("Tuple", [self.add(item) for item in value])
        if isinstance(value, list):
            kinds = {type(item) for item in value}
            for kind, name in ((bool, "BoolList"), (int, "IntList"), (float, "DoubleList")):
                if kinds == {kind}:
                    return (name, value)
            return ("List", [self.add(item) for item in value], f"List[{_element_type(value)}]")
        if isinstance(value, dict):
            keys, values = list(value), list(value.values())
            annotation = f"Dict[{_element_type(keys)}, {_element_type(values)}]"
            return ("Dict", list(map(self.add, keys)), list(map(self.add, values)), annotation)
        if isinstance(value, torch.device):
            return ("Device", str(value))
        raise TypeError(f"a mobile archive cannot hold a value of type {type(value).__name__}")


def mobile_object(module: Module) -> MobileObject:
    """Return what an archive holds of a module: tensors, modules below it, and plain attributes."""
    names = ["training", *module._parameters, *module._buffers, *module._modules]
    plain = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and name not in names and _is_plain(value)
    ]
    values = [getattr(module, name) for name in [*names, *plain]]
    made = [mobile_object(value) if isinstance(value, Module) else value for value in values]
    return MobileObject(_type_name(type(module)), [*names, *plain], made)


def _type_name(kind: type) -> str:
    """Return the name that TorchScript gives a class."""
    module = "" if kind.__module__ == "__main__" else f"{kind.__module__}."
    return f"__torch__.{module}{re.sub(r'[^0-9A-Za-z_]', '_', kind.__name__)}"


def _is_plain(value: Any) -> bool:
    """Return whether a value consists of numbers, texts, lists, tuples and dicts of these."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value)) and (type(value) is tuple or _is_uniform(value))
    if isinstance(value, dict):
        parts = (list(value), list(value.values()))
        return all(_is_uniform(part) and all(map(_is_plain, part)) for part in parts)
    return value is None or type(value) in (bool, int, float, complex, str, torch.device)


def _is_uniform(values: list[Any]) -> bool:
    return len({type(value) for value in values}) == 1


_TYPE_NAMES = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str"}


def _element_type(values: list[Any]) -> str:
    if not values or all(isinstance(value, torch.Tensor) for value in values):
        return "Tensor"
    if any(value is None for value in values):
        return f"Optional[{_element_type([value for value in values if value is not None])}]"
    return _TYPE_NAMES.get(type(values[0]), "Any")

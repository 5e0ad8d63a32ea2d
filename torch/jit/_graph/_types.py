"""The types of the values of a graph."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import torch


class Type:
    """The type of a value of a graph: a name, such as "int", and the types it contains."""

    _kind = "Type"

    def __init__(self, name: str, contained: tuple[Type, ...] = ()) -> None:
        self._name = name
        self._contained = contained

    def kind(self) -> str:
        """Return the name of the class of the type, such as "IntType"."""
        return self._kind

    def str(self) -> str:
        """Return the type as graphs print it."""
        return self._name

    @property
    def annotation_str(self) -> str:
        """The type as programs write it."""
        return self._name

    def containedTypes(self) -> list[Type]:
        """Return the types of the elements."""
        return [*self._contained]

    def isSubtypeOf(self, other: Type) -> bool:
        """Return whether each value of this type has another type too."""
        return isinstance(other, AnyType) or self == other

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.str() == other.str()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.str())


class _SeenTensor(NamedTuple):
    """What a trace saw of a tensor; strides are None if its layout has none."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: torch.dtype
    device: torch.device
    requires_grad: bool


class TensorType(Type):
    """The type of a tensor: its sizes, strides, dtype and device where a trace saw them."""

    _kind = "TensorType"

    def __init__(self, seen: _SeenTensor | None = None) -> None:
        super().__init__("Tensor")
        self._seen = seen

    @classmethod
    def create_from_tensor(cls, tensor: torch.Tensor) -> TensorType:
        """Return the type of a tensor."""
        strides = tuple(tensor.stride()) if tensor.layout == torch.strided else None
        sizes = tuple(map(int, tensor.size()))
        return cls(_SeenTensor(sizes, strides, tensor.dtype, tensor.device, tensor.requires_grad))

    @classmethod
    def get(cls) -> TensorType:
        """Return the type of any tensor."""
        return cls()

    @property
    def is_complete(self) -> bool:
        """Whether sizes, strides, dtype and device are known."""
        return self._seen is not None and self._seen.strides is not None

    def sizes(self) -> list[int] | None:
        """Return the sizes, or None if they are not known."""
        return None if self._seen is None else [*self._seen.sizes]

    varyingSizes = symbolic_sizes = sizes

    def strides(self) -> list[int] | None:
        """Return the strides, or None if they are not known."""
        if self._seen is None or self._seen.strides is None:
            return None
        return [*self._seen.strides]

    def dim(self) -> int | None:
        """Return the number of dimensions, or None if it is not known."""
        return None if self._seen is None else len(self._seen.sizes)

    def dtype(self) -> torch.dtype | None:
        """Return the dtype, or None if it is not known."""
        return None if self._seen is None else self._seen.dtype

    def scalarType(self) -> str | None:
        """Return the name of the dtype, such as "Float", or None if it is not known."""
        return None if self._seen is None else _scalar_name(self._seen.dtype)

    def device(self) -> torch.device | None:
        """Return the device, or None if it is not known."""
        return None if self._seen is None else self._seen.device

    def requires_grad(self) -> bool:
        """Return whether a gradient is computed, which is so unless a trace saw otherwise."""
        return self._seen is None or self._seen.requires_grad

    def str(self) -> str:
        """Return "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)", or "Tensor"."""
        if self._seen is None:
            return "Tensor"
        sizes, strides, dtype, device, requires_grad = self._seen
        parts = [*map(str, sizes)]
        if strides:
            parts.append(f"strides=[{', '.join(map(str, strides))}]")
        parts += [f"requires_grad={int(requires_grad)}", f"device={device}"]
        return f"{_scalar_name(dtype)}({', '.join(parts)})"


class _PlainType(Type):
    """A type that contains no other; all its instances are equal."""

    _plain = ""

    def __init__(self) -> None:
        super().__init__(self._plain)

    @classmethod
    def get(cls) -> Type:
        """Return the type."""
        return cls()


class AnyType(_PlainType):
    """The type of all values."""

    _kind, _plain = "AnyType", "Any"


class BoolType(_PlainType):
    """The type of True and False."""

    _kind, _plain = "BoolType", "bool"


class ComplexType(_PlainType):
    """The type of complex numbers."""

    _kind, _plain = "ComplexType", "complex"


class DeviceObjType(_PlainType):
    """The type of devices."""

    _kind, _plain = "DeviceObjType", "Device"


class FloatType(_PlainType):
    """The type of floating-point numbers."""

    _kind, _plain = "FloatType", "float"


class IntType(_PlainType):
    """The type of integers."""

    _kind, _plain = "IntType", "int"


class NoneType(_PlainType):
    """The type of None."""

    _kind, _plain = "NoneType", "NoneType"


class StringType(_PlainType):
    """The type of strings."""

    _kind, _plain = "StringType", "str"


class ClassType(Type):
    """The type of an object or a module of a program."""

    _kind = "ClassType"

    def __init__(self, name: str) -> None:
        super().__init__(name)

    def qualified_name(self) -> str:
        """Return the name of the class with its module."""
        return self._name


class ListType(Type):
    """The type of lists."""

    _kind = "ListType"

    def __init__(self, element: Type) -> None:
        super().__init__(f"List[{element}]", (element,))

    def str(self) -> str:
        """Return the type as graphs print it, such as "int[]"."""
        return f"{self._contained[0]}[]"

    def getElementType(self) -> Type:
        """Return the type of the elements."""
        return self._contained[0]


class OptionalType(Type):
    """The type of values that may be None."""

    _kind = "OptionalType"

    def __init__(self, element: Type) -> None:
        super().__init__(f"Optional[{element}]", (element,))

    def str(self) -> str:
        """Return the type as graphs print it, such as "int?"."""
        return f"{self._contained[0]}?"

    def getElementType(self) -> Type:
        """Return the type of values that are not None."""
        return self._contained[0]


class TupleType(Type):
    """The type of tuples."""

    _kind = "TupleType"

    def __init__(self, elements: list[Type]) -> None:
        super().__init__(f"Tuple[{', '.join(map(str, elements))}]", tuple(elements))

    def str(self) -> str:
        """Return the type as graphs print it, such as "(int, int)"."""
        return f"({', '.join(each.str() for each in self._contained)})"

    def elements(self) -> list[Type]:
        """Return the types of the elements."""
        return [*self._contained]


class DictType(Type):
    """The type of dicts."""

    _kind = "DictType"

    def __init__(self, key: Type, value: Type) -> None:
        super().__init__(f"Dict[{key}, {value}]", (key, value))

    def str(self) -> str:
        """Return the type as graphs print it, such as "Dict(str, Tensor)"."""
        return f"Dict({self._contained[0]}, {self._contained[1]})"

    def getKeyType(self) -> Type:
        """Return the type of the keys."""
        return self._contained[0]

    def getValueType(self) -> Type:
        """Return the type of the values."""
        return self._contained[1]


@functools.cache
def _scalar_name(dtype: torch.dtype) -> str:
    name = torch.empty(0, dtype=dtype).type()
    return name.removeprefix("torch.").removesuffix("Tensor")


_PLAIN: dict[str, type[_PlainType]] = {
    each._plain: each
    for each in (AnyType, BoolType, ComplexType, DeviceObjType, FloatType, IntType, StringType)
} | {"NoneType": NoneType, "None": NoneType}


def type_of_annotation(annotation: Any) -> Type:
    """Return the type that a ScriptType of a program stands for."""
    name, parameters = annotation.name, [*map(type_of_annotation, annotation.parameters)]
    if name == "Tensor":
        return TensorType()
    if name in _PLAIN:
        return _PLAIN[name]()
    if name == "List":
        return ListType(parameters[0])
    if name == "Optional":
        return OptionalType(parameters[0])
    if name == "Tuple":
        return TupleType(parameters)
    if name == "Dict":
        return DictType(*parameters)
    return ClassType(str(annotation))

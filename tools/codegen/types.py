"""Types of the operator schema language: `Tensor?[]`, `SymInt[2]`, `bool[3]`, ..."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tools.codegen.errors import SchemaError, suggest

BASE_TYPES = frozenset(
    [
        "Tensor",
        "Scalar",
        "bool",
        "int",
        "float",
        "complex",
        "str",
        "SymInt",
        "SymBool",
        "ScalarType",
        "Layout",
        "Device",
        "DeviceIndex",
        "MemoryFormat",
        "QScheme",
        "Dimname",
        "DimVector",
        "Generator",
        "Storage",
        "Stream",
        "ConstQuantizerPtr",
    ]
)
_CUSTOM_CLASS = "__torch__.torch.classes."


class Type:
    """The type of an argument or result in a schema."""

    __slots__ = ()

    def base(self) -> BaseType | CustomClassType:
        """Return the innermost type."""
        raise NotImplementedError

    def is_tensor_like(self) -> bool:
        """Return whether tensors of this type take part in dispatch."""
        return self.base() == TENSOR

    def is_optional(self) -> bool:
        return isinstance(self, OptionalType)

    def list_type(self) -> ListType | None:
        """Return the type itself, or the type inside an optional, if it is a list."""
        return None


@dataclass(frozen=True)
class BaseType(Type):
    """A type without parameters."""

    name: str

    def __str__(self) -> str:
        return self.name

    def base(self) -> BaseType:
        return self


@dataclass(frozen=True)
class CustomClassType(Type):
    """A TorchBind class, `__torch__.torch.classes.namespace.Name`."""

    class_name: str

    def __str__(self) -> str:
        return _CUSTOM_CLASS + self.class_name

    def base(self) -> CustomClassType:
        return self


@dataclass(frozen=True)
class OptionalType(Type):
    """A type whose value may be None."""

    elem: Type

    def __str__(self) -> str:
        return f"{self.elem}?"

    def base(self) -> BaseType | CustomClassType:
        return self.elem.base()

    def list_type(self) -> ListType | None:
        return self.elem.list_type()


@dataclass(frozen=True)
class ListType(Type):
    """A list; `size` is the length of bool[N], or the length that one value is broadcast to."""

    elem: Type
    size: int | None

    def __str__(self) -> str:
        return f"{self.elem}[{'' if self.size is None else self.size}]"

    def base(self) -> BaseType | CustomClassType:
        return self.elem.base()

    def list_type(self) -> ListType | None:
        return self


TENSOR = BaseType("Tensor")


@cache
def parse_type(text: str) -> Type:
    """Parse a type, without alias annotations."""
    if len(text) > 200:
        raise SchemaError("this type is too long", 0, len(text))
    if text.endswith("?"):
        return OptionalType(parse_type(text[:-1]))
    if text.endswith("]"):
        elem, _, size = text[:-1].rpartition("[")
        if not elem or (size and not size.isascii()) or (size and not size.isdigit()):
            raise SchemaError(f'"{text}" is not a list type', 0, len(text))
        if len(size) > 9:
            raise SchemaError(f'the size of "{text}" is too large', 0, len(text))
        parsed = ListType(parse_type(elem), int(size) if size else None)
        if str(parsed) != text:
            raise SchemaError(f'the size of "{text}" is not a plain number', 0, len(text))
        return parsed
    if text.startswith(_CUSTOM_CLASS):
        return CustomClassType(text[len(_CUSTOM_CLASS) :])
    if text not in BASE_TYPES:
        hint = suggest(text, BASE_TYPES)
        raise SchemaError(f'unknown type "{text}"{hint}', 0, max(1, len(text)))
    return BaseType(text)


def nested(type: Type) -> Iterator[Type]:
    """Yield the type and everything inside it, outermost first."""
    yield type
    if isinstance(type, (OptionalType, ListType)):
        yield from nested(type.elem)

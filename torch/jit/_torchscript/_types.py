"""Types of TorchScript: parsed from annotations, written in files, and asked of values at run time."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import torch

_PLAIN: dict[str, tuple[type, ...]] = {
    "Tensor": (torch.Tensor,),
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    "complex": (complex,),
    "str": (str,),
    "number": (int, float, complex),
    "Scalar": (int, float, complex),
    "Device": (torch.device,),
    "NoneType": (type(None),),
    "None": (type(None),),
    "list": (list,),
    "tuple": (tuple,),
}
_NUMBERS = frozenset(("int", "float", "bool", "complex", "number", "Scalar"))


@dataclass(frozen=True)
class ScriptType:
    """A type: its name, such as "List" or "__torch__.Net", and its parameters."""

    name: str
    parameters: tuple[ScriptType, ...] = ()

    def __str__(self) -> str:
        if not self.parameters:
            return "Tuple[()]" if self.name == "Tuple" else self.name
        return f"{self.name}[{', '.join(map(str, self.parameters))}]"

    @property
    def is_number(self) -> bool:
        """Whether values are single numbers."""
        return self.name in _NUMBERS

    def accepts(self, value: Any) -> bool:
        """Return whether a value has this type."""
        check = _COMPOUND.get(self.name)
        if check is not None:
            return check(self.parameters, value)
        if self.name == "Any":
            return True
        if self.name == "int" and isinstance(value, bool):
            return False
        plain = _PLAIN.get(self.name)
        if plain is not None:
            return isinstance(value, plain)
        return getattr(type(value), "_qualified_name", None) == self.name or (
            getattr(value, "_script_name", None) == self.name
        )


def _of_list(parameters: tuple[ScriptType, ...], value: Any) -> bool:
    return isinstance(value, list) and all(map(parameters[0].accepts, value))


def _of_tuple(parameters: tuple[ScriptType, ...], value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == len(parameters)
        and all(p.accepts(v) for p, v in zip(parameters, value, strict=True))
    )


def _of_dict(parameters: tuple[ScriptType, ...], value: Any) -> bool:
    key, item = parameters
    return isinstance(value, dict) and all(
        key.accepts(k) and item.accepts(v) for k, v in value.items()
    )


_COMPOUND = {
    "List": _of_list,
    "Tuple": _of_tuple,
    "Dict": _of_dict,
    "Optional": lambda parameters, value: value is None or parameters[0].accepts(value),
    "Union": lambda parameters, value: any(p.accepts(value) for p in parameters),
    "Final": lambda parameters, value: parameters[0].accepts(value),
    "Future": lambda parameters, value: isinstance(value, torch.futures.Future),
}


def type_of_node(node: ast.expr) -> ScriptType:
    """Return the type that an annotation names.

    Raises:
        RuntimeError: If the expression is not a type.
    """
    match node:
        case ast.Name(id=name):
            return ScriptType(name)
        case ast.Constant(value=None):
            return ScriptType("NoneType")
        case ast.Attribute():
            return ScriptType(ast.unparse(node))
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=elements)):
            return ScriptType(name, tuple(map(type_of_node, elements)))
        case ast.Subscript(value=ast.Name(id=name), slice=element):
            return ScriptType(name, (type_of_node(element),))
    raise RuntimeError(f"the archive has an annotation that is not a type: {ast.unparse(node)}")


def parse_type(text: str) -> ScriptType:
    """Return the type that a text names, such as "Dict[str, Tensor]".

    Raises:
        RuntimeError: If the text is not a type.
    """
    try:
        return type_of_node(ast.parse(text, mode="eval").body)
    except SyntaxError:
        raise RuntimeError(f"the archive has a text that is not a type: {text!r}") from None


_BY_CLASS = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str"}


def type_of_value(value: Any) -> ScriptType:
    """Return the type of a value without an annotation; an empty list is one of tensors."""
    if value is None:
        return ScriptType("NoneType")
    if isinstance(value, torch.Tensor):
        return ScriptType("Tensor")
    if isinstance(value, torch.device):
        return ScriptType("Device")
    if isinstance(value, tuple):
        return ScriptType("Tuple", tuple(map(type_of_value, value)))
    if isinstance(value, list):
        return ScriptType("List", (_common_type(value),))
    if isinstance(value, dict):
        return ScriptType("Dict", (_common_type([*value]), _common_type([*value.values()])))
    name = _BY_CLASS.get(type(value)) or getattr(value, "_script_name", None)
    if name is None:
        raise TypeError(f"TorchScript has no type for a value of type {type(value).__name__}")
    return ScriptType(name)


def _common_type(values: list[Any]) -> ScriptType:
    found = list(dict.fromkeys(type_of_value(value) for value in values))
    none = ScriptType("NoneType")
    if len(found) == 2 and none in found:
        return ScriptType("Optional", tuple(t for t in found if t != none))
    if len(found) > 1:
        raise TypeError(f"TorchScript has no lists or dicts of {', '.join(map(str, found))}")
    return found[0] if found else ScriptType("Tensor")

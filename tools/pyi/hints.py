"""Schemas as Python annotations, for type stubs."""

from __future__ import annotations

import keyword
from functools import cache

from tools.codegen.api.python import PythonParameter, PythonSignature
from tools.codegen.schema import FunctionSchema
from tools.codegen.types import ListType, OptionalType, Type

_HINTS = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "int": "_int",
    "SymInt": "_int",
    "float": "_float",
    "bool": "_bool",
    "complex": "_complex",
    "str": "str",
    "ScalarType": "_dtype",
    "Layout": "_layout",
    "Device": "DeviceLikeType",
    "MemoryFormat": "memory_format",
    "Generator": "Generator",
    "Storage": "StorageBase",
}
_LITERALS = frozenset({"True", "False", "None"})


@cache
def argument_hint(type: Type) -> str:
    """Return the annotation of a parameter: the values that a caller may pass."""
    if isinstance(type, OptionalType):
        return f"{argument_hint(type.elem)} | None"
    if not isinstance(type, ListType):
        return _HINTS.get(str(type), "Any")
    match str(type.elem):
        case "int" | "SymInt":
            return "_size" if type.size is None else "_int | _size"
        case "Tensor":
            return "tuple[Tensor, ...] | list[Tensor]"
        case _:
            return f"Sequence[{argument_hint(type.elem)}]"


def return_hint(func: FunctionSchema, named_tuple: str | None) -> str:
    """Return the annotation of the result; `named_tuple` is the name of its type, if it has one."""
    if named_tuple is not None:
        return f"_return_types.{named_tuple}"
    hints = [_result_hint(result.type) for result in func.returns]
    if not hints:
        return "None"
    return hints[0] if len(hints) == 1 else f"tuple[{', '.join(hints)}]"


def _result_hint(type: Type) -> str:
    if isinstance(type, ListType):
        return f"tuple[{_result_hint(type.elem)}, ...]"
    if isinstance(type, OptionalType):
        return f"{_result_hint(type.elem)} | None"
    return _HINTS.get(str(type), "Any")


def parameters(signature: PythonSignature, *, method: bool) -> list[str]:
    """Return the parameters of a `def`, including `self` for methods."""
    shown = ["self"] if method else []
    star = False
    for parameter in signature.parameters():
        if parameter.keyword_only and not star:
            shown.append("*")
            star = True
        shown.append(_parameter(parameter))
    return shown


def variadic_parameters(signature: PythonSignature, *, method: bool) -> list[str] | None:
    """Return the parameters with sizes as separate arguments, or None if there is no such form."""
    positional = signature.positional
    if len(positional) != 1 or not isinstance(positional[0].type, ListType):
        return None
    if str(positional[0].type.elem) not in ("int", "SymInt"):
        return None
    keywords = [_parameter(p) for p in signature.parameters() if p.keyword_only]
    return [*(["self"] if method else []), f"*{positional[0].name}: _int", *keywords]


def _parameter(parameter: PythonParameter) -> str:
    name = "input" if parameter.name == "self" else parameter.name
    if keyword.iskeyword(name):
        name += "_"
    hint = argument_hint(parameter.type)
    if parameter.default == "None" and not hint.endswith(" | None"):
        hint += " | None"
    text = f"{name}: {hint}"
    if parameter.default is None:
        return text
    return f"{text} = {default_text(parameter.default)}"


def default_text(text: str) -> str:
    """Return a default value as stubs show it."""
    if text in _LITERALS:
        return text
    try:
        float(text)
    except ValueError:
        return text if text.startswith(("'", '"')) else "..."
    return text

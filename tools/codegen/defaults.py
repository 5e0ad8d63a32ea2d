"""Default values in the schema language: which literals each type accepts."""

from __future__ import annotations

import re
from functools import cache

from tools.codegen.types import BaseType, CustomClassType, ListType, OptionalType, Type

_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|inf)")
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_BOOL = re.compile("True|False")

# The literals of each type as a pattern, and as words for messages. Other types have none.
_LITERALS = {
    "bool": (_BOOL, "True or False"),
    "int": (re.compile(rf"{_WHOLE.pattern}|Mean"), "a whole number"),
    "SymInt": (_WHOLE, "a whole number"),
    "float": (_NUMBER, "a number"),
    "Scalar": (re.compile(f"{_NUMBER.pattern}|{_BOOL.pattern}"), "a number"),
    "str": (_STRING, "a string in quotes"),
    "ScalarType": (re.compile("long"), '"long"'),
    "MemoryFormat": (re.compile("contiguous_format"), '"contiguous_format"'),
}


@cache
def default_mistake(type: Type, default: str) -> str | None:
    """Return what is wrong with the default value, or None."""
    expected = _expected(type)
    if not expected:
        return f"a {type} cannot have a default value; only {type}? can have one, None"
    if _fits(type, default):
        return None
    return f'"{default}" is not a default value of {type}; expected {expected}'


def _fits(type: Type, default: str) -> bool:
    match type:
        case OptionalType():
            return default == "None" or _fits(type.elem, default)
        case ListType():
            if type.size is not None and _fits(type.elem, default):
                return True
            if not (default.startswith("[") and default.endswith("]")):
                return False
            items = default[1:-1].split(",") if default != "[]" else []
            return all(_fits(type.elem, item.strip()) for item in items)
        case BaseType() if type.name in _LITERALS:
            return _LITERALS[type.name][0].fullmatch(default) is not None
    return False


def _expected(type: Type) -> str:
    """Describe the accepted literals; empty if there are none."""
    match type:
        case OptionalType():
            inner = _expected(type.elem)
            return f"None or {inner}" if inner else "None"
        case ListType():
            inner = _expected(type.elem)
            one = f"{inner} or " if type.size is not None and inner else ""
            return f"{one}a list such as [] or [0,1]"
        case BaseType() if type.name in _LITERALS:
            return _LITERALS[type.name][1]
        case BaseType() | CustomClassType():
            return ""
    raise AssertionError(f"unknown kind of type {type}")

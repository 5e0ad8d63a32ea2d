"""The schema of an operator, from the annotations of a Python function."""

import inspect
import types
import typing

import torch

_SCHEMA_TYPES = {
    "Tensor": "Tensor",
    "int": "SymInt",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "dtype": "ScalarType",
    "device": "Device",
    "Number": "Scalar",
    "int | float | bool": "Scalar",
    "memory_format": "MemoryFormat",
    "layout": "Layout",
}


_NOT_IN_LISTS = ("str", "ScalarType", "Device", "MemoryFormat", "Layout")


class _UnsupportedType(Exception):
    """An annotation that has no counterpart in schemas."""


def _schema_type(annotation):
    """Translate a Python annotation to a type of the schema language."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        others = [arg for arg in args if arg is not type(None)]
        if len(others) == 3 and set(others) == {int, float, bool}:
            return "Scalar" + "?" * (len(args) > len(others))
        if len(others) == 1:
            return _schema_type(others[0]) + "?"
    if origin is not None and args and getattr(origin, "__name__", "") in ("list", "Sequence"):
        item = _schema_type(args[0])
        if item.removesuffix("?") in _NOT_IN_LISTS:
            raise _UnsupportedType(annotation)
        return item + "[]"
    name = getattr(annotation, "__name__", str(annotation))
    if name not in _SCHEMA_TYPES:
        raise _UnsupportedType(annotation)
    return _SCHEMA_TYPES[name]


# The types of defaults that a schema can state.
_DEFAULTS = (int, float, bool, str, type(None), torch.dtype, torch.device)


def _default(value):
    """Write the default of a parameter as schemas do."""
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    return f'"{value}"' if isinstance(value, (str, torch.device)) else repr(value)


def infer_schema(prototype_function, /, *, mutates_args, op_name=None, tags=()):
    """Infer the schema of an operator from the annotations of a function.

    Args:
        prototype_function: A function whose parameters all have annotations.
        mutates_args: The names of the tensors that it modifies, or "unknown" for all.
        op_name: The name to put before the schema.
        tags: Ignored: no tag changes a schema.

    Raises:
        ValueError: If an annotation is missing, or it or a default has no counterpart in schemas, or
            `mutates_args` has a name that the function lacks or is another string.

    Example:
        >>> def scale(x: torch.Tensor, by: float = 1.0) -> torch.Tensor:
        ...     return x * by
        >>> torch.library.infer_schema(scale, mutates_args=())
        '(Tensor x, float by=1.0) -> Tensor'
    """
    if isinstance(mutates_args, str) and mutates_args != "unknown":
        raise ValueError(
            "mutates_args must either be a sequence of the names of the arguments that are mutated "
            "or the string 'unknown'. "
        )
    signature = inspect.signature(prototype_function)
    hints = typing.get_type_hints(prototype_function)
    unknown = set() if mutates_args == "unknown" else set(mutates_args) - {*signature.parameters}
    if unknown:
        raise ValueError(
            f"infer_schema(func): {unknown} in mutates_args were not found in the custom op's "
            "signature. mutates_args should contain the names of all args that the custom op "
            "mutates, or just the string 'unknown' if you don't know. Got func with signature "
            f"{signature})"
        )
    parts, keyword = [], False
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword:
            parts.append("*")
            keyword = True
        if name not in hints:
            raise ValueError(
                f"infer_schema(func): Parameter {name} must have a type annotation. Got func with "
                f"signature {signature})"
            )
        if (
            not isinstance(parameter.default, _DEFAULTS)
            and parameter.default is not parameter.empty
        ):
            raise ValueError(
                f"infer_schema(func): Parameter {name} has an unsupported default value type "
                f"{type(parameter.default)}. Please file an issue on GitHub so we can prioritize "
                f"this. Got func with signature {signature})"
            )
        try:
            kind = _schema_type(hints[name])
        except _UnsupportedType:
            raise ValueError(
                f"infer_schema(func): Parameter {name} has unsupported type {hints[name]}. The valid "
                f"types are: {', '.join(_SCHEMA_TYPES)}, and lists and optionals of them. Got func "
                f"with signature {signature})"
            ) from None
        if kind.startswith("Tensor") and (mutates_args == "unknown" or name in mutates_args):
            kind = kind.replace("Tensor", f"Tensor(a{index}!)", 1)
        default = "" if parameter.default is parameter.empty else f"={_default(parameter.default)}"
        parts.append(f"{kind} {name}{default}")
    if "return" not in hints:
        raise ValueError(
            "infer_schema(func): No return type annotation was provided. Please add one. Got func "
            f"with signature {signature})"
        )
    returned = hints["return"]
    return f"{op_name or ''}({', '.join(parts)}) -> {_results(returned, signature)}"


_RESULTS = ("Tensor", "Tensor[]", "SymInt", "float", "bool", "Scalar")


def _results(annotation, signature):
    """Translate the annotation of what a function returns."""
    if annotation in (None, type(None)):
        return "()"
    several = typing.get_origin(annotation) is tuple
    kinds = []
    for each in typing.get_args(annotation) if several else [annotation]:
        try:
            kinds.append(_schema_type(each))
        except _UnsupportedType:
            kinds.append("")
        if kinds[-1] not in _RESULTS:
            raise ValueError(
                f"infer_schema(func): Return has unsupported type {each}. The valid types are: "
                "Tensor, List[Tensor], int, float, bool and Number. Got func with signature "
                f"{signature})"
            )
    return f"({', '.join(kinds)})" if several else kinds[0]

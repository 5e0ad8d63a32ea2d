"""Arguments in a normal form: which parameter of the target each argument is."""

from __future__ import annotations

import inspect
import numbers
import re
import types
import typing
from typing import Any, NamedTuple, Optional

import torch

__all__ = [
    "ArgsKwargsPair",
    "check_for_mutable_operation",
    "create_type_hint",
    "get_signature_for_torch_op",
    "normalize_function",
    "normalize_module",
    "type_matches",
]

# The types that schemas name; enumerations are numbers. Others, such as Generator, may be anything.
_TYPES = {
    "Tensor": torch.Tensor,
    "Scalar": numbers.Number,
    "Device": torch.device,
    "bool": bool,
    "float": float,
    "str": str,
    **dict.fromkeys(("int", "SymInt", "ScalarType", "Layout", "MemoryFormat"), int),
}


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class ArgsKwargsPair(NamedTuple):
    """Arguments and keyword arguments.

    Example:
        >>> from torch.fx.operator_schemas import ArgsKwargsPair
        >>> ArgsKwargsPair((1,), {"dim": 0}).kwargs
        {'dim': 0}
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def _bind(
    signature: inspect.Signature, args: Any, kwargs: Any, only_kwargs: bool
) -> ArgsKwargsPair | None:
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    if not only_kwargs:
        given = bound.args[: len(args)]
        rest = list(bound.arguments.items())[len(args) :]
        named = {n: v for n, v in rest if signature.parameters[n].kind not in _VARIADIC}
        return ArgsKwargsPair(given, {**named, **bound.kwargs})
    if any(p.kind in _VARIADIC for p in signature.parameters.values()):
        return None
    return ArgsKwargsPair((), dict(bound.arguments))


def _annotation(text: str) -> Any:
    """Return the Python type of an argument that a schema declares, such as "int[2]?"."""
    text = text.strip()
    if text.endswith("?"):
        return Optional[_annotation(text[:-1])]  # noqa: UP045 (a value, not an annotation)
    if text.endswith("]"):
        return typing.List[_annotation(text[: text.rindex("[")])]  # noqa: UP006
    return _TYPES.get(text, Any)


def _schema_signature(overload: Any) -> inspect.Signature:
    parameters = []
    for argument in overload._schema.arguments:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        if argument.kwarg_only:
            kind = inspect.Parameter.KEYWORD_ONLY
        default, declared = inspect.Parameter.empty, str(argument.type)
        if argument.has_default_value():
            default = _expanded(argument.default_value, declared)
        name = "input" if argument.name == "self" else argument.name
        annotation = _annotation(declared)
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    results = tuple(_annotation(str(result.type)) for result in overload._schema.returns)
    result = results[0] if len(results) == 1 else results
    return inspect.Signature(parameters, return_annotation=result)


def _expanded(default: Any, declared: str) -> Any:
    """Return a default; a number for a list of known length is a list."""
    sized = re.fullmatch(r"\w+\[(\d+)\]", declared)
    return [default] * int(sized[1]) if sized and isinstance(default, int) else default


def _overloads(op: Any) -> list[Any]:
    """Return the overloads of the operator that a function calls; none for other functions."""
    if isinstance(op, torch._ops.OpOverload):
        return [op]
    packet = op
    if not isinstance(op, torch._ops.OpOverloadPacket):
        name = getattr(op, "__name__", "")
        spaces = (torch, torch._C._nn, torch.special, torch.linalg, torch.fft)
        if not name or all(getattr(space, name, None) is not op for space in spaces):
            return []
        packet = getattr(torch.ops.aten, name, None)
    return [getattr(packet, name) for name in packet.overloads()] if packet is not None else []


def get_signature_for_torch_op(op: Any, return_schemas: bool = False) -> Any:
    """Return the signatures of an operator's overloads, or None for functions that are no operators.

    Args:
        op: The function, such as `torch.add` or `torch.ops.aten.add.Tensor`.
        return_schemas: Whether to return a pair, of which the second part is the list of schemas.

    Example:
        >>> from torch.fx.operator_schemas import get_signature_for_torch_op
        >>> list(get_signature_for_torch_op(torch.ops.aten.cumsum.default)[0].parameters)
        ['input', 'dim', 'dtype']
    """
    native = inspect.isbuiltin(op) or not inspect.isroutine(op)
    overloads = _overloads(op) if native else []
    if not overloads:
        return (None, None) if return_schemas else None
    signatures = [_schema_signature(overload) for overload in overloads]
    return (signatures, [each._schema for each in overloads]) if return_schemas else signatures


def check_for_mutable_operation(target: Any, args: Any, kwargs: Any) -> None:
    """Raise RuntimeError for the call of an operator that changes its arguments.

    Example:
        >>> from torch.fx.operator_schemas import check_for_mutable_operation
        >>> check_for_mutable_operation(torch.relu, (torch.ones(1),), {})
    """
    signatures, schemas = get_signature_for_torch_op(target, return_schemas=True)
    fitting = [
        schema
        for signature, schema in zip(signatures or (), schemas or (), strict=True)
        if _bind(signature, args, kwargs, False) is not None
    ]
    if len(fitting) == 1 and fitting[0].is_mutable:
        raise RuntimeError(
            f"Tried to trace mutable operation {fitting[0]}. FX only supports functional code, so "
            "operations that mutate operands in-place (e.g. via `out` arguments) are not supported"
        )


def create_type_hint(x: Any) -> Any:
    """Return the type of a list or tuple of types, and other values as they are.

    Example:
        >>> from torch.fx.operator_schemas import create_type_hint
        >>> create_type_hint([int, int]), create_type_hint((int, str))
        (list[int], tuple[typing.Any, ...])
    """
    if not isinstance(x, (list, tuple)):
        return x
    kinds = [each for each in x if isinstance(each, type)]
    first = kinds[0] if kinds and len(kinds) == len(x) else None
    base = next((k for k in kinds if first and all(issubclass(other, k) for other in kinds)), Any)
    return list[base] if isinstance(x, list) else tuple[base, ...]  # type: ignore[valid-type]


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Return whether an argument of a type fits a parameter of another.

    A number fits a list of numbers, and each type fits a union that has it.

    Example:
        >>> from torch.fx.operator_schemas import type_matches
        >>> type_matches(list[int], int), type_matches(int, float)
        (True, False)
    """
    origin, inner = typing.get_origin(signature_type), typing.get_args(signature_type)
    if signature_type is argument_type or signature_type == argument_type:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(type_matches(each, argument_type) for each in inner)
    if origin is list:
        given, parts = typing.get_origin(argument_type), typing.get_args(argument_type)
        if given in (list, tuple):
            parts = tuple(part for part in parts if part is not ...)
            return all(_is_subclass(part, inner[0]) for part in parts)
        return inner[0] is int and argument_type is int
    if signature_type is numbers.Number and argument_type in (int, float, complex, bool):
        return True
    return _is_subclass(argument_type, signature_type)


def _is_subclass(one: Any, other: Any) -> bool:
    both = isinstance(one, type) and isinstance(other, type)
    return issubclass(one, other) if both and not typing.get_origin(other) else one == other


def _signatures(target: Any) -> list[inspect.Signature]:
    """Return the signatures that a function may have; an operator has one for each overload."""
    if not isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        try:
            return [inspect.signature(target)]
        except (TypeError, ValueError):
            pass
    return get_signature_for_torch_op(target) or []


def _fitting(target: Any, args: Any, kwargs: Any, only_kwargs: bool) -> list[Any]:
    """Return the signatures that a call fits, each with the call's arguments."""
    pairs = [(s, _bind(s, args, kwargs, only_kwargs)) for s in _signatures(target)]
    return [pair for pair in pairs if pair[1] is not None]


def comparable_arguments(node: Any, root: Any, only_kwargs: bool = False) -> ArgsKwargsPair | None:
    """Return the normal form of a node's arguments for its first overload that the call fits."""
    if node.op != "call_function":
        return node.normalized_arguments(root, normalize_to_only_use_kwargs=only_kwargs)
    found = _fitting(node.target, node.args, node.kwargs, only_kwargs)
    return found[0][1] if found else None


def _fits(signature: inspect.Signature, arg_types: Any, kwarg_types: Any) -> bool:
    """Return whether arguments of these types fit the annotations of a signature."""
    try:
        bound = signature.bind(*arg_types, **(kwarg_types or {}))
    except TypeError:
        return False
    wanted = signature.parameters
    return all(type_matches(wanted[n].annotation, kind) for n, kind in bound.arguments.items())


def normalize_function(
    target: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    arg_types: Any = None,
    kwarg_types: Any = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Return the arguments of a function's call with defaults filled in, or None if unknown.

    Args:
        target: The function.
        args: The arguments.
        kwargs: The keyword arguments.
        arg_types: The types of the arguments, which choose among an operator's overloads.
        kwarg_types: The types of the keyword arguments.
        normalize_to_only_use_kwargs: Whether to return all as keyword arguments.

    Raises:
        RuntimeError: If the call fits several overloads, and the types do not choose one.

    Example:
        >>> from torch.fx.operator_schemas import normalize_function
        >>> relu = torch.nn.functional.relu
        >>> normalize_function(relu, (1,), {}, normalize_to_only_use_kwargs=True).kwargs
        {'input': 1, 'inplace': False}
    """
    found = _fitting(target, args, kwargs or {}, normalize_to_only_use_kwargs)
    if len(found) <= 1:
        return found[0][1] if found else None
    if arg_types is None and kwarg_types is None:
        raise RuntimeError(_ambiguity(target, found))
    typed = [bound for s, bound in found if _fits(s, arg_types or (), kwarg_types)]
    return typed[0] if typed else None


def _ambiguity(target: Any, found: Any) -> str:
    return (
        f"Tried to normalize arguments to {torch.typename(target)} but the schema match was "
        "ambiguous! Please provide argument types to the normalize_arguments() call. Available "
        "schemas:\n" + "\n".join(str(signature) for signature, _ in found)
    )


def normalize_module(
    root: torch.nn.Module,
    target: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Return the arguments of a module's call with defaults filled in, or None if unknown.

    Args:
        root: The module that has the submodule.
        target: The name of the submodule.
        args: The arguments.
        kwargs: The keyword arguments.
        normalize_to_only_use_kwargs: Whether to return all as keyword arguments.

    Raises:
        RuntimeError: If there is no such submodule.

    Example:
        >>> from torch.fx.operator_schemas import normalize_module
        >>> root = nn.Sequential(nn.ReLU())
        >>> normalize_module(root, "0", (1,), normalize_to_only_use_kwargs=True).kwargs
        {'input': 1}
    """
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from error
    signature = inspect.signature(module.forward)
    return _bind(signature, args, kwargs or {}, normalize_to_only_use_kwargs)

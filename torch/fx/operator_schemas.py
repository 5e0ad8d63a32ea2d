"""Arguments in a normal form: which parameter of the target each argument is."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import torch

__all__ = ["normalize_function"]


class ArgsKwargsPair(NamedTuple):
    """Arguments and keyword arguments."""

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
        return ArgsKwargsPair(bound.args, bound.kwargs)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
        return None
    return ArgsKwargsPair((), dict(bound.arguments))


def _schema_signature(overload: Any) -> inspect.Signature:
    parameters = []
    for argument in overload._schema.arguments:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        if argument.kwarg_only:
            kind = inspect.Parameter.KEYWORD_ONLY
        default = inspect.Parameter.empty
        if argument.has_default_value():
            default = argument.default_value
        name = "input" if argument.name == "self" else argument.name
        parameters.append(inspect.Parameter(name, kind, default=default))
    return inspect.Signature(parameters)


def _signatures(target: Any) -> list[inspect.Signature]:
    """Return the signatures that a function may have; an operator has one for each overload."""
    if isinstance(target, torch._ops.OpOverload):
        return [_schema_signature(target)]
    try:
        return [inspect.signature(target)]
    except (TypeError, ValueError):
        pass
    packet = getattr(torch.ops.aten, getattr(target, "__name__", ""), None)
    if packet is None:
        return []
    overloads = [getattr(packet, name) for name in packet.overloads() if not name.endswith("out")]
    return [_schema_signature(overload) for overload in overloads]


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
        arg_types: Ignored.
        kwarg_types: Ignored.
        normalize_to_only_use_kwargs: Whether to return all as keyword arguments.

    Example:
        >>> from torch.fx.operator_schemas import normalize_function
        >>> relu = torch.nn.functional.relu
        >>> normalize_function(relu, (1,), {}, normalize_to_only_use_kwargs=True).kwargs
        {'input': 1, 'inplace': False}
    """
    for signature in _signatures(target):
        bound = _bind(signature, args, kwargs or {}, normalize_to_only_use_kwargs)
        if bound is not None:
            return bound
    return None


def normalize_module(
    root: torch.nn.Module,
    target: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Return the arguments of a module's call with defaults filled in, or None if unknown."""
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(
            f"Tried to normalize arguments for module target {target} but root did not have that "
            "target!"
        ) from error
    signature = inspect.signature(module.forward)
    return _bind(signature, args, kwargs or {}, normalize_to_only_use_kwargs)

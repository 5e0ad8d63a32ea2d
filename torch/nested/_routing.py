"""Which rule a call with nested tensors takes; their class gets its calls from here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch._torch_function import implementing_name
from torch.nested import _jagged, _jagged_rules, _pointwise, _strided_rules
from torch.nested._base import NestedBase, is_nested, plain_call

Tensor = torch.Tensor

# Functions of the tensor as an object, whose elements do not matter.
_PLAIN = frozenset(
    [
        "grad",
        "__get__",
        "__set__",
        "__delete__",
        "__hash__",
        "backward",
        "register_hook",
        "retain_grad",
        "requires_grad_",
        "register_post_accumulate_grad_hook",
        "is_floating_point",
        "is_complex",
        "is_signed",
        "is_inference",
        "element_size",
        "get_device",
        "is_pinned",
        "_version",
        "as_subclass",
        "is_leaf",
        "is_neg",
        "is_conj",
        "detach_",
        "dequantize",
        "has_names",
        "__dir__",
        "_is_view",
        "is_set_to",
        "is_shared",
        "share_memory_",
    ]
)
# Operators that autograd uses on gradients.
_ON_GRADIENTS = frozenset(
    [
        "add",
        "add_",
        "mul",
        "mul_",
        "div",
        "neg",
        "sub",
        "alias",
        "detach",
        "clone",
        "_to_copy",
        "zeros_like",
        "ones_like",
        "empty_like",
        "zero_",
        "fill_",
        "copy_",
        "is_same_size",
        "new_empty_strided",
        "lift_fresh",
    ]
)


def call_function(func: Any, args: Any, kwargs: Any) -> Any:
    """Call the nested form of a function.

    Raises:
        NotImplementedError: If there is none.
    """
    name = implementing_name(func)
    if name in _PLAIN:
        return plain_call(func, args, kwargs)
    found = next(_nested_arguments((*args, *kwargs.values())))
    is_jagged = _jagged.is_jagged(found)
    rules = _jagged_rules.RULES if is_jagged else _strided_rules.RULES
    rule = rules.get(name)
    if rule is not None and not (name == "max" and _has_other(args)):
        return rule(*args, **_without_input(kwargs, args))
    table = _pointwise_names(is_jagged)
    combine = _jagged.combine if is_jagged else _strided_rules.combine
    if name in table[0] and kwargs.get("out") is None:
        return _pointwise.call(func, args, kwargs, combine=combine)
    if name in table[1]:
        return _pointwise.call_in_place(func, args, kwargs, combine=combine)
    raise NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{found._layout_name()}' backend"
    )


def call_operator(func: Any, args: Any, kwargs: Any) -> Any:
    """Call an operator on the values of gradients.

    Raises:
        NotImplementedError: If it is not one that autograd uses.
    """
    name = func.name().partition("::")[2].partition(".")[0]
    first = next(_nested_arguments(args))
    if name not in _ON_GRADIENTS:
        raise NotImplementedError(
            f"Could not run '{func.name().partition('.')[0]}' with arguments from the "
            f"'{first._layout_name()}' backend"
        )
    structure = first._structure
    values = [structure.values_like(a) if is_nested(a) else a for a in args]
    result = func(*values, **kwargs)
    if name.endswith("_"):
        return first
    return structure.wrap(result) if isinstance(result, Tensor) else result


def _nested_arguments(args: Any) -> Iterator[Any]:
    for each in args:
        if is_nested(each):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _nested_arguments(each)


def _has_other(args: Any) -> bool:
    return len(args) > 1 and isinstance(args[1], Tensor)


def _without_input(kwargs: Any, args: Any) -> Any:
    """Return keyword arguments under the names that rules give them."""
    if "input" in kwargs:
        kwargs = {("a" if name == "input" else name): value for name, value in kwargs.items()}
    return kwargs


def _pointwise_names(is_jagged: bool) -> Any:
    if is_jagged:
        return _pointwise.JAGGED, _pointwise.JAGGED_IN_PLACE
    return _pointwise.STRIDED, _pointwise.STRIDED_IN_PLACE


NestedBase._call_function = staticmethod(call_function)
NestedBase._call_operator = staticmethod(call_operator)

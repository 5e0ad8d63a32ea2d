"""The operators of a program: functions of numbers and lists, and operators of ATen.

An operator that has changed since the program was written is the one of that time.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C
from torch.jit._numbers import LAYOUTS, MEMORY_FORMATS, SCALAR_TYPES, number_of
from torch.jit._upgraders import find_upgrader
from torch.jit.mobile._values import damaged

Stack = list[Any]
Operator = Callable[[Stack], None]
"""An operator takes its arguments from the end of a stack and puts its results there."""


def resolve(name: str, overload: str, count: int, version: int) -> Operator:
    """Return an operator of a program.

    Args:
        name: Its name with the namespace, such as "aten::add".
        overload: The name of the overload, or an empty string.
        count: How many arguments the program passes; -1 for all.
        version: The operator version that the program was written for.

    Raises:
        NotImplementedError: If this build has no such operator.
    """
    full = f"{name}.{overload}" if overload else name
    upgrader = find_upgrader(full, version)
    if upgrader is not None:
        return _by_schema(upgrader.program, _C.parse_schema(upgrader.schema), count)
    if full in _FULL_NAMES or (overload in _PLAIN_OVERLOADS and name in _PLAIN):
        return _plain(_FULL_NAMES.get(full) or _PLAIN[name], count)
    try:
        namespace, _, base = name.partition("::")
        found = getattr(getattr(torch.ops, namespace), base)
        found = getattr(found, overload or "default")
    except AttributeError:
        raise NotImplementedError(
            f"the program calls the operator {full}, which this build does not have"
        ) from None
    return _by_schema(found, found._schema, count)


# ---- operators of ATen -------------------------------------------------------------------------
_FROM_NUMBERS: dict[str, Callable[[int], Any]] = {
    "ScalarType": SCALAR_TYPES.__getitem__,
    "Layout": LAYOUTS.__getitem__,
    "MemoryFormat": MEMORY_FORMATS.__getitem__,
}


def _by_schema(function: Callable[..., Any], schema: Any, count: int) -> Operator:
    """Return an operator that passes arguments by position or name, as the schema declares them.

    A program leaves out the arguments before those for results that have their default.
    """
    arguments = schema.arguments
    results = [a for a in arguments if a.kwarg_only and a.alias_info is not None]
    inputs = [a for a in arguments if a not in results]
    passed = len(arguments) if count < 0 else count
    given = [*inputs[: passed - len(results)], *results]
    returns = len(schema.returns)

    def call(stack: Stack) -> None:
        values = pop(stack, len(given))
        positional, named = [], {}
        for argument, value in zip(given, values, strict=True):
            converted = _converted(value, str(argument.type))
            if argument.kwarg_only:
                named[argument.name] = converted
            else:
                positional.append(converted)
        result = function(*positional, **named)
        if returns == 1:
            stack.append(result)
        elif returns:
            stack.extend(result)

    return call


def _converted(value: Any, type: str) -> Any:
    """Return an argument whose number in programs stands for an object of Python."""
    convert = _FROM_NUMBERS.get(type.rstrip("?"))
    if convert is None or value.__class__ is not int:
        return value
    try:
        return convert(value)
    except LookupError:
        raise damaged(f"there is no {type} with the number {value}") from None


def pop(stack: Stack, count: int) -> Stack:
    """Take the last values from a stack.

    Raises:
        RuntimeError: If there are fewer.
    """
    if len(stack) < count:
        raise damaged("a program uses a value that it lacks")
    values = stack[len(stack) - count :]
    del stack[len(stack) - count :]
    return values


# ---- operators on numbers, texts and lists -----------------------------------------------------
def _set_item(container: Any, key: Any, value: Any) -> Any:
    container[key] = value
    return container


def _append(values: list[Any], value: Any) -> list[Any]:
    values.append(value)
    return values


def _extended(values: list[Any], others: list[Any]) -> None:
    values.extend(others)


def _slice(values: Sequence[Any], start: int | None, end: int | None, step: int) -> Sequence[Any]:
    return values[slice(start, end, step)]


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, torch.Tensor) else value


_PLAIN: dict[str, Callable[..., Any]] = {
    "aten::add": operator.add,
    "aten::sub": operator.sub,
    "aten::mul": operator.mul,
    "aten::div": operator.truediv,
    "aten::floordiv": operator.floordiv,
    "aten::remainder": operator.mod,
    "aten::pow": operator.pow,
    "aten::neg": operator.neg,
    "aten::eq": operator.eq,
    "aten::ne": operator.ne,
    "aten::lt": operator.lt,
    "aten::le": operator.le,
    "aten::gt": operator.gt,
    "aten::ge": operator.ge,
    "aten::__and__": operator.and_,
    "aten::__or__": operator.or_,
    "aten::__xor__": operator.xor,
    "aten::__getitem__": operator.getitem,
    "aten::__contains__": operator.contains,
    "aten::_set_item": _set_item,
    "aten::append": _append,
    "aten::extend": _extended,
    "aten::len": len,
    "aten::list": list,
    "aten::slice": _slice,
    "aten::ceil": math.ceil,
    "aten::floor": math.floor,
    "aten::sqrt": math.sqrt,
    "aten::str": str,
    "aten::keys": lambda table: list(table),
    "aten::values": lambda table: list(table.values()),
    "aten::items": lambda table: list(table.items()),
    "prim::min": min,
    "prim::max": max,
    "prim::abs": abs,
}
"""Operators whose meaning is that of Python, for the overloads below."""
_PLAIN_OVERLOADS = frozenset(
    """int float float_int int_float str bool t a Dict_str Dict_int str_list int_list float_list
    list_t int_int float_float""".split()  # noqa: SIM905
)
_FULL_NAMES: dict[str, Callable[..., Any]] = {
    "aten::size": lambda tensor: list(tensor.size()),
    "aten::size.int": lambda tensor, dim: tensor.size(dim),
    "aten::stride": lambda tensor: list(tensor.stride()),
    "aten::numel": lambda tensor: tensor.numel(),
    "aten::dim": lambda tensor: tensor.dim(),
    "aten::len.Tensor": len,
    "aten::len.t": len,
    "aten::item": _item,
    "aten::Int.Tensor": lambda tensor: int(tensor),
    "aten::Int.Scalar": int,
    "aten::Int.float": int,
    "aten::Float.Tensor": lambda tensor: float(tensor),
    "aten::Float.Scalar": float,
    "aten::Float.int": float,
    "aten::Bool.Tensor": lambda tensor: bool(tensor),
    "aten::Bool.int": bool,
    "aten::ScalarImplicit": _item,
    "aten::IntImplicit": _item,
    "aten::FloatImplicit": _item,
    "aten::__not__": operator.not_,
    "aten::__is__": operator.is_,
    "aten::__isnot__": operator.is_not,
    "aten::format": lambda text, *values: text.format(*values),
    "prim::dtype": lambda tensor: number_of(tensor.dtype),
    "prim::device": lambda tensor: tensor.device,
    "prim::NumToTensor.Scalar": torch.tensor,
    "prim::unchecked_cast": lambda value: value,
}
_WITHOUT_RESULT = frozenset({_extended})


def _plain(function: Callable[..., Any], count: int) -> Operator:
    def call(stack: Stack) -> None:
        result = function(*pop(stack, count))
        if function not in _WITHOUT_RESULT:
            stack.append(result)

    return call

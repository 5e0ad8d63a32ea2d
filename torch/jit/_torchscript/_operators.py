"""The operators that programs of TorchScript call: choose an overload by the values, and call it.

Programs name operators without their overloads, and write dtypes, layouts and memory formats as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import _C
from torch.jit._torchscript._plain_operators import ANY_VALUES, ARITHMETIC, WITHOUT_TENSORS
from torch.jit._torchscript._python_functions import find_function
from torch.jit._upgraders import find_upgrader
from torch.jit.mobile._operators import _converted

Function = Callable[..., Any]
Values = tuple[Any, ...]


def find_operator(name: str, version: int) -> Function:
    """Return the function of an operator.

    Args:
        name: Its name with the namespace, such as "aten::add".
        version: The operator version that the program was written for.

    Returns:
        The function, which raises a NotImplementedError if this build has no such operator.
    """
    if name in ANY_VALUES:
        return ANY_VALUES[name]
    namespace, _, base = name.partition("::")
    overloads = _overloads(namespace, base, version)
    tensorless = base if namespace in ("aten", "prim") else ""
    if tensorless in ARITHMETIC:
        return _by_operands(ARITHMETIC[base], 2, _of_tensors(name, overloads))
    if tensorless in WITHOUT_TENSORS:
        return _by_operands(WITHOUT_TENSORS[base], 1, _of_tensors(name, overloads))
    return _of_tensors(name, overloads)


def _by_operands(plain: Function, count: int, of_tensors: Function) -> Function:
    """Return a function that takes calls whose first operands are tensors to another function."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for operand in args[:count]:
            if isinstance(operand, torch.Tensor):
                return of_tensors(*args, **kwargs)
        return plain(*args, **kwargs)

    return call


class Overload:
    """An overload of an operator: what it takes, and the function that runs it."""

    def __init__(self, function: Function, schema: Any) -> None:
        self.function = function
        self.schema = schema
        self.parameters = {a.name: a for a in schema.arguments}
        self._types = {name: str(a.type) for name, a in self.parameters.items()}
        self._positional = [a.name for a in schema.arguments if not a.kwarg_only]
        self._enumerated = {
            name
            for name, type in self._types.items()
            if type.rstrip("?") in ("ScalarType", "Layout", "MemoryFormat")
        }

    def bind(self, args: Values, kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments by name, or None if the overload does not take so many or these."""
        if len(args) > len(self._positional):
            return None
        bound = dict(zip(self._positional, args, strict=False))
        if not kwargs.keys() <= self._types.keys() - bound.keys():
            return None
        bound.update(kwargs)
        for name, argument in self.parameters.items():
            if name not in bound and not argument.has_default_value():
                return None
        return bound

    def cost(self, bound: Mapping[str, Any]) -> int | None:
        """Return how many arguments need a conversion; None if one does not fit."""
        total = 0
        for name, value in bound.items():
            cost = _cost(self._types[name], value)
            if cost is None:
                return None
            total += cost
        return total

    def call(self, args: Values, kwargs: Mapping[str, Any]) -> Any:
        """Call the operator with the arguments of a program."""
        if not self._enumerated:
            return self.function(*args, **kwargs)
        types = self._types
        positional = [
            _converted(value, types[name])
            for name, value in zip(self._positional, args, strict=False)
        ]
        named = {name: _converted(value, types[name]) for name, value in kwargs.items()}
        return self.function(*positional, **named)


def _moved(
    self: torch.Tensor,
    device: Any = None,
    dtype: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
) -> torch.Tensor:
    return self.to(device, dtype, non_blocking, copy)


# Overloads that PyTorch registers for programs only.
_OF_PROGRAMS = {
    "aten::cpu": [("aten::cpu(Tensor(a) self) -> Tensor(a|b)", torch.Tensor.cpu)],
    "aten::cuda": [("aten::cuda(Tensor(a) self) -> Tensor(a|b)", torch.Tensor.cuda)],
    "aten::to": [
        (
            "aten::to.prim_Device(Tensor(a) self, Device? device, ScalarType? dtype=None, "
            "bool non_blocking=False, bool copy=False) -> Tensor(b|a)",
            _moved,
        ),
    ],
}


def _overloads(namespace: str, base: str, version: int) -> list[Overload]:
    packet = getattr(getattr(torch.ops, namespace), base, None)
    found = []
    for name in packet.overloads() if packet is not None else ():
        full = f"{namespace}::{base}" + ("" if name == "default" else f".{name}")
        upgrader = find_upgrader(full, version)
        if upgrader is not None:
            found.append(Overload(upgrader.program, _C.parse_schema(upgrader.schema)))
        else:
            overload = getattr(packet, name)
            found.append(Overload(overload, overload._schema))
    for schema, function in _OF_PROGRAMS.get(f"{namespace}::{base}", []):
        found.append(Overload(function, _C.parse_schema(schema)))
    return found


def _of_tensors(name: str, overloads: list[Overload]) -> Function:
    """Return a function that calls the overload that fits best; it remembers which by kinds."""
    if not overloads:
        namespace, _, base = name.partition("::")
        return (find_function(base) if namespace == "aten" else None) or _missing(name)
    chosen: dict[Any, Overload] = {}

    def call(*args: Any, **kwargs: Any) -> Any:
        key = (*map(_kind, args), *kwargs, *map(_kind, kwargs.values()))
        overload = chosen.get(key)
        if overload is None:
            overload = chosen[key] = best_overload(name, overloads, args, kwargs)
        return overload.call(args, kwargs)

    return call


def _missing(name: str) -> Function:
    """Return a function that refuses a call: programs often do not reach all of their operators."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"the program calls the operator {name}, which this build does not have"
        )

    return refuse


def best_overload(
    name: str, overloads: list[Overload], args: Values, kwargs: Mapping[str, Any]
) -> Overload:
    """Return the overload that takes the arguments with the fewest conversions.

    Raises:
        RuntimeError: If none does.
    """
    best: tuple[int, Overload] | None = None
    for overload in overloads:
        bound = overload.bind(args, kwargs)
        cost = None if bound is None else overload.cost(bound)
        if cost is not None and (best is None or cost < best[0]):
            best = cost, overload
    if best is None:
        kinds = ", ".join(_name_of(value) for value in (*args, *kwargs.values()))
        raise RuntimeError(f"no overload of {name} takes the arguments ({kinds})")
    return best[1]


def _name_of(value: Any) -> str:
    kind = "Tensor" if isinstance(value, torch.Tensor) else type(value).__name__
    return f"{kind}[{_name_of(value[0])}]" if isinstance(value, list) and value else kind


def _kind(value: Any) -> Any:
    """Return what the choice of an overload depends on."""
    if isinstance(value, (list, tuple)):
        return (list, len(value), *map(type, value)) if len(value) < 4 else (list, type(value[0]))
    return type(value)


# ---- which values a declared type takes ------------------------------------------------------------
_EXACT: dict[str, tuple[type, ...]] = {
    "Tensor": (torch.Tensor,),
    "bool": (bool,),
    "str": (str,),
    "Device": (torch.device,),
    "Generator": (torch.Generator,),
    "Dimname": (str,),
    "Storage": (torch.UntypedStorage,),
}
_NUMERIC: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "SymInt": (int,),
    "float": (float, int),
    "Scalar": (float, int, complex),
    "number": (float, int, complex),
    "ScalarType": (int, torch.dtype),
    "Layout": (int, torch.layout),
    "MemoryFormat": (int, torch.memory_format),
}


def _cost(type: str, value: Any) -> int | None:
    """Return 0 for a value of a declared type, 1 for one that converts to it, None for others."""
    if type.endswith("?"):
        return 0 if value is None else _cost(type[:-1], value)
    if type.endswith("]"):
        element, _, length = type[:-1].rpartition("[")
        if isinstance(value, (list, tuple)):
            return _cost_of_items(element, value)
        if length and length.isdigit():  # one number stands for all
            cost = _cost(element, value)
            return None if cost is None else cost + 1
        return None
    if type in _EXACT:
        return 0 if isinstance(value, _EXACT[type]) else None
    accepted = _NUMERIC.get(type)
    if accepted is None:
        return 0
    if not isinstance(value, accepted):
        return None
    if isinstance(value, bool):
        return 1 if type in ("Scalar", "number") else None
    return 0 if isinstance(value, accepted[0]) and type != "ScalarType" else 1


def _cost_of_items(element: str, values: Any) -> int | None:
    costs = [_cost(element, value) for value in values]
    return None if None in costs else min(1, sum(cost or 0 for cost in costs))

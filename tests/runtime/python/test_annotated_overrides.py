"""Every binding asks `__torch_function__`, with arguments of the types that the build records.

The table torch.testing._internal.generated.annotated_fn_args is generated from the operators, so a
new operator is tested here without a line of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import torch
import torch.linalg  # binds some of its functions anew, before the table looks them up
from torch import overrides

annotated = pytest.importorskip("torch.testing._internal.generated.annotated_fn_args")
TABLE: dict[Callable[..., Any], list[dict[str, Any]]] = annotated.annotated_args


class Stranger:
    """Not a tensor: each call that it takes part in returns the function and its arguments."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return func, types, args, kwargs or {}


class Subclass(torch.Tensor):
    """A tensor that does the same, for methods."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return func, types, args, kwargs or {}


STRANGER = Stranger()
_VALUES: dict[str, Any] = {
    "Tensor": STRANGER,
    "TensorList": [STRANGER, STRANGER],
    "c10::List<::std::optional<Tensor>>": [STRANGER, None],
    "Scalar": 1,
    "ScalarList": [1, 2],
    "int64_t": 1,
    "SymInt": 1,
    "double": 0.5,
    "bool": True,
    "ScalarType": torch.float,
    "Layout": torch.strided,
    "Device": torch.device("cpu"),
    "Generator": torch.default_generator,
    "c10::string_view": "mean",
    "ArrayRef<double>": [0.5, 0.5],
}


def _value(argument: dict[str, Any]) -> Any:
    name = argument["simple_type"].removesuffix("?")
    if name.endswith("IntArrayRef"):
        return [1] * argument.get("size", 2)
    if name.startswith("::std::array<bool,"):
        return [True] * int(name.removesuffix(">").rpartition(",")[2])
    return _VALUES[name]


def _takes_tensors(function: Callable[..., Any]) -> bool:
    return any("Tensor" in argument["simple_type"] for argument in TABLE[function])


def _name(function: Callable[..., Any]) -> str:
    return overrides.resolve_name(function) or function.__qualname__


def test_the_table_has_functions_methods_and_modules() -> None:
    assert torch.add in TABLE
    assert torch._C._nn.gelu in TABLE
    assert torch.Tensor.add_ in TABLE
    assert sum(map(_takes_tensors, TABLE)) > 0.9 * len(TABLE)


def _failure(function: Callable[..., Any]) -> str:
    """Call the function and return what is wrong; empty if the object got the whole call."""
    arguments = TABLE[function]
    args = [_value(each) for each in arguments if each["is_kwarg_only"] == "False"]
    kwargs = {each["name"]: _value(each) for each in arguments if each["is_kwarg_only"] == "True"}
    if getattr(torch.Tensor, function.__name__, None) is function:
        args[0] = torch.empty(0).as_subclass(Subclass)
    try:
        called, types, given, named = function(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if called is not function:
        return f"called with {called}"
    complete = len(given) + len(named) >= len(args) + len(kwargs) and {*named} >= {*kwargs}
    known = bool(types) and {*types} <= {Stranger, Subclass}
    return (
        "" if known and complete else f"called with {types}, {len(given)} arguments and {[*named]}"
    )


def test_every_binding_asks_its_arguments() -> None:
    found = {_name(function): _failure(function) for function in TABLE if _takes_tensors(function)}
    failures = [f"{name}: {failure}" for name, failure in found.items() if failure]
    assert not failures, "\n".join(failures)

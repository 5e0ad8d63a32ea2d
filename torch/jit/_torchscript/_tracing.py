"""Record the calls that a function makes as statements of TorchScript.

A mode of `__torch_function__` sees the calls as the user wrote them, with sizes that know where they come
from, so that a trace works for inputs of other sizes. A call that is no operator, such as an index, is
recorded as the operators that it makes below autograd.
"""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch._torch_function import TorchFunctionMode
from torch._unchecked_functions import without_checks
from torch.jit._torchscript._operators import Overload, _overloads
from torch.jit._torchscript._statements import Statements, TracedInt
from torch.jit._tracing_state import TracerWarning
from torch.overrides import resolve_name
from torch.utils._python_dispatch import TorchDispatchMode

_READS = {
    "__bool__": "a Python boolean",
    "__int__": "a Python integer",
    "__index__": "a Python index",
    "__float__": "a Python float",
    "__complex__": "a Python complex number",
    "item": "a Python number",
    "tolist": "a Python list",
    "numpy": "a NumPy array",
}
_PLAIN_ANSWERS = frozenset(("dim", "is_floating_point", "is_complex", "stride", "data_ptr"))
_SAME_ARGUMENT = {"input": "self", "axis": "dim", "keepdims": "keepdim"}
_NAMESPACES = ("fft", "linalg", "special")
_DUNDERS = {"__rsub__": "rsub", "__matmul__": "matmul", "__invert__": "bitwise_not"}


class TracingMode(TorchFunctionMode):
    """Runs every function of torch, and records it."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._running: list[Any] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run a function and record it."""
        kwargs = kwargs or {}
        name = func.__name__
        if name == "__get__":
            return self._property(func, args)
        if name == "size" and not kwargs:
            return self._size(*args)
        if name in ("numel", "nelement"):
            return self._statements.integer(func(*args), f"torch.numel({self._of(args[0])})")
        if name in _PLAIN_ANSWERS:
            return func(*args, **kwargs)
        if name in _READS:
            _warn_of_read(name)
            return func(*args, **kwargs)
        if isinstance(func, _PythonFunction) and func not in self._running:
            return self._run_body(func, args, kwargs)
        return self._operator(func, args, kwargs)

    def _of(self, tensor: torch.Tensor) -> str:
        return self._statements.expression(tensor, "Tensor")

    # ---- sizes and properties
    def _property(self, func: Any, args: tuple[Any, ...]) -> Any:
        if resolve_name(func) == "torch.Tensor.shape.__get__":
            return self._size(args[0])
        with _DispatchRecorder(self._statements):
            return func(*args)

    def _size(self, tensor: torch.Tensor, dim: int | None = None) -> Any:
        if dim is not None:
            text = f"torch.size({self._of(tensor)}, {int(dim)})"
            return self._statements.integer(tensor.size(dim), text)
        return torch.Size([self._size(tensor, number) for number in range(tensor.dim())])

    # ---- functions
    def _run_body(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run a function that is written in Python; the calls in it are recorded."""
        self._running.append(func)
        try:
            with self:
                return without_checks(func)(*args, **kwargs)
        finally:
            self._running.pop()

    def _operator(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run a builtin function, and record it as the operator of its name, or as what it calls."""
        found = _bind(func, args, kwargs)
        if found is None:
            with _DispatchRecorder(self._statements):
                return func(*args, **kwargs)
        text = self._statements.call(*found)
        result = func(*args, **kwargs)
        returns = found[0].schema.returns
        is_list = len(returns) == 1 and str(returns[0].type).endswith("[]")
        self._statements.assign_results(text, list(result) if is_list else result, found[0].schema)
        return result


class _DispatchRecorder(TorchDispatchMode):
    """Records the operators of a call below autograd."""

    def __init__(self, statements: Statements) -> None:
        super().__init__()
        self._statements = statements

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run an operator and record it."""
        kwargs = kwargs or {}
        overload = Overload(func, func._schema)
        bound = overload.bind(args, kwargs) or {}
        text = self._statements.call(overload, bound)
        result = func(*args, **kwargs)
        self._statements.assign_results(text, result, func._schema)
        return result


_PythonFunction = types.FunctionType


def _warn_of_read(name: str) -> None:
    warnings.warn(
        f"Converting a tensor to {_READS[name]} might cause the trace to be incorrect. We can't "
        "record the data flow of Python values, so this value will be treated as a constant in the "
        "future. This means that the trace might not generalize to other inputs!",
        TracerWarning,
        stacklevel=4,
    )


# ---- which operator a function is ------------------------------------------------------------------
def _bind(
    func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Overload, dict[str, Any]] | None:
    """Return the overload that a call means with its arguments by name, or None."""
    candidates = _candidates(func)
    kwargs = {name: value for name, value in kwargs.items() if name != "out" or value is not None}
    renamed = {_SAME_ARGUMENT.get(name, name): value for name, value in kwargs.items()}
    best: tuple[int, Overload, dict[str, Any]] | None = None
    for positional in _forms(args):
        for overload in candidates:
            bound = overload.bind(positional, renamed)
            cost = None if bound is None else overload.cost(bound)
            if bound is not None and cost is not None and (best is None or cost < best[0]):
                best = cost, overload, bound
        if best is not None:
            return best[1:]
    return None


def _forms(args: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Return arguments as given, and with the integers at the end as one list, as in view(2, 3)."""
    end = len(args)
    while end and isinstance(args[end - 1], int) and not isinstance(args[end - 1], bool):
        end -= 1
    return [args] if end == len(args) else [args, (*args[:end], list(args[end:]))]


@functools.cache
def _candidates(func: Any) -> list[Overload]:
    """Return the overloads of the operator that a function has the name of."""
    name = _DUNDERS.get(func.__name__, func.__name__)
    if name.startswith("__"):
        return []
    place = (resolve_name(func) or "").split(".")
    if len(place) == 3 and place[1] in _NAMESPACES:
        name = f"{place[1]}_{name.removeprefix(place[1] + '_')}"
    return _overloads("aten", name, _NEWEST)


_NEWEST = 1 << 30
__all__ = ["TracedInt", "TracingMode"]

"""torch.jit.trace: record the operators that a call makes as a program of TorchScript."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from torch._published import publish_all
from torch.jit._tracing_state import TracerWarning, is_tracing

if TYPE_CHECKING:
    from torch.jit._torchscript._objects import ScriptFunction, TopLevelTracedModule

__all__ = [
    "TracerWarning",
    "TracingCheckError",
    "is_tracing",
    "script_if_tracing",
    "trace",
    "trace_module",
]


class TracingCheckError(Exception):
    """The error of a traced function that differs from its Python code."""


def _get_trace_graph(
    f: Any,
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
    strict: bool = True,
    _force_outplace: bool = False,
    return_inputs: bool = False,
    _return_inputs_states: bool = False,
) -> tuple[Any, ...]:
    """Return the graph of a call of a module or a function, and its result.

    Args:
        f: The module or the function.
        args: A tensor, or a tuple of arguments; see `trace`.
        kwargs: Arguments by name.
        strict: Accepted for compatibility.
        _force_outplace: Accepted for compatibility; operators stay in place.
        return_inputs: Whether to return the arguments too.
        _return_inputs_states: Accepted for compatibility.

    Returns:
        The graph, whose inputs are the tensors of the arguments and of the module's state, and the
        result of the call.

    Example:
        >>> graph, result = torch.jit._get_trace_graph(nn.Linear(2, 3), (torch.ones(1, 2),))
        >>> [node.kind() for node in graph.nodes()], result.shape
        (['aten::linear'], torch.Size([1, 3]))
        >>> [value.type().sizes() for value in graph.inputs()]
        [[1, 2], [3, 2], [3]]
    """
    from torch.jit._graph._building import trace_graph

    graph, result = trace_graph(f, args, kwargs)
    return (graph, result, args) if return_inputs else (graph, result)


def script_if_tracing(fn: Any) -> Any:
    """Return a function as it is, since nothing is compiled.

    Example:
        >>> @torch.jit.script_if_tracing
        ... def double(x):
        ...     return 2 * x
        >>> double(torch.ones(1))
        tensor([2.])
    """
    return fn


def trace(
    func: Callable[..., Any],
    example_inputs: Any = None,
    optimize: bool | None = None,
    check_trace: bool = True,
    check_inputs: Iterable[Any] | None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
    **options: Any,
) -> ScriptFunction | TopLevelTracedModule:
    """Record a call of a function or a module, and return what repeats it for other inputs.

    The operators are recorded, not the branches and loops of Python. Sizes of tensors stay
    variable; numbers read from tensors become constants, with a TracerWarning. The modules below a
    traced module keep their state but have no methods.

    Args:
        func: A module, or a function of tensors.
        example_inputs: A tensor, or a tuple of arguments: tensors, and lists, tuples and dicts of
            tensors.
        optimize: Accepted for compatibility.
        check_trace: Whether to compare the program's results with those of `func`, and to warn
            where they differ.
        check_inputs: Further arguments to compare with.
        check_tolerance: The relative and absolute tolerance of the comparison.
        strict: Accepted for compatibility; containers may always be results.
        example_kwarg_inputs: Arguments by name, instead of `example_inputs`.
        **options: Accepted for compatibility.

    Raises:
        RuntimeError: If an argument or the result does not consist of tensors.

    Example:
        >>> traced = torch.jit.trace(lambda x: x.view(x.size(0), -1).sum(1), torch.ones(1, 2, 2))
        >>> traced(torch.ones(3, 2, 2))
        tensor([4., 4., 4.])
        >>> print(traced.code)  # doctest: +SKIP
        def forward(self: __torch__.PlaceholderModule, x: Tensor) -> Tensor:
          v1 = torch.size(x, 0)
          v2 = torch.view(x, [v1, -1])
          v3 = torch.sum(v2, 1)
          return v3
    """
    from torch.jit._torchscript._objects import ScriptFunction
    from torch.nn.modules.module import Module

    inputs = _positional(func, example_inputs, example_kwarg_inputs)
    checks = _Checks(check_trace, check_inputs, check_tolerance)
    if isinstance(func, Module):
        return _traced(func, {"forward": (func, inputs)}, checks)
    module = _traced(_placeholder(), {"forward": (func, inputs)}, checks)
    return ScriptFunction(module, getattr(func, "__name__", "forward"))


def trace_module(
    mod: Any,
    inputs: Mapping[str, Any],
    optimize: bool | None = None,
    check_trace: bool = True,
    check_inputs: Iterable[Mapping[str, Any]] | None = None,
    check_tolerance: float = 1e-5,
    **options: Any,
) -> TopLevelTracedModule:
    """Record calls of several methods of a module; see `trace`.

    Args:
        mod: The module.
        inputs: The example arguments of each method, by its name.
        optimize: Accepted for compatibility.
        check_trace: Whether to compare the results.
        check_inputs: Further arguments to compare with, in the form of `inputs`.
        check_tolerance: The tolerance of the comparison.
        **options: Accepted for compatibility.

    Raises:
        AttributeError: If the input is not a module.

    Example:
        >>> traced = torch.jit.trace_module(nn.ReLU(), {"forward": torch.ones(2)})
        >>> traced(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    from torch.nn.modules.module import Module

    if not isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    calls = {
        name: (mod if name == "forward" else getattr(mod, name), _as_tuple(given))
        for name, given in inputs.items()
    }
    further = None
    if check_inputs is not None:
        further = [given["forward"] for given in check_inputs if "forward" in given]
    return _traced(mod, calls, _Checks(check_trace, further, check_tolerance))


def _placeholder() -> Any:
    """Return the module that stands for a function in an archive."""
    from torch.nn.modules.module import Module

    return type("PlaceholderModule", (Module,), {"__module__": "__main__"})()


def _as_tuple(inputs: Any) -> tuple[Any, ...]:
    return tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)


def _positional(func: Any, inputs: Any, named: Mapping[str, Any] | None) -> tuple[Any, ...]:
    """Return the example arguments by position.

    Raises:
        RuntimeError: If there are none, or both kinds.
    """
    if named is None:
        if inputs is None:
            raise RuntimeError("example_kwarg_inputs should be a dict when example_inputs is None")
        return _as_tuple(inputs)
    if inputs is not None:
        raise RuntimeError("example_inputs and example_kwarg_inputs cannot both be given")
    import inspect

    signature = inspect.signature(getattr(func, "forward", func))
    bound = signature.bind(**named)
    bound.apply_defaults()
    count = max([*signature.parameters].index(name) for name in named) + 1
    return tuple(bound.args[:count])


class _Checks:
    """How the results of a program are compared with those of the function."""

    def __init__(self, wanted: bool, inputs: Iterable[Any] | None, tolerance: float) -> None:
        self.wanted = wanted
        self.inputs = [_as_tuple(given) for given in inputs or ()]
        self.tolerance = tolerance

    def compare(self, found: Any, expected: Any) -> None:
        """Warn if results differ."""
        from torch.testing import assert_close

        try:
            limit = self.tolerance
            assert_close(found, expected, rtol=limit, atol=limit, equal_nan=True)
        except AssertionError as error:
            warnings.warn(
                f"The output of the traced function does not match that of the Python function: "
                f"{error}",
                TracerWarning,
                stacklevel=5,
            )


def _traced(
    module: Any, calls: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]], checks: _Checks
) -> TopLevelTracedModule:
    """Record calls as the methods of a module, and compare their results."""
    from torch.jit._torchscript._traced_modules import record_module

    made = record_module(module, calls)
    if checks.wanted:
        for name, (function, inputs) in calls.items():
            further = checks.inputs if name == "forward" else []
            for given in (inputs, *further):
                _compare_call(function, getattr(made, name), given, checks)
    return made


def _compare_call(
    function: Callable[..., Any],
    traced: Callable[..., Any],
    inputs: tuple[Any, ...],
    checks: _Checks,
) -> None:
    """Run both on copies of the inputs, with the same random numbers."""
    import torch
    from torch.utils import _pytree as pytree

    def run(callable: Callable[..., Any]) -> Any:
        copies = pytree.tree_map(
            lambda x: x.detach().clone() if isinstance(x, torch.Tensor) else x, inputs
        )
        with torch.random.fork_rng(devices=()):
            return callable(*copies)

    with torch.no_grad():
        checks.compare(run(traced), run(function))


publish_all(globals(), __all__)

"""TorchScript: archives are read, run and written, and calls are traced; nothing is compiled from Python.

Scripting returns its argument unchanged, as PyTorch does under PYTORCH_JIT=0: functions and modules run
as Python code.
"""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from torch._jit_internal import _overload, _overload_method, export, ignore, is_scripting, unused
from torch._lazy_attributes import import_at_use as _import_at_use
from torch._named_parts import NamedParts as _NamedParts
from torch.futures import Future
from torch.jit._serialization import load, save
from torch.jit._torchscript._objects import (
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    TopLevelTracedModule,
)
from torch.jit._trace import (
    TracerWarning,
    TracingCheckError,
    _get_trace_graph,
    is_tracing,
    script_if_tracing,
    trace,
    trace_module,
)

if TYPE_CHECKING:
    from torch.nn import Module

    _Class = typing.TypeVar("_Class")

__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Final",
    "Future",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "ScriptWarning",
    "TracerWarning",
    "TracingCheckError",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "export_opnames",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "run_frozen_optimizations",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

_is_instance = isinstance


class Error(RuntimeError):
    """An error of a compiled function."""


class ScriptWarning(Warning):
    """A warning about scripting."""


TracedModule = TopLevelTracedModule


class CompilationUnit:
    """Functions compiled from source text, which this build cannot do.

    Raises:
        NotImplementedError: For any text other than an empty one.

    Example:
        >>> unit = torch.jit.CompilationUnit()
    """

    def __init__(self, lang: str | None = None, _frames_up: int = 0) -> None:
        if lang:
            raise _missing("CompilationUnit", "a compiler for TorchScript")


def _missing(name: str, part: str) -> NotImplementedError:
    return NotImplementedError(
        f"torch.jit.{name} needs {part}, which this build does not have: torch.jit.trace records a "
        "program, and torch.jit.load reads one."
    )


# ---- marks on functions and classes --------------------------------------------------------------
if TYPE_CHECKING:  # what scripting returns in PyTorch, so that annotations for it are right here

    @typing.overload
    def script(obj: type[Module], *args: Any, **kwargs: Any) -> typing.Never: ...
    @typing.overload
    def script(obj: type[_Class], *args: Any, **kwargs: Any) -> type[_Class]: ...
    @typing.overload
    def script(obj: Module, *args: Any, **kwargs: Any) -> RecursiveScriptModule: ...
    @typing.overload
    def script(obj: Callable[..., Any], *args: Any, **kwargs: Any) -> ScriptFunction: ...
    @typing.overload
    def script(obj: Any, *args: Any, **kwargs: Any) -> Any: ...


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a function, a class or a module as it is.

    Args:
        obj: What PyTorch would compile.
        *args: Accepted for compatibility.
        **kwargs: Accepted for compatibility.

    Example:
        >>> @torch.jit.script
        ... def double(x):
        ...     return 2 * x
        >>> double(torch.ones(1))
        tensor([2.])
    """
    return obj


def script_method(fn: Any) -> Any:
    """Return a method of a ScriptModule as it is.

    Example:
        >>> class Double(torch.jit.ScriptModule):
        ...     @torch.jit.script_method
        ...     def forward(self, x):
        ...         return 2 * x
    """
    return fn


_script_if_tracing = script_if_tracing


def interface(obj: Any) -> Any:
    """Return a class as it is.

    Example:
        >>> @torch.jit.interface  # doctest: +SKIP
        ... class Shape:
        ...     def area(self) -> float:
        ...         pass
    """
    return obj


def annotate(the_type: Any, the_value: Any) -> Any:
    """Return a value, whose type the first argument would give to a compiler.

    Example:
        >>> torch.jit.annotate(int, 3)
        3
    """
    return the_value


def Attribute(value: Any, type: Any) -> Any:
    """Return the value of an attribute, whose type would be for a compiler.

    Example:
        >>> torch.jit.Attribute({"a": 1}, dict[str, int])  # doctest: +SKIP
        {'a': 1}
    """
    return value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Return whether an object is of a type, including the parameters of containers.

    Args:
        obj: The object.
        target_type: A type such as `list[int]`, or a tuple of types.

    Example:
        >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "a"], list[int])
        (True, False)
    """
    if _is_instance(target_type, tuple):
        return any(isinstance(obj, kind) for kind in target_type)
    origin, parameters = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        return target_type is Any or _is_instance(obj, target_type)
    if not _is_instance(origin, type) or str(origin) == "<class 'types.UnionType'>":
        return any(isinstance(obj, kind) for kind in parameters)  # a union
    if not _is_instance(obj, origin):
        return False
    if origin is dict:
        return all(
            isinstance(k, parameters[0]) and isinstance(v, parameters[1]) for k, v in obj.items()
        )
    if origin is tuple and Ellipsis not in parameters:
        return len(obj) == len(parameters) and all(map(isinstance, obj, parameters))
    return all(isinstance(item, parameters[0]) for item in obj)


# ---- questions -----------------------------------------------------------------------------------
def onednn_fusion_enabled() -> bool:
    """Return False, as there is no fusion.

    Example:
        >>> torch.jit.onednn_fusion_enabled()
        False
    """
    return False


def enable_onednn_fusion(enabled: bool) -> None:
    """Do nothing, as there is no fusion.

    Example:
        >>> torch.jit.enable_onednn_fusion(False)
    """


_fusion_strategy = [("STATIC", 2), ("DYNAMIC", 10)]


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Set the strategy of a compiler that fuses operators, which changes nothing.

    Returns:
        The strategy from before.

    Example:
        >>> torch.jit.set_fusion_strategy([("STATIC", 2), ("DYNAMIC", 10)])
        [('STATIC', 2), ('DYNAMIC', 10)]
    """
    global _fusion_strategy
    before, _fusion_strategy = _fusion_strategy, strategy
    return before


_set_fusion_strategy = set_fusion_strategy


class strict_fusion:
    """Context manager that would report operators without fusion; it changes nothing.

    Example:
        >>> with torch.jit.strict_fusion():
        ...     pass
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        pass


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """Context manager that would switch the optimisation of compiled code; it changes nothing.

    Example:
        >>> with torch.jit.optimized_execution(False):
        ...     pass
    """
    yield


# ---- asynchronous calls --------------------------------------------------------------------------
def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future:
    """Call a function at once and return its result as a future.

    Example:
        >>> torch.jit.wait(torch.jit.fork(torch.add, torch.ones(1), 2))
        tensor([3.])
    """
    future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future) -> Any:
    """Return the result of a call that `fork` made.

    Example:
        >>> torch.jit.wait(torch.jit.fork(torch.neg, torch.ones(1)))
        tensor([-1.])
    """
    if future is None:
        raise RuntimeError("Future can't be None")
    return future.wait()


_fork, _wait = fork, wait


# ---- what needs compiled code --------------------------------------------------------------------
def _refuse_module(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name} expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to "
        "script your 'nn.Module'."
    )


def freeze(mod: Any, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Any:
    """Return a ScriptModule in evaluation mode as it is.

    Raises:
        RuntimeError: If `mod` is another module, or in training mode.

    Example:
        >>> torch.jit.freeze(nn.Linear(1, 1))
        Traceback (most recent call last):
            ...
        RuntimeError: Freezing expects a ScriptModule as input. Please use torch.jit.script or ...
    """
    if not _is_instance(mod, ScriptModule):
        raise _refuse_module("Freezing")
    if mod.training:
        raise RuntimeError(
            "Freezing module in training mode is not yet supported. Please call .eval() first."
        )
    return mod


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """Return a ScriptModule as it is.

    Raises:
        RuntimeError: If `mod` is another module.

    Example:
        >>> torch.jit.optimize_for_inference(nn.Linear(1, 1))
        Traceback (most recent call last):
            ...
        RuntimeError: optimize_for_inference expects a ScriptModule as input. Please use torch....
    """
    if not _is_instance(mod, ScriptModule):
        raise _refuse_module("optimize_for_inference")
    return mod


def run_frozen_optimizations(mod: Any, **options: Any) -> None:
    """Do nothing, as nothing is compiled.

    Example:
        >>> torch.jit.run_frozen_optimizations(nn.Linear(1, 1))  # doctest: +SKIP
    """


def export_opnames(m: Any) -> list[str]:
    """Raise an error, as there is no compiled module.

    Raises:
        NotImplementedError: Always.

    Example:
        >>> torch.jit.export_opnames(nn.Linear(1, 1))  # doctest: +SKIP
        Traceback (most recent call last):
            ...
        NotImplementedError: torch.jit.export_opnames needs a compiler for TorchScript, which ...
    """
    raise _missing("export_opnames", "a compiler for TorchScript")


export_opnames._absent = True  # docs/api_table.py lists it as named only

_NamedParts(
    "torch.jit",
    {
        "frontend": """FrontendError NotSupportedError UnsupportedNodeError get_default_args
            get_jit_class_def get_jit_def""",
        "generate_bytecode": "format_bytecode generate_upgraders_bytecode",
        "quantized": """QuantizedGRU QuantizedGRUCell QuantizedLSTM QuantizedLSTMCell QuantizedLinear
            QuantizedLinearFP16 QuantizedRNNBase QuantizedRNNCell QuantizedRNNCellBase
            quantize_linear_modules quantize_rnn_cell_modules quantize_rnn_modules""",
    },
    "{name} does not exist in this build, which compiles nothing from Python",
).install()

__getattr__ = _import_at_use(__name__)

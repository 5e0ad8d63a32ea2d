"""symbolic_trace, and the names that belong to traces."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import torch
from torch.fx import _wrapping
from torch.fx._compatibility import compatibility
from torch.fx._inputs import _assert_is_none
from torch.fx._tracer import Tracer, _orig_module_call, _orig_module_getattr
from torch.fx._wrapping import (
    PH,
    PHBase,
    PHWithMeta,
    ProxyableClassMeta,
    _autowrap_check,
    _patch_wrapped_functions,
    _Patcher,
    is_fx_tracing,
    wrap,
)
from torch.fx.graph_module import GraphModule
from torch.fx.proxy import Proxy

# Those that begin with an underscore, and the imports, are for tracers of libraries, which have a
# `trace` of their own.
__all__ = [
    "PH",
    "FunctionType",
    "PHBase",
    "PHWithMeta",
    "Proxy",
    "ProxyableClassMeta",
    "Tracer",
    "_Patcher",
    "_assert_is_none",
    "_autowrap_check",
    "_orig_module_call",
    "_orig_module_getattr",
    "_patch_wrapped_functions",
    "compatibility",
    "functools",
    "is_fx_tracing",
    "symbolic_trace",
    "wrap",
]


def __getattr__(name: str) -> Any:
    if name == "_is_fx_tracing_flag":
        return _wrapping._is_fx_tracing_flag
    if name == "ScriptObject":
        return torch.ScriptObject
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def symbolic_trace(
    root: torch.nn.Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None
) -> GraphModule:
    """Record a module or a function as a graph.

    Args:
        root: The module or function.
        concrete_args: Values for inputs that decide conditions; they stay parameters of the
            result, which checks that they have these values.

    Returns:
        A module that computes the same.

    Raises:
        TraceError: If a value that depends on an input decides a condition, or is iterated over.

    Example:
        >>> import torch.fx
        >>> traced = torch.fx.symbolic_trace(lambda x, y: torch.relu(x) + y)
        >>> print(traced.code.strip())
        def forward(self, x, y):
            relu = torch.relu(x);  x = None
            add = relu + y;  relu = y = None
            return add
        >>> traced(torch.tensor([-1.0, 1.0]), 1)
        tensor([1., 2.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root.__class__.__name__ if isinstance(root, torch.nn.Module) else root.__name__
    return GraphModule(tracer.root, graph, name)

"""The names of PyTorch's graph capture that libraries touch; nothing is captured in this build."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from torch import compiler as _compiler
from torch._absent import answering as _answering
from torch._dynamo import config, eval_frame, exc, external_utils
from torch._eager_compile import OptimizedModule
from torch._eager_compile import compile as _compile
from torch.compiler import (
    allow_in_graph,
    assume_constant_result,
    list_backends,
    set_stance,
    substitute_in_graph,
)

allow_in_graph, assume_constant_result = allow_in_graph, assume_constant_result
disallow_in_graph = forbid_in_graph = nonstrict_trace = allow_in_graph
disable = run = dont_skip_tracing = disable_nested_graph_breaks = _compiler.disable


def optimize(backend: Any = "inductor", **options: Any) -> Any:
    """Return a decorator that does what torch.compile does."""
    return lambda fn: _compile(fn, backend=backend)


def register_backend(compiler_fn: Any = None, name: str | None = None, tags: Any = ()) -> Any:
    """Return a back end unchanged; torch.compile does not call it."""
    return (lambda fn: fn) if compiler_fn is None else compiler_fn


def patch_dynamo_config(*args: Any, **settings: Any) -> Any:
    """Return a decorator and context manager that changes nothing."""
    return _compiler.Decorator()


error_on_graph_break = override_cudagraphs = patch_dynamo_config

globals().update(
    _answering(
        "torch._dynamo",
        {
            "graph_break": None,
            "is_compiling": False,
            "is_dynamo_disable_recursive": None,
            "mark_dynamic": None,
            "mark_static": None,
            "mark_static_address": None,
            "mark_unbacked": None,
            "maybe_mark_dynamic": None,
            "reset": None,
            "reset_code_caches": None,
            "set_recursion_limit": None,
            "skip_frame": None,
        },
        "compiler",
    )
)


@dataclass(frozen=True, slots=True)
class _DimRange:
    """A dimension and the sizes that it may have; pickles of PyTorch's jagged tensors name it."""

    dim: int
    min: int
    max: int


_DimRange.__module__ = f"{__name__}.decorators"
decorators = sys.modules[__name__]
sys.modules[f"{__name__}.decorators"] = decorators

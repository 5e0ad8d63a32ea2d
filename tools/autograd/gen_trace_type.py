"""TraceType_*.cpp: kernels that record each call while a trace is made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tools.autograd.differentiation import MANUAL_BACKEND
from tools.autograd.emission import (
    AutogradEmitter,
    declaration,
    kernel_row,
    redispatch,
    schema_line,
)
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import sharded
from tools.codegen.model import NativeFunction
from tools.codegen.templates import Templates

_TEMPLATE = "TraceType.cpp"
_UNTRACED = frozenset(["_coalesced_", "record_stream", "_fw_primal", "_make_dual"])
"""Operators that a trace leaves out."""


def trace_type(emitter: AutogradEmitter) -> None:
    """Emit one kernel for each operator that is not composite."""
    functions = [f for f in emitter.built(emitter.operators.functions) if is_traced(f)]
    for name, members in sharded(emitter, "TraceType", functions, lambda f: f.root_name):
        holes = partial(_holes, emitter.templates, members)
        emitter.file(f"{name}.cpp", _TEMPLATE, members, holes)


def is_traced(function: NativeFunction) -> bool:
    """Return whether calls are recorded; a composite operator is traced as the calls it makes."""
    name = str(function.func.name.name)
    if name in MANUAL_BACKEND or name in _UNTRACED or function.manual_kernel_registration:
        return False
    return not function.composite_implicit


def _holes(templates: Templates, functions: list[NativeFunction]) -> Mapping[str, str]:
    return {
        "includes": root_headers(functions, "_ops"),
        "kernels": "".join(_kernel(templates, function) for function in functions),
        "rows": "\n".join(kernel_row(f, "Tracer", f.unambiguous) for f in functions),
    }


def _kernel(templates: Templates, function: NativeFunction) -> str:
    section = "returning" if function.func.returns else "void"
    names = [argument.name for argument in function.func.arguments.all]
    texts = {
        "schema": schema_line(function),
        "declaration": declaration(function, function.unambiguous),
        "struct": function.unambiguous,
        "inputs": ", ".join(names),
        "call": redispatch(function, "after_tracer"),
    }
    if function.func.returns:
        texts["result"] = "traced" if "result" in names else "result"
    return templates.section(_TEMPLATE, section).fill(**texts)

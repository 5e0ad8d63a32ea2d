"""register_aten_ops_*.cpp: every operator, for lookup by name and by signature.

aten_schema_declarations.cpp holds all schemas as one text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tools.codegen.emit.common import Emitter
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import sharded
from tools.codegen.model import NativeFunction
from tools.codegen.templates import Templates

_FAMILY = "register_aten_ops"
_TEMPLATE = "register_aten_ops.cpp"
_SCHEMAS = "aten_schema_declarations.cpp"


def register_aten_ops(emitter: Emitter) -> None:
    """Emit the operators, in the order of the operator file within a name."""
    functions = emitter.declared(emitter.operators.functions)
    for name, members in sharded(emitter, _FAMILY, functions, lambda f: f.root_name):
        emitter.file(f"{name}.cpp", _TEMPLATE, members, partial(_holes, emitter.templates, members))


def aten_schema_declarations(emitter: Emitter) -> None:
    """Emit the schemas in the order of the operator file."""
    functions = emitter.operators.functions
    lines = (f"{function.namespace}::{function.func}" for function in functions)
    emitter.file(_SCHEMAS, _SCHEMAS, functions, lambda: {"declarations": "\n".join(lines)})


def _holes(templates: Templates, functions: list[NativeFunction]) -> Mapping[str, str]:
    entry = templates.section(_TEMPLATE, "entry")
    return {
        "includes": root_headers(functions, "_ops"),
        "entries": "".join(entry.fill(struct=function.unambiguous) for function in functions),
    }

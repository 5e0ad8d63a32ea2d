"""Writes the ATen families of a model. Only wires: which family writes what is in emit/."""

from __future__ import annotations

from collections.abc import Mapping

from tools.codegen.emit import (
    completed,
    declarations,
    headers,
    native_headers,
    operators,
    register,
    tensor,
)
from tools.codegen.emit.common import Emitter, Family, Output
from tools.codegen.model import Operators as Model
from tools.codegen.templates import Templates

FAMILIES: Mapping[str, Family] = {
    "operator_headers": headers.operator_headers,
    "functions": headers.function_headers,
    "native": native_headers.native_headers,
    "meta": native_headers.meta_headers,
    "tensor": tensor.tensor_body,
    "method_operators": headers.method_operators,
    "redispatch": headers.redispatch_functions,
    "operators": operators.operators,
    "register_schema": operators.register_schema,
    "tensor_methods": operators.tensor_methods,
    "op_list": operators.op_list,
    "key_headers": register.key_headers,
    "register": register.register,
    "completed_kernels": completed.completed_kernels,
    "registration_declarations": headers.registration_declarations,
}


_SHARDED = ("operators", "register_schema", "tensor_methods", "register", "completed_kernels")


def generate(
    model: Model,
    templates: Templates,
    output: Output,
    only: str | None = None,
    *,
    everything: bool = False,
) -> None:
    """Write every family, or the one named `only`.

    `everything` adds what is for people to read: each sharded family in one file, and
    Declarations.yaml.
    """
    emitter = Emitter(model, templates, output)
    for name, family in FAMILIES.items():
        if only is None or name == only:
            family(emitter)
    if everything:
        whole = Emitter(model, templates, output, everything=True)
        for name in _SHARDED:
            FAMILIES[name](whole)
        declarations.declarations(whole)

"""Writes the ATen families of a model. Only wires: which family writes what is in emit/."""

from __future__ import annotations

from collections.abc import Mapping

from tools.codegen.emit import headers, native_headers, tensor
from tools.codegen.emit.common import Emitter, Family, Output
from tools.codegen.model import Operators
from tools.codegen.templates import Templates

FAMILIES: Mapping[str, Family] = {
    "operator_headers": headers.operator_headers,
    "functions": headers.function_headers,
    "native": native_headers.native_headers,
    "meta": native_headers.meta_headers,
    "tensor": tensor.tensor_body,
    "method_operators": headers.method_operators,
    "redispatch": headers.redispatch_functions,
    "registration_declarations": headers.registration_declarations,
}


def generate(
    operators: Operators, templates: Templates, output: Output, only: str | None = None
) -> None:
    """Write every family, or the one named `only`."""
    emitter = Emitter(operators, templates, output)
    for name, family in FAMILIES.items():
        if only is None or name == only:
            family(emitter)

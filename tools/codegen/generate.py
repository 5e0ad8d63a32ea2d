"""Writes the families of a model. Only wires: which family writes what is in emit/."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tools.codegen.emit import (
    completed,
    declarations,
    headers,
    native_headers,
    operators,
    pyi,
    python,
    register,
    tensor,
)
from tools.codegen.emit.common import AUTOGRAD, STUBS, Emitter, Family, Output
from tools.codegen.model import Operators as Model
from tools.codegen.templates import Templates

ATEN_FAMILIES: Mapping[str, Family] = {
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
PYTHON_FAMILIES: Mapping[str, Family] = {"python": python.python_bindings}
STUB_FAMILIES: Mapping[str, Family] = {"pyi": pyi.stubs}
FAMILIES = {**ATEN_FAMILIES, **PYTHON_FAMILIES, **STUB_FAMILIES}

_ROOT = Path(__file__).parents[2]
_SHARDED = ("operators", "register_schema", "tensor_methods", "register", "completed_kernels")


def generate(
    model: Model, output: Output, only: str | None = None, *, everything: bool = False
) -> None:
    """Write every family, or the one named `only`."""
    aten(model, output, only, everything=everything)
    bindings(model, output, only)
    stubs(model, output, only)


def aten(
    model: Model, output: Output, only: str | None = None, *, everything: bool = False
) -> None:
    """The families under aten/src/ATen.

    `everything` adds what is for people to read: each sharded family in one file, and
    Declarations.yaml.
    """
    templates = _templates("aten/src/ATen/templates")
    _write(Emitter(model, templates, output), ATEN_FAMILIES, only)
    if everything:
        whole = Emitter(model, templates, output, everything=True)
        for name in _SHARDED:
            FAMILIES[name](whole)
        declarations.declarations(whole)


def bindings(model: Model, output: Output, only: str | None = None) -> None:
    """The Python bindings."""
    templates = _templates("tools/autograd/templates")
    _write(Emitter(model, templates, output, directory=AUTOGRAD), PYTHON_FAMILIES, only)


def stubs(model: Model, output: Output, only: str | None = None) -> None:
    """The type stubs of torch._C."""
    templates = _templates("tools/pyi")
    _write(Emitter(model, templates, output, directory=STUBS), STUB_FAMILIES, only)


def _templates(folder: str) -> Templates:
    return Templates(lambda name: (_ROOT / folder / name).read_text(encoding="utf-8"))


def _write(emitter: Emitter, families: Mapping[str, Family], only: str | None) -> None:
    for name, family in families.items():
        if only is None or name == only:
            family(emitter)

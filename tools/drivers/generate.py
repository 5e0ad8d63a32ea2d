"""Writes the families of a model. This module only connects them; emit/ defines the families."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from tools.autograd.emission import AutogradEmitter, AutogradFamily
from tools.autograd.gen_autograd_functions import autograd_functions
from tools.autograd.gen_inplace_or_view_type import inplace_or_view_type
from tools.autograd.gen_python_functions import python_functions
from tools.autograd.gen_trace_type import trace_type
from tools.autograd.gen_variable_factories import variable_factories
from tools.autograd.gen_variable_type import variable_type
from tools.autograd.model import Derivatives
from tools.codegen.cache import Cache
from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit import (
    completed,
    declarations,
    headers,
    interned_strings,
    native_headers,
    operators,
    pyi,
    python,
    register,
    tensor,
    ufunc,
)
from tools.codegen.emit.common import AUTOGRAD, JIT, STUBS, Emitter, Family, Output
from tools.codegen.emit.python_binding import NO_DOCS
from tools.codegen.model import Operators as Model
from tools.codegen.templates import Templates
from tools.jit.gen_register_aten_ops import register_aten_ops

ATEN_FAMILIES: Mapping[str, Family] = {
    "operator_headers": headers.operator_headers,
    "functions": headers.function_headers,
    "native": native_headers.native_headers,
    "meta": native_headers.meta_headers,
    "tensor": tensor.tensor_methods_inc,
    "method_operators": headers.method_operators,
    "redispatch": headers.redispatch_functions,
    "operators": operators.operators,
    "register_schema": operators.register_schema,
    "tensor_methods": operators.tensor_methods,
    "op_list": operators.op_list,
    "interned_strings": interned_strings.interned_strings,
    "key_headers": register.key_headers,
    "register": register.register,
    "completed_kernels": completed.completed_kernels,
    "ufunc_kernels": ufunc.ufunc_kernels,
    "registration_declarations": headers.registration_declarations,
}
AUTOGRAD_FAMILIES: Mapping[str, AutogradFamily] = {
    "autograd_functions": autograd_functions,
    "variable_type": variable_type,
    "inplace_or_view_type": inplace_or_view_type,
    "trace_type": trace_type,
    "variable_factories": variable_factories,
    "python_functions": python_functions,
}
PYTHON_FAMILIES: Mapping[str, Callable[[python.PythonEmitter], None]] = {
    "python": python.python_bindings
}
JIT_FAMILIES: Mapping[str, Family] = {"register_aten_ops": register_aten_ops}
STUB_FAMILIES: Mapping[str, Callable[[pyi.StubEmitter], None]] = {"pyi": pyi.stubs}
FAMILIES = (*ATEN_FAMILIES, *AUTOGRAD_FAMILIES, *PYTHON_FAMILIES, *JIT_FAMILIES, *STUB_FAMILIES)
"""The names that --only accepts."""

Limits: TypeAlias = Mapping[str, int]
NO_LIMITS: Limits = {}

_ROOT = Path(__file__).parents[2]
_SHARDED_AUTOGRAD = ("autograd_functions", "variable_type", "inplace_or_view_type", "trace_type")
_SHARDED = ("operators", "register_schema", "tensor_methods", "register", "completed_kernels")


def generate(
    model: Model,
    output: Output,
    only: str | None = None,
    *,
    derivatives: Derivatives | None = None,
    deprecated: tuple[DeprecatedSignature, ...] = (),
    docs: OperatorDocs = NO_DOCS,
    limits: Limits = NO_LIMITS,
    everything: bool = False,
    cache: Cache | None = None,
) -> None:
    """Write every family, or only the family `only`; without derivatives, skip autograd's families.

    `limits` is how many operators go into one file of each sharded family; `cache` holds results of
    the last run.
    """
    cache = cache or Cache()
    aten(model, output, only, limits=limits, everything=everything, cache=cache)
    if derivatives is not None:
        autograd(model, derivatives, output, only, limits=limits, everything=everything)
    bindings(model, output, only, deprecated=deprecated, docs=docs, limits=limits)
    jit(model, output, only, limits=limits)
    stubs(model, output, only, docs=docs, cache=cache)


def aten(
    model: Model,
    output: Output,
    only: str | None = None,
    *,
    limits: Limits = NO_LIMITS,
    everything: bool = False,
    cache: Cache | None = None,
) -> None:
    """Write the families under aten/src/ATen.

    `everything` adds files for people to read: each sharded family in one file, and
    Declarations.yaml.
    """
    templates = _templates("aten/src/ATen/templates")
    emitter = Emitter(model, templates, output, limits=limits, cache=cache or Cache())
    _write(emitter, ATEN_FAMILIES, only)
    if everything:
        whole = Emitter(model, templates, output, everything=True)
        for name in _SHARDED:
            ATEN_FAMILIES[name](whole)
        declarations.declarations(whole)


def autograd(
    model: Model,
    derivatives: Derivatives,
    output: Output,
    only: str | None = None,
    *,
    limits: Limits = NO_LIMITS,
    everything: bool = False,
) -> None:
    """Write the autograd kernels, their Nodes, and the Nodes' Python classes."""
    emitter = AutogradEmitter(
        model,
        _templates("tools/autograd/templates"),
        output,
        directory=AUTOGRAD,
        limits=limits,
        sources="native_functions.yaml, derivatives.yaml",
        fingerprints={f.full_name: derivatives.digest(f) for f in model.functions},
        derivatives=derivatives,
    )
    for name, family in AUTOGRAD_FAMILIES.items():
        if only is None or name == only:
            family(emitter)
    if everything:
        whole = replace(emitter, everything=True)
        for name in _SHARDED_AUTOGRAD:
            AUTOGRAD_FAMILIES[name](whole)


def bindings(
    model: Model,
    output: Output,
    only: str | None = None,
    *,
    deprecated: tuple[DeprecatedSignature, ...] = (),
    docs: OperatorDocs = NO_DOCS,
    limits: Limits = NO_LIMITS,
) -> None:
    """Write the Python bindings."""
    fingerprints = {f.full_name: docs.content(str(f.func.name.name)) for f in model.functions}
    for signature in deprecated:
        name = signature.function.full_name
        fingerprints[name] += signature.content
    emitter = python.PythonEmitter(
        model,
        _templates("tools/autograd/templates"),
        output,
        directory=AUTOGRAD,
        limits=limits,
        fingerprints=fingerprints,
        deprecated=deprecated,
        docs=docs,
    )
    for name, family in PYTHON_FAMILIES.items():
        if only is None or name == only:
            family(emitter)


def jit(
    model: Model, output: Output, only: str | None = None, *, limits: Limits = NO_LIMITS
) -> None:
    """Write the table of operators by signature."""
    templates = _templates("tools/jit/templates")
    emitter = Emitter(model, templates, output, directory=JIT, limits=limits)
    _write(emitter, JIT_FAMILIES, only)


def stubs(
    model: Model,
    output: Output,
    only: str | None = None,
    *,
    docs: OperatorDocs = NO_DOCS,
    cache: Cache | None = None,
) -> None:
    """Write the type stubs of torch._C."""
    emitter = pyi.StubEmitter(
        model,
        _templates("tools/pyi"),
        output,
        directory=STUBS,
        fingerprints={f.full_name: docs.summary(str(f.func.name.name)) for f in model.functions},
        cache=cache or Cache(),
        docs=docs,
    )
    for name, family in STUB_FAMILIES.items():
        if only is None or name == only:
            family(emitter)


def _templates(folder: str) -> Templates:
    return Templates(lambda name: (_ROOT / folder / name).read_text(encoding="utf-8"))


def _write(emitter: Emitter, families: Mapping[str, Family], only: str | None) -> None:
    for name, family in families.items():
        if only is None or name == only:
            family(emitter)

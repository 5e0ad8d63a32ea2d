"""ADInplaceOrViewType_*.cpp: kernels that increment versions of written tensors and track views."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tools.autograd.differentiation import MANUAL_AUTOGRAD, MANUAL_BACKEND, constant_entry
from tools.autograd.emission import (
    AutogradEmitter,
    declaration,
    kernel_row,
    redispatch,
    schema_line,
)
from tools.autograd.kernel_results import are_written, returned
from tools.autograd.saved_fields import is_borrowed, owned
from tools.codegen.api import dispatcher
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import sharded
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument
from tools.codegen.templates import Templates

_TEMPLATE = "ADInplaceOrViewType.cpp"

_UNSTRIDED_VIEWS = frozenset(["view_as_real", "view_as_complex", "_conj", "_neg_view"])
"""Views that as_strided on the base cannot reproduce."""


def inplace_or_view_type(emitter: AutogradEmitter) -> None:
    """Emit one kernel for each operator that writes, or returns views of, its arguments."""
    functions = [f for f in emitter.built(emitter.operators.functions) if has_kernel(f)]
    for name, members in sharded(emitter, "ADInplaceOrViewType", functions, lambda f: f.root_name):
        emitter.file(f"{name}.cpp", _TEMPLATE, members, partial(_holes, emitter, members))


def has_kernel(function: NativeFunction) -> bool:
    """Return whether the operator itself, not one that it calls, returns what it wrote or a view.

    One that only updates an argument, as the running mean of a normalization, leaves the version.
    """
    name = str(function.func.name.name)
    if name in MANUAL_AUTOGRAD or name in MANUAL_BACKEND:
        return False
    if function.composite_implicit or function.manual_kernel_registration:
        return False
    return (bool(function.func.arguments.mutable) and are_written(function)) or function.is_view


def _holes(emitter: AutogradEmitter, functions: list[NativeFunction]) -> Mapping[str, str]:
    return {
        "includes": root_headers(functions, "_ops"),
        "kernels": "".join(_kernel(emitter, function) for function in functions),
        "rows": "\n".join(kernel_row(f, "ADInplaceOrView", f.unambiguous) for f in functions),
    }


def _kernel(emitter: AutogradEmitter, function: NativeFunction) -> str:
    if function.func.arguments.mutable:
        return _writing(emitter.templates, function)
    return _viewing(emitter, function)


def _common(function: NativeFunction) -> dict[str, str]:
    return {
        "schema": schema_line(function),
        "declaration": declaration(function, function.unambiguous),
    }


def _writing(templates: Templates, function: NativeFunction) -> str:
    value = returned(function)
    written = function.func.arguments.mutable
    versions = [f"increment_version({argument.name});" for argument in written]
    if str(function.func.name.name) == "set_":  # the leaf is another tensor now
        versions.append("impl::set_grad_accumulator(self, {});")
    return templates.section(_TEMPLATE, "writing").fill(
        **_common(function),
        call=redispatch(function, "c10::after_ADInplaceOrView_keyset") + ";",
        versions="\n".join(versions),
        return_value=f"return {value};" if value else "",
    )


def _viewing(emitter: AutogradEmitter, function: NativeFunction) -> str:
    section = partial(emitter.templates.section, _TEMPLATE)
    base = base_argument(function)
    common = {
        **_common(function),
        "call": redispatch(function, "c10::after_ADInplaceOrView_keyset"),
        "base": base.name,
        "differentiable": "false" if not_differentiable(emitter, function) else "true",
    }
    if function.func.returns[0].type.list_type() is not None:
        return section("views").fill(**common)
    strided = str(function.func.name) != "view.dtype" and function.root_name not in _UNSTRIDED_VIEWS
    if strided:
        return section("view").fill(**common, view_func="", given_func="nullptr")
    arguments = ["base" if a is base else a.name for a in function.func.arguments.all]
    view_func = section("view_func").fill(
        captures=", ".join(_captures(function, base)),
        struct=function.unambiguous,
        arguments=", ".join(arguments),
    )
    return section("view").fill(**common, view_func=view_func, given_func="std::move(view_func)")


def not_differentiable(emitter: AutogradEmitter, function: NativeFunction) -> bool:
    """Return whether the view blocks gradients."""
    return function.root_name == "detach" or constant_entry(emitter.derivatives, function)


def base_argument(function: NativeFunction) -> Argument:
    """Return the argument that the result is a view of: it has the result's annotation."""
    annotation = function.func.returns[0].annotation
    assert annotation is not None
    shared = [
        argument
        for argument in function.func.arguments.all
        if argument.annotation is not None
        and set(argument.annotation.before) & set(annotation.before)
    ]
    return shared[0]


def _captures(function: NativeFunction, base: Argument) -> list[str]:
    """Return the other arguments, copied so that they outlive the call."""
    captures = []
    for binding in dispatcher.signature(function).bindings:
        if binding.name != base.name:
            copy = owned(binding.type, binding.name)
            captures.append(f"{binding.name} = {copy}" if is_borrowed(binding.type) else copy)
    return captures

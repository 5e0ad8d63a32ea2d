"""VariableType.h and VariableType_*.cpp: the autograd kernels, which record operators as Nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from tools.autograd.differentiation import GradientKernel, KernelKind, gradient_kernels
from tools.autograd.emission import (
    AutogradEmitter,
    declaration,
    kernel_row,
    redispatch,
    schema_line,
)
from tools.autograd.kernel_results import are_written, kernel_result_names, returned
from tools.autograd.model import Derivative, Differentiability
from tools.autograd.saved_fields import Field, fields
from tools.codegen.api import dispatcher
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import sharded
from tools.codegen.schema import Argument, SchemaKind
from tools.codegen.templates import Templates

_FAMILY = "VariableType"
_TEMPLATE = "VariableType.cpp"
_MASK = re.compile(r"grad_input_mask\[(\d+)\]")


def variable_type(emitter: AutogradEmitter) -> None:
    """Emit the header that the kernels share, and their shards."""
    if not emitter.everything:
        emitter.file("VariableType.h", "VariableType.h", (), dict)
    selection = emitter.selection
    kernels = [
        kernel
        for kernel in gradient_kernels(emitter.operators, emitter.derivatives)
        if selection is None or selection.has(kernel.function)
    ]
    for name, members in sharded(emitter, _FAMILY, kernels, lambda k: k.function.root_name):
        functions = [kernel.function for kernel in members]
        facts = [f"{kernel.name} {kernel.kind.name}" for kernel in members]
        holes = partial(_holes, emitter.templates, name, members)
        emitter.file(f"{name}.cpp", _TEMPLATE, functions, holes, *facts)


def _holes(templates: Templates, name: str, kernels: list[GradientKernel]) -> Mapping[str, str]:
    return {
        "nodes": f"Functions{name.removeprefix(_FAMILY)}.h",
        "includes": root_headers((kernel.function for kernel in kernels), "_ops"),
        "kernels": "".join(kernel_text(templates, kernel) for kernel in kernels),
        "rows": "\n".join(kernel_row(k.function, k.key, k.name) for k in kernels),
    }


def _names(arguments: tuple[Argument, ...]) -> str:
    return ", ".join(argument.name for argument in arguments)


def kernel_text(templates: Templates, kernel: GradientKernel) -> str:
    """Return the C++ of one kernel."""
    function = kernel.function
    common = {
        "schema": schema_line(function),
        "declaration": declaration(function, kernel.name),
    }
    call = redispatch(function, "c10::after_autograd_keyset")
    if kernel.kind is KernelKind.constant:
        return templates.section(_TEMPLATE, "constant").fill(**common, call=call)
    if kernel.kind is KernelKind.out:
        return templates.section(_TEMPLATE, "out").fill(
            **common, inputs=_names(kernel.inputs), name=str(function.func.name.name), call=call
        )
    return templates.section(_TEMPLATE, "gradient").fill(
        **common,
        uncovered=_gradient_errors(kernel),
        differentiable=_differentiable(kernel),
        plain=templates.section(_TEMPLATE, _plain_section(kernel)).fill(call=call),
        node="NotImplemented" if kernel.entry is None else str(kernel.entry.node),
        inputs=_names(kernel.inputs),
        save_inputs=_save_inputs(templates, kernel),
        save_outputs=_save_outputs(kernel),
        **_result_statements(kernel, call),
    )


def _differentiable(kernel: GradientKernel) -> str:
    """Return the condition under which the call is recorded."""
    asked = f"compute_requires_grad({_names(kernel.inputs)})"
    condition = kernel.entry and kernel.entry.output_condition
    return f"({asked} && ({condition}))" if condition else asked


def _plain_section(kernel: GradientKernel) -> str:
    """Return the section for calls that are not recorded.

    It needs a guard if a tensor may still require a gradient: the operators that the kernel itself
    calls must not be recorded for it.
    """
    entry = kernel.entry
    if entry is None:
        return "plain"
    arguments = kernel.function.func.arguments.all
    ignored = any(argument.name in entry.non_differentiable for argument in arguments)
    return "guarded" if entry.output_condition or ignored else "plain"


def _gradient_errors(kernel: GradientKernel) -> str:
    """Return errors for tensors that require a gradient without having a formula."""
    name = kernel.function.func.name.name
    return "\n".join(
        f'check_no_requires_grad({argument.name}, "{argument.name}", "{name}");'
        for argument in kernel.uncovered
    )


# ---------------------------------------------------------------- results


def _result_statements(kernel: GradientKernel, call: str) -> dict[str, str]:
    function = kernel.function
    names = kernel_result_names(function)
    histories = [n for n, has in zip(names, kernel.outputs, strict=True) if has]
    if are_written(function):
        value = returned(function)
        inplace = function.func.kind is SchemaKind.inplace
        # A view that changes its own shape does not change its base's history.
        history = "set" if "inplace_view" in function.tags else "rebase"
        return {
            "checks": "\n".join(f"check_inplace({n}, true);" for n in histories) if inplace else "",
            "declare_results": "",
            "call": f"{call};",
            "name_results": "",
            "set_history": "\n".join(f"{history}_history({n}, grad_fn);" for n in histories),
            "return_results": f"return {value};" if value else "",
        }
    whole = names[0] if len(names) == 1 else "results"
    binding = f"auto& [{', '.join(names)}] = results;" if len(names) > 1 else ""
    return {
        "checks": "",
        "declare_results": f"{dispatcher.signature(function).returns} {whole};",
        "call": f"{whole} = {call};",
        "name_results": binding,
        "set_history": "\n".join(f"set_history({n}, grad_fn);" for n in histories),
        "return_results": f"return {whole};",
    }


# ---------------------------------------------------------------- saved values


def _save_inputs(templates: Templates, kernel: GradientKernel) -> str:
    entry = kernel.entry
    if entry is None:
        function = kernel.function
        return f'grad_fn->operator_name = "{function.namespace}::{function.func.name.name}";'
    statements = [
        f"grad_fn->{a.name}_size_ = {a.name}.size();"
        for a in entry.arguments
        if a.type.list_type() is not None
    ]
    for field in fields(entry):
        if not field.is_output:
            statements.append(_save_input(templates, entry, field))
    return "\n".join(statement.rstrip("\n") for statement in statements)


def _save_input(templates: Templates, entry: Differentiability, field: Field) -> str:
    statement = field.save()
    if field.attribute.condition is not None:
        condition = _MASK.sub(r"grad_fn->should_compute_output(\1)", field.attribute.condition)
        section = templates.section(_TEMPLATE, "conditional_save")
        return section.fill(condition=condition, save=statement)
    edge = _only_edge(entry, field)
    if edge is None:
        return statement
    return templates.section(_TEMPLATE, "guarded_save").fill(edge=str(edge), save=statement)


def _only_edge(entry: Differentiability, field: Field) -> int | None:
    """Return the edge that alone needs the field, if there is exactly one."""
    if not field.holds_variables or len(entry.derivatives) < 2:
        return None
    if any(argument.type.list_type() is not None for argument in entry.arguments):
        return None
    users = [d for d in entry.derivatives if field.attribute.name in _saved_names(d)]
    if len(users) != 1 or len(users[0].variables) != 1:
        return None
    return [argument.name for argument in entry.arguments].index(users[0].variables[0])


def _saved_names(derivative: Derivative) -> set[str]:
    return {a.name for a in (*derivative.saved_inputs, *derivative.saved_outputs)}


def _save_outputs(kernel: GradientKernel) -> str:
    entry = kernel.entry
    if entry is None:
        return ""
    inplace = kernel.function.func.kind is SchemaKind.inplace
    saves = [field.save(inplace=inplace) for field in fields(entry) if field.is_output]
    return "\n".join(saves)

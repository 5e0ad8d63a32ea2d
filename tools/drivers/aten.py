"""The stage aten: the families under aten/src/ATen."""

from __future__ import annotations

from collections.abc import Mapping

from tools.codegen.cache import Cache
from tools.codegen.emit import (
    completed,
    declarations,
    functionalization,
    headers,
    interned_strings,
    native_headers,
    operators,
    register,
    tensor,
    ufunc,
)
from tools.codegen.emit.common import Emitter, Family, Output
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers.context import (
    NO_LIMITS,
    Context,
    Limits,
    inputs,
    templates,
    unchanged,
    write,
)
from tools.drivers.kernels import selected_with_calls

FAMILIES: Mapping[str, Family[Emitter]] = {
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
    "view_copy_kernels": functionalization.view_copy_kernels,
    "functional_inverses": functionalization.functional_inverses,
    "view_meta_classes": functionalization.view_meta_classes,
    "register_functionalization": functionalization.register_functionalization,
    "registration_declarations": headers.registration_declarations,
}
_LEGACY_TYPES = "BUILD_LEGACY_TYPES"
_SHARDED = ("operators", "register_schema", "tensor_methods", "register", "completed_kernels")


def generate(
    model: Operators,
    output: Output,
    only: str | None = None,
    *,
    limits: Limits = NO_LIMITS,
    everything: bool = False,
    cache: Cache | None = None,
    selection: Selection | None = None,
    legacy_types: bool = False,
) -> None:
    """Write the families of this stage.

    `everything` adds files for people to read: each sharded family in one file, and
    Declarations.yaml. `legacy_types` adds the methods of tensors that return their type, and
    Declarations.yaml, whose records the types' methods come from.
    """
    sources = templates("aten/src/ATen/templates")
    emitter = Emitter(
        model,
        sources,
        output,
        limits=limits,
        cache=cache or Cache(),
        selection=selection,
        other_methods=(
            sources.section("TensorMethods.inc", "types").fill() if legacy_types else ""
        ),
    )
    write(emitter, FAMILIES, only)
    if everything:
        whole = Emitter(model, sources, output, everything=True, selection=selection)
        for name in _SHARDED:
            FAMILIES[name](whole)
    if everything or legacy_types:
        declarations.declarations(emitter)


def declarations_file(model: Operators, output: Output) -> None:
    """Write Declarations.yaml alone."""
    declarations.declarations(Emitter(model, templates("aten/src/ATen/templates"), output))


def stage(context: Context) -> None:
    """Generate what the operators need below autograd and Python."""
    if not unchanged(context):
        generate(
            inputs(context).operators,
            context.files,
            limits=context.limits,
            everything=context.everything,
            selection=selected_with_calls(context),
            legacy_types=context.options.get(_LEGACY_TYPES) == "ON",
        )

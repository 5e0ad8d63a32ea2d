"""Functionalization: kernels that copy views, steps to views with their inverses, and the table of operators.

One boxed kernel serves all operators. The table tells it what replaces each of them, and makes the step to a view:
an object that computes the view of a value, and the value from a changed view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tools.codegen.api import cpp, dispatcher, native
from tools.codegen.api.signature import Binding
from tools.codegen.emit.common import Emitter
from tools.codegen.emit.lazy_ir import OWNED_TYPES, kind_of
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import shard_count, sharded
from tools.codegen.functional import (
    composite_kernel,
    copies_of_views,
    functional_variants,
    inverse_name,
    views,
)
from tools.codegen.model import NativeFunction, is_functional
from tools.codegen.schema import is_tensor_list

_COPIES = "CompositeViewCopyKernels.cpp"
_INVERSES = "FunctionalInverses.h"
_STEPS = "ViewMetaClasses"
_TABLE = "RegisterFunctionalization.cpp"


def view_copy_kernels(emitter: Emitter) -> None:
    """Emit CompositeViewCopyKernels.cpp: the kernel of each operator that copies a view."""
    copies = copies_of_views(emitter.operators)
    built = emitter.built(copies)
    rows = [(function, copies[function]) for function in built]
    functions = [function for row in rows for function in row]
    emitter.file(_COPIES, _COPIES, functions, partial(_kernels, emitter, rows))


def _kernels(
    emitter: Emitter, rows: Sequence[tuple[NativeFunction, NativeFunction]]
) -> Mapping[str, str]:
    texts: list[str] = []
    for function, view in rows:
        section = "out" if function.func.is_out else "copy"
        texts.append(
            emitter.templates.section(_COPIES, section).fill(
                schema=f"{function.namespace}::{function.func}",
                declaration=native.signature(function, composite_kernel(function)).declaration(),
                view=view.unambiguous,
                arguments=", ".join(dispatcher.signature(view).names()),
            )
        )
    copies, originals = [f for f, _ in rows], [view for _, view in rows]
    headers = [root_headers(copies, "_native"), root_headers(originals, "_ops")]
    return {"includes": "\n".join(headers), "kernels": "".join(texts)}


def functional_inverses(emitter: Emitter) -> None:
    """Emit FunctionalInverses.h: what FunctionalInverses.cpp must define."""
    functions = list(views(emitter.operators))
    emitter.file(_INVERSES, _INVERSES, functions, partial(_declarations, functions))


def _declarations(functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    lines = [f"static at::Tensor {inverse_declaration(view)};" for view in functions]
    return {"declarations": "\n".join(lines)}


def inverse_declaration(view: NativeFunction) -> str:
    """Return the name and parameters of the function that writes a changed view to its base."""
    parameters = [
        "const at::Tensor& base",
        "const at::Tensor& mutated_view",
        "InverseReturnMode inverse_return_mode",
    ]
    if _returns_list(view):
        parameters.append("int64_t mutated_view_idx")
    parameters += [binding.declaration(defaults=False) for binding in _viewing(view)]
    return f"{inverse_name(view)}({', '.join(parameters)})"


def _returns_list(view: NativeFunction) -> bool:
    return any(is_tensor_list(result.type) for result in view.func.returns)


def view_meta_classes(emitter: Emitter) -> None:
    """Emit ViewMetaClasses.{h,cpp}: a class for the step to each view, which holds the view's arguments."""
    pairs = list(views(emitter.operators).items())
    functions = [view for view, _ in pairs]
    mentioned = [function for pair in pairs for function in pair if function is not None]
    header = partial(_step_declarations, emitter, functions)
    emitter.file(f"{_STEPS}.h", f"{_STEPS}.h", functions, header)
    source = partial(_step_definitions, emitter, pairs)
    emitter.file(f"{_STEPS}.cpp", f"{_STEPS}.cpp", mentioned, source)


def step_name(view: NativeFunction) -> str:
    """Return the name of the class of steps to a view."""
    return f"{view.unambiguous}_ViewMeta"


def _step_declarations(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    section = partial(emitter.templates.section, f"{_STEPS}.h")
    texts = []
    for view in functions:
        name, bindings = step_name(view), _viewing(view)
        parameters = ["bool reapply_views", "const Geometry& input"]
        initial = ["ViewMeta(reapply_views, input)"]
        texts.append(
            section("class").fill(
                schema=f"{view.namespace}::{view.func}",
                name=name,
                parameters=", ".join(
                    parameters + [b.declaration(defaults=False) for b in bindings]
                ),
                initializers=", ".join(initial + [_initializer(b) for b in bindings]),
                out_index=section("out_index").fill(name=name) if _returns_list(view) else "",
                fields="\n".join(f"{_field_type(b)} {b.name};" for b in bindings),
            )
        )
    return {"declarations": "".join(texts)}


def _step_definitions(
    emitter: Emitter, pairs: Sequence[tuple[NativeFunction, NativeFunction | None]]
) -> Mapping[str, str]:
    texts = []
    for view, copy in pairs:
        names = [binding.name for binding in _viewing(view)]
        call = f"at::_ops::{{}}::call({', '.join(['base', *names])})"
        forward = f"return {call.format(view.unambiguous)};"
        if copy is not None:
            forward = f"if (!reapply_views) return {call.format(copy.unambiguous)};\n{forward}"
        index = ["out_index"] if _returns_list(view) else []
        inverse = ["base", "mutated_view", "inverse_return_mode()", *index, *names]
        texts.append(
            emitter.templates.section(f"{_STEPS}.cpp", "class").fill(
                name=step_name(view),
                forward=forward,
                inverse=inverse_name(view),
                inverse_arguments=", ".join(inverse),
            )
        )
    called = [function for pair in pairs for function in pair if function is not None]
    return {"includes": root_headers(called, "_ops"), "definitions": "".join(texts)}


def _viewing(view: NativeFunction) -> list[Binding]:
    """Return the parameters of a view besides the tensor that it views."""
    return [
        cpp.binding(argument, view, defaults=False)
        for argument in view.func.arguments.all
        if argument is not view.func.arguments.self_arg
    ]


def _field_type(binding: Binding) -> str:
    assert binding.argument is not None
    plain = binding.type.removeprefix("const ").removesuffix("&").strip()
    return OWNED_TYPES.get(kind_of(binding.argument), plain)


def _initializer(binding: Binding) -> str:
    name, held = binding.name, _field_type(binding)
    if held.startswith("std::vector<"):
        return f"{name}({name}.begin(), {name}.end())"
    if held.startswith("std::optional<std::vector<"):
        return f"{name}({name} ? std::optional({name}->vec()) : std::nullopt)"
    return f"{name}({name})"


def register_functionalization(emitter: Emitter) -> None:
    """Emit RegisterFunctionalization_*.cpp: the rows of writing operators and of views."""
    built = emitter.built(f for f in emitter.operators.functions if not f.composite_implicit)
    known_views = views(emitter.operators)
    rows = [f for f in built if f in known_views or not is_functional(f)]
    limit = emitter.limits.get("RegisterFunctionalization")
    count = shard_count(len(rows), limit)
    shards = sharded(emitter, "RegisterFunctionalization", rows, lambda f: f.root_name, count)
    for name, members in shards:
        emitter.file(f"{name}.cpp", _TABLE, members, partial(_rows, emitter, members))


def _rows(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    variants, known_views = functional_variants(emitter.operators), views(emitter.operators)
    mutations = [(f, variants[f]) for f in functions if f in variants]
    return {
        "mutations": "\n".join(
            f'"{_qualified(function)} {_qualified(variant)}\\n"' for function, variant in mutations
        ),
        "views": "\n".join(_view_row(f) for f in functions if f in known_views),
    }


def _view_row(view: NativeFunction) -> str:
    types = ", ".join([step_name(view), *(binding.type for binding in _viewing(view))])
    return f'{{"{_qualified(view)}", &make_view_meta<{types}>}},'


def _qualified(function: NativeFunction) -> str:
    return f"{function.namespace}::{function.func.name}"

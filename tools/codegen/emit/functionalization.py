"""Functionalization: kernels that copy views, declarations of inverses, and the table of operators.

One boxed kernel serves all operators. The table tells it what replaces each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tools.codegen.api import cpp, dispatcher, native
from tools.codegen.emit.common import Emitter
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
    parameters += [
        cpp.binding(argument, view, defaults=False).declaration(defaults=False)
        for argument in view.func.arguments.all
        if argument is not view.func.arguments.self_arg
    ]
    return f"{inverse_name(view)}({', '.join(parameters)})"


def _returns_list(view: NativeFunction) -> bool:
    return any(is_tensor_list(result.type) for result in view.func.returns)


def register_functionalization(emitter: Emitter) -> None:
    """Emit RegisterFunctionalization_*.cpp: the rows of writing operators and of views."""
    built = emitter.built(f for f in emitter.operators.functions if not f.composite_implicit)
    known_views = views(emitter.operators)
    rows = [f for f in built if f in known_views or not is_functional(f)]
    limit = emitter.limits.get("RegisterFunctionalization")
    count = shard_count(len(rows), limit)
    shards = sharded(emitter, "RegisterFunctionalization", rows, lambda f: f.root_name, count)
    for name, members in shards:
        copies = " ".join(c.full_name for f in members if (c := known_views.get(f)) is not None)
        emitter.file(f"{name}.cpp", _TABLE, members, partial(_rows, emitter, members), copies)


def _rows(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    variants, known_views = functional_variants(emitter.operators), views(emitter.operators)
    mutations = [(f, variants[f]) for f in functions if f in variants]
    pairs = [(f, known_views[f]) for f in functions if f in known_views]
    return {
        "mutations": "\n".join(
            f'"{_qualified(function)} {_qualified(variant)}\\n"' for function, variant in mutations
        ),
        "views": "\n".join(
            f'{{"{_qualified(view)}", "{_qualified(copy) if copy else ""}", '
            f"&boxed_inverse<&FunctionalInverses::{inverse_name(view)}, {str(_returns_list(view)).lower()}>}},"
            for view, copy in pairs
        ),
    }


def _qualified(function: NativeFunction) -> str:
    return f"{function.namespace}::{function.func.name}"

"""UnboxingFunctions.h, UnboxingFunctions_*.cpp, RegisterCodegenUnboxedKernels_*.cpp.

For each operator a function that takes its arguments from a stack, and a table that finds it by signature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tools.codegen.api import dispatcher
from tools.codegen.emit.common import Emitter, type_headers
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import shard_count, sharded
from tools.codegen.model import NativeFunction

_HEADER = "UnboxingFunctions.h"
_FUNCTIONS = "UnboxingFunctions"
_REGISTER = "RegisterCodegenUnboxedKernels"


def unboxing(emitter: Emitter) -> None:
    """Emit the functions of the operators that are built, and their table."""
    functions = emitter.built(emitter.operators.functions)
    lines = "\n".join(f"TORCH_API void {f.unambiguous}(Stack& stack);" for f in functions)
    emitter.file(_HEADER, _HEADER, functions, lambda: {"declarations": lines})
    for family, values in ((_FUNCTIONS, _definitions), (_REGISTER, _rows)):
        count = shard_count(len(functions), emitter.limits.get(family))
        for name, members in sharded(emitter, family, functions, lambda f: f.root_name, count):
            if members:
                emitter.file(
                    f"{name}.cpp", f"{family}.cpp", members, partial(values, emitter, members)
                )


def _definitions(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    section = emitter.templates.section(f"{_FUNCTIONS}.cpp", "function")
    headers = [root_headers(functions, "_ops"), type_headers(functions)]
    return {
        "includes": "\n".join(filter(None, headers)),
        "definitions": "".join(section.fill(**_definition(function)) for function in functions),
    }


def _definition(function: NativeFunction) -> Mapping[str, str]:
    bindings = dispatcher.signature(function).bindings
    arguments = [
        f"c10::impl::unboxed_argument<{binding.type}>(arguments[{index}]).get()"
        for index, binding in enumerate(bindings)
    ]
    return {
        "schema": f"{function.namespace}::{function.func}",
        "name": function.unambiguous,
        "count": str(len(bindings)),
        "arguments": ",\n".join(arguments),
    }


def _rows(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    section = emitter.templates.section(f"{_REGISTER}.cpp", "row")
    return {
        "includes": root_headers(functions, "_ops"),
        "rows": "".join(section.fill(name=function.unambiguous) for function in functions),
    }

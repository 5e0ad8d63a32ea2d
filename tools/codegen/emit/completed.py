"""CompletedKernels_*.cpp: kernels of the variants that `autogen` added.

A functional variant copies the written arguments and calls the writing variant; an out= variant
calls the functional one and copies its results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tools.codegen.api import native
from tools.codegen.emit.common import Emitter
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import sharded
from tools.codegen.keys import COMPOSITE_EXPLICIT
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument

_FILE = "CompletedKernels.cpp"


def completed_kernels(emitter: Emitter) -> None:
    """Emit the kernels, in shards of their own."""
    functions = emitter.built(emitter.operators.functions)
    generated = [f for f in functions if f.completed_from is not None]
    shards = sharded(emitter, "CompletedKernels", generated, lambda f: f.root_name)
    for name, functions in shards:
        emitter.file(f"{name}.cpp", _FILE, functions, partial(_kernels, emitter, functions))


def _kernels(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    texts: list[str] = []
    for function in functions:
        source = emitter.operators.by_name[str(function.completed_from)]
        make = _out_kernel if function.func.is_out else _functional_kernel
        texts.append(make(emitter, function, source))
    headers = [root_headers(functions, "_native"), root_headers(functions, "_ops")]
    return {"includes": "\n".join(headers), "kernels": "".join(texts)}


def _declaration(function: NativeFunction) -> str:
    signature = native.signature(function, function.dispatch[COMPOSITE_EXPLICIT].name)
    return signature.declaration()


def _out_kernel(emitter: Emitter, function: NativeFunction, source: NativeFunction) -> str:
    given = {argument.name for argument in function.func.arguments.non_out}
    outs = [argument.name for argument in function.func.arguments.out]
    options = source.func.arguments.options
    parts = () if options is None else options.all()
    values = [
        _option_of(argument, outs[0]) if argument in parts else argument.name
        for argument in source.func.arguments.all
        if argument in parts or argument.name in given
    ]
    results = source.func.returns
    copies: list[str] = []
    # Additional results of the functional variant are the values of the written arguments.
    also_written = [a.name for a in function.func.arguments.non_out if a.is_write]
    targets = iter([*outs, *also_written])
    for index, result in enumerate(results):
        if result.type.is_tensor_like():
            value = "results" if len(results) == 1 else f"std::get<{index}>(results)"
            copies.append(f"at::native::copy_to_out({next(targets)}, {value});")
    return emitter.templates.section(_FILE, "out").fill(
        schema=f"{function.namespace}::{function.func}",
        declaration=_declaration(function),
        call=f"auto results = at::_ops::{source.unambiguous}::call({', '.join(values)});",
        copies="\n".join(copies),
        returns=_out_result(function, outs),
    )


def _out_result(function: NativeFunction, outs: list[str]) -> str:
    returns = function.func.returns
    if not returns:
        return ""
    if not all(result.is_write for result in returns):
        return "results"
    return outs[0] if len(returns) == 1 else f"std::forward_as_tuple({', '.join(outs)})"


def _option_of(argument: Argument, out: str) -> str:
    values = {
        "dtype": f"{out}.scalar_type()",
        "layout": f"{out}.layout()",
        "device": f"{out}.device()",
        "pin_memory": "::std::nullopt",
    }
    return values[argument.name]


def _functional_kernel(emitter: Emitter, function: NativeFunction, source: NativeFunction) -> str:
    writable = {argument.name for argument in source.func.arguments.mutable}
    values = [
        f"{argument.name}_copy" if argument.name in writable else argument.name
        for argument in source.func.arguments.all
    ]
    copies = [
        f"auto {argument.name}_copy = at::native::copy_argument({argument.name});"
        for argument in source.func.arguments.mutable
    ]
    own = [r for r in source.func.returns if not r.is_write]
    call = f"at::_ops::{source.unambiguous}::call({', '.join(values)});"
    results = [f"std::move({argument.name}_copy)" for argument in source.func.arguments.mutable]
    if len(own) == 1:
        results.insert(0, "std::move(own)")
    elif own:
        results[:0] = [f"std::move(std::get<{index}>(own))" for index in range(len(own))]
    if len(results) == 1:
        returned = results[0].removeprefix("std::move(").removesuffix(")")
    else:
        returned = f"std::make_tuple({', '.join(results)})"
    return emitter.templates.section(_FILE, "functional").fill(
        schema=f"{function.namespace}::{function.func}",
        declaration=_declaration(function),
        copies="\n".join(copies),
        call=f"auto own = {call}" if own else call,
        returns=returned,
    )

"""generated_ops_*.cpp: operators that torch.jit._static_runtime computes into memory that it plans.

An operator has a kernel there if it makes one tensor and has an out= variant with the same arguments, which the
CPU computes by a function of its own: one that is not generated from the operator and a copy. Recorded graphs
have no operators that are made of others.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tools.codegen.api import cpp, dispatcher
from tools.codegen.emit.common import Emitter, type_headers
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import shard_count, sharded
from tools.codegen.keys import COMPOSITE_EXPLICIT
from tools.codegen.model import NativeFunction, Operators, is_functional
from tools.codegen.types import TENSOR

DIRECTORY = "torch/csrc/jit/runtime/static"
FAMILY = "generated_ops"
_SOURCE = f"{FAMILY}.cpp"
_CPU_KEYS = ("CPU", COMPOSITE_EXPLICIT)
"""Dispatch keys with functions that can be called without the dispatcher, in the order of its choice."""


def static_operators(emitter: Emitter) -> None:
    """Emit the kernels of the operators that are built, and their tables."""
    variants = out_variants(emitter.operators)
    built = [f for f in emitter.built(variants) if emitter.built([variants[f]])]
    count = shard_count(len(variants), emitter.limits.get(FAMILY))
    for file, members in sharded(emitter, FAMILY, built, lambda f: f.root_name, count):
        if members:
            chosen = {function: variants[function] for function in members}
            emitter.file(f"{file}.cpp", _SOURCE, members, partial(_values, emitter, chosen))


def out_variants(operators: Operators) -> Mapping[NativeFunction, NativeFunction]:
    """Return the out= variant of each operator that has a kernel."""
    variants: dict[NativeFunction, NativeFunction] = {}
    for functions in operators.by_root.values():
        writing = {
            _inputs(function): function
            for function in functions
            if function.func.is_out and not function.is_generated and _cpu_key(operators, function)
        }
        for function in functions:
            if _makes_one(function) and (found := writing.get(_inputs(function))) is not None:
                variants[function] = found
    return variants


def _makes_one(function: NativeFunction) -> bool:
    """Return whether the operator makes one tensor, and recorded graphs have it."""
    returned = [each.type for each in function.func.returns]
    return is_functional(function) and returned == [TENSOR] and not function.composite_implicit


def _cpu_key(operators: Operators, function: NativeFunction) -> str:
    """Return the dispatch key whose kernel the CPU runs; empty if there is none."""
    return next((key for key in _CPU_KEYS if operators.kernel(function, key) is not None), "")


def _inputs(function: NativeFunction) -> tuple[tuple[str, str], ...]:
    """Return what the operator takes besides the tensors it writes: names and types."""
    return tuple((each.name, str(each.type)) for each in function.func.arguments.non_out)


def _values(
    emitter: Emitter, variants: Mapping[NativeFunction, NativeFunction]
) -> Mapping[str, str]:
    kernel = emitter.templates.section(_SOURCE, "kernel")
    row = emitter.templates.section(_SOURCE, "row")
    by_key: dict[str, list[NativeFunction]] = {}
    filled: list[dict[str, str]] = []
    for function, out in variants.items():
        key = _cpu_key(emitter.operators, out)
        by_key.setdefault(key, []).append(out)
        filled.append(_kernel(function, out, key.lower()))
    headers = [root_headers(outs, f"_{key.lower()}_dispatch") for key, outs in by_key.items()]
    return {
        "includes": "\n".join(filter(None, [*headers, type_headers(variants.values())])),
        "definitions": "".join(kernel.fill(**values) for values in filled),
        "rows": "".join(row.fill(name=v["name"], operator=v["operator"]) for v in filled),
    }


def _kernel(function: NativeFunction, out: NativeFunction, namespace: str) -> dict[str, str]:
    inputs = dispatcher.signature(out).bindings[: len(function.func.arguments.all)]
    return {
        "schema": f"{function.namespace}::{function.func}",
        "operator": f"{function.namespace}::{function.func.name}",
        "name": function.unambiguous,
        "call": f"{namespace}::{cpp.name(out.func, faithful_out=True)}",
        "arguments": "".join(
            f"c10::impl::unboxed_argument<{binding.type}>(arguments[{index}]).get(),\n"
            for index, binding in enumerate(inputs)
        ),
    }

"""Wrappers of structured kernels: meta, then impl, on outputs that the variant provides."""

from __future__ import annotations

from dataclasses import dataclass

from tools.codegen.api import structured
from tools.codegen.keys import COMPOSITE_NON_FUNCTIONAL, GUARDED_KEYS
from tools.codegen.model import Kernel, NativeFunction, StructuredGroup
from tools.codegen.schema import SchemaKind
from tools.codegen.templates import Templates

_FILE = "RegisterDispatchKey.cpp"
_POLICIES = {"CPU": "CPU", "Meta": "Meta", COMPOSITE_NON_FUNCTIONAL: "Default"}
"""Classes of ATen/StructuredWrappers.h; other keys use the device interface."""


@dataclass(frozen=True)
class Wrapper:
    """The parts of one wrapper; without a kernel it runs meta only."""

    schema: str
    declaration: str
    key: str
    function: NativeFunction
    group: StructuredGroup
    kernel: Kernel | None
    check: str
    """The statement that refuses tensors of several devices; empty for those that may differ."""

    @property
    def outputs(self) -> int:
        return len(self.group.out.func.arguments.out)


def structured_wrapper(templates: Templates, wrapper: Wrapper) -> str:
    """Return the C++ of one wrapper."""
    kernel, group = wrapper.kernel, wrapper.group
    if kernel is None:
        op = f"at::meta::{group.meta_name}"
    else:
        op = f"{kernel.namespace}::structured_{kernel.name}"
    common = {
        "schema": wrapper.schema,
        "declaration": wrapper.declaration,
        "check": wrapper.check,
        "op": op,
        "count": str(wrapper.outputs),
        "policy": _policy(wrapper),
        "compute": _compute(templates, wrapper),
    }
    kind = wrapper.function.func.kind
    if kind is SchemaKind.functional:
        moved = [f"std::move(op.outputs[{index}])" for index in range(wrapper.outputs)]
        result = moved[0] if len(moved) == 1 else f"std::make_tuple({', '.join(moved)})"
        return templates.section(_FILE, "functional").fill(**common, result=result)
    given = _given(wrapper.function)
    returns = "" if not wrapper.function.func.returns else f"return {_returned(given)};"
    return templates.section(_FILE, "given").fill(
        **common,
        variant="Out" if kind is SchemaKind.out else "Inplace",
        outputs=", ".join(given),
        return_outputs=returns,
    )


def _policy(wrapper: Wrapper) -> str:
    guarded = wrapper.key in GUARDED_KEYS and wrapper.function.device_guard
    return _POLICIES.get(wrapper.key, "OnCurrentDevice" if guarded else "OnDevice")


def _given(function: NativeFunction) -> list[str]:
    """Return the tensors that the caller passes as outputs."""
    arguments = function.func.arguments
    if arguments.out:
        return [argument.name for argument in arguments.out]
    assert arguments.self_arg is not None
    return [arguments.self_arg.name]


def _returned(given: list[str]) -> str:
    return given[0] if len(given) == 1 else f"std::forward_as_tuple({', '.join(given)})"


def _compute(templates: Templates, wrapper: Wrapper) -> str:
    """Return the calls of meta and impl; without a kernel, those of meta and the out= variant."""
    group = wrapper.group
    inputs = [structured.from_dispatcher(a) for a in group.functional.func.arguments.non_out]
    meta = f"op.meta({', '.join(inputs)})"
    if wrapper.kernel is None:
        section = "meta" if wrapper.key != COMPOSITE_NON_FUNCTIONAL else "meta_and_out"
        return templates.section(_FILE, section).fill(
            meta=meta, struct=group.out.unambiguous, arguments=", ".join(_out_arguments(wrapper))
        )
    precomputed = group.out.precomputed
    values: list[str] = []
    for argument, text in zip(group.functional.func.arguments.non_out, inputs, strict=True):
        replaced = None if precomputed is None else precomputed.replace.get(argument.name)
        if replaced is None:
            values.append(text)
        else:
            values.extend(f"precomputed.{element.name}" for element in replaced)
    if precomputed is not None:
        meta = f"const auto precomputed = {meta}"
        values.extend(f"precomputed.{element.name}" for element in precomputed.add)
    values.extend(f"op.output({index})" for index in range(wrapper.outputs))
    return templates.section(_FILE, "meta_and_impl").fill(meta=meta, arguments=", ".join(values))


def _out_arguments(wrapper: Wrapper) -> list[str]:
    """Return the arguments of the out= variant that computes the outputs."""
    values = [argument.name for argument in wrapper.group.out.func.arguments.non_out]
    if wrapper.function.func.kind is SchemaKind.functional:
        return values + [f"op.outputs[{index}]" for index in range(wrapper.outputs)]
    return values + _given(wrapper.function)

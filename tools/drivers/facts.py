"""One record of facts for each operator, for tools and for comparison with other generators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from tools.autograd.model import DEFAULT_KEY, Derivatives, Differentiability, SavedAttribute
from tools.codegen.api import cpp, dispatcher, native
from tools.codegen.api.python import out_signature_text, signature_text
from tools.codegen.api.signature import Signature
from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.emit.common import is_function, is_method
from tools.codegen.model import NativeFunction, Operators

Fact: TypeAlias = "str | bool | Sequence[Fact] | Mapping[str, Fact] | None"


def facts(
    operators: Operators,
    derivatives: Derivatives | None = None,
    deprecated: Iterable[DeprecatedSignature] = (),
) -> dict[str, dict[str, Fact]]:
    """Return the record of every operator, by full name."""
    found = {function.full_name: record(function, derivatives) for function in operators.functions}
    by_function: dict[str, list[Fact]] = {}
    for signature in deprecated:
        by_function.setdefault(signature.function.full_name, []).append(signature.text())
    for name, signatures in by_function.items():
        found[name]["python_deprecated"] = signatures
    return found


def record(function: NativeFunction, derivatives: Derivatives | None = None) -> dict[str, Fact]:
    """Return what the schema and the YAML entries declare, and the C++ and Python translations."""
    delegate = function.structured_delegate
    found: dict[str, Fact] = {
        "schema": str(function.func),
        "variants": sorted(function.variants),
        "structured": function.structured,
        "structured_delegate": None if delegate is None else str(delegate),
        "python_module": function.python_module,
        "device_guard": function.device_guard,
        "tags": sorted(function.tags),
        "composite_implicit": function.composite_implicit,
        "composite_explicit": function.composite_explicit,
        "dispatch": {key: kernel.name for key, kernel in sorted(function.dispatch.items())},
        **_declarations(function),
    }
    if derivatives is not None:
        found |= _derivatives(function, derivatives)
    return found


def _declarations(function: NativeFunction) -> dict[str, Fact]:
    public, as_method = is_function(function), is_method(function)
    faithful = public and cpp.has_faithful(function)
    return {
        "cpp": _declaration(function, cpp.signature(function)) if public else None,
        "cpp_faithful": (
            _declaration(function, cpp.signature(function, faithful=True)) if faithful else None
        ),
        "cpp_method": (
            _declaration(function, cpp.signature(function, method=True)) if as_method else None
        ),
        "dispatcher": dispatcher.signature(function, symint=True).declaration(),
        "native": _declaration(function, native.signature(function, "kernel")),
        "python": None if function.func.is_out else signature_text(function),
        "python_out": out_signature_text(function),
    }


def _declaration(function: NativeFunction, signature: Signature) -> str:
    """Format a declaration as PyTorch does: int64_t arguments, but a returned SymInt stays."""
    returns = cpp.returns_type(
        function.func.returns,
        symint=True,
        const_ref=function.use_const_ref_for_mutable_tensors,
    )
    return replace(signature, returns=returns).declaration(defaults=True)


def _derivatives(function: NativeFunction, derivatives: Derivatives) -> dict[str, Fact]:
    """Return the operator's own derivatives, and those for specific autograd keys.

    `autograd_derived` is for operators without an entry, which follow from another operator's.
    """
    own = function.full_name in derivatives.entries
    records = {key: _differentiability(e) for key, e in derivatives.of(function).items()}
    default = records.pop(DEFAULT_KEY, None)
    return {
        "autograd": default if own else None,
        "autograd_dispatch": records if own else {},
        "autograd_derived": None if own else default,
    }


def _differentiability(entry: Differentiability) -> dict[str, Fact]:
    return {
        "node": entry.node,
        "variables": [list(derivative.variables) for derivative in entry.derivatives],
        "saved_inputs": [_saved(attribute) for attribute in entry.saved_inputs],
        "saved_outputs": [_saved(attribute) for attribute in entry.saved_outputs],
        "forward_derivatives": [list(formula.outputs) for formula in entry.forward_derivatives],
    }


def _saved(attribute: SavedAttribute) -> list[str]:
    return [attribute.name, attribute.type]

"""One record of plain facts for each operator, for tools and for comparison with other generators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from tools.codegen.api import cpp, dispatcher, native
from tools.codegen.api.python import out_signature_text, signature_text
from tools.codegen.emit.common import method, public_function
from tools.codegen.model import NativeFunction, Operators

Fact: TypeAlias = "str | bool | list[str] | Mapping[str, str] | None"


def facts(operators: Operators) -> dict[str, dict[str, Fact]]:
    """The record of every operator, under its full name."""
    return {str(function.func.name): record(function) for function in operators.functions}


def record(function: NativeFunction) -> dict[str, Fact]:
    """What the schema and the YAML entry say, and the declarations they translate to."""
    delegate = function.structured_delegate
    return {
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


def _declarations(function: NativeFunction) -> dict[str, Fact]:
    public, as_method = public_function(function), method(function)
    faithful = public and cpp.has_faithful(function)
    member = cpp.signature(function, method=True).declaration(defaults=True, suffix=" const")
    dispatched = dispatcher.signature(function, symint=True)
    return {
        "cpp": cpp.signature(function).declaration(defaults=True) if public else None,
        "cpp_faithful": (
            cpp.signature(function, faithful=True).declaration(defaults=True) if faithful else None
        ),
        "cpp_method": member if as_method else None,
        "dispatcher": dispatched.declaration(),
        "native": native.signature(function, "kernel").declaration(defaults=True),
        "python": None if function.func.is_out else signature_text(function),
        "python_out": out_signature_text(function),
    }

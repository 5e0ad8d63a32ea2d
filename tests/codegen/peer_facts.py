"""Prints the facts of PyTorch's own generator in the format of `tools.codegen facts`.

Run it with the Python that TORCH_PEER names; it must not import anything of this project.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torchgen
from torchgen.api import python
from torchgen.api.autograd import match_differentiability_info
from torchgen.api.types import CppSignatureGroup, DispatcherSignature, NativeSignature
from torchgen.context import native_function_manager
from torchgen.gen import parse_native_yaml
from torchgen.model import NativeFunction, Variant
from torchgen.packaged.autograd.gen_python_functions import (
    load_signatures,
    should_generate_py_binding,
)
from torchgen.packaged.autograd.load_derivatives import load_derivatives

_FOLDER = Path(torchgen.__file__).parent / "packaged"
_NATIVE = str(_FOLDER / "ATen/native/native_functions.yaml")
_TAGS = str(_FOLDER / "ATen/native/tags.yaml")
_DEPRECATED = str(_FOLDER / "autograd/deprecated.yaml")
_DERIVATIVES = str(_FOLDER / "autograd/derivatives.yaml")


def facts() -> dict[str, dict[str, Any]]:
    """Return a record for every operator, by full name."""
    parsed = parse_native_yaml(_NATIVE, _TAGS)
    derivatives, _ = load_derivatives(_DERIVATIVES, _NATIVE, _TAGS)
    entries = dict(derivatives)
    matched = match_differentiability_info(list(parsed.native_functions), derivatives)
    derived = {pair.func.func: pair for pair in matched if pair.func.func not in entries}
    records = {}
    for function in parsed.native_functions:
        record = _declared(function)
        record["dispatch"] = {
            str(key): index.get_kernel(function).kernel
            for key, index in parsed.backend_indices.items()
            if index.has_kernel(function)
        }
        with native_function_manager(function):
            record |= _signatures(function)
        record |= _autograd(entries.get(function.func) or {})
        record["autograd_derived"] = _derived(derived.get(function.func))
        record["python_deprecated"] = []
        records[str(function.func.name)] = record
    bound = [f for f in parsed.native_functions if should_generate_py_binding(f)]
    for pair in load_signatures(bound, _DEPRECATED, method=False):
        if pair.signature.deprecated:
            record = records[str(pair.function.func.name)]
            record["python_deprecated"].append(pair.signature.signature_str())
    return records


def _declared(function: NativeFunction) -> dict[str, Any]:
    delegate = function.structured_delegate
    return {
        "schema": str(function.func),
        "variants": sorted(variant.name for variant in function.variants),
        "structured": function.structured,
        "structured_delegate": None if delegate is None else str(delegate),
        "python_module": function.python_module,
        "device_guard": function.device_guard,
        "tags": sorted(function.tags),
        "composite_implicit": function.has_composite_implicit_autograd_kernel,
        "composite_explicit": function.has_composite_explicit_autograd_kernel,
    }


def _signatures(function: NativeFunction) -> dict[str, Any]:
    def cpp(method: bool) -> CppSignatureGroup:
        return CppSignatureGroup.from_native_function(function, method=method)

    public = cpp(False) if Variant.function in function.variants else None
    method = cpp(True) if Variant.method in function.variants else None
    faithful = public and public.faithful_signature
    return {
        "cpp": public and public.signature.decl(),
        "cpp_faithful": faithful and faithful.decl(),
        "cpp_method": method and method.signature.decl(),
        "dispatcher": DispatcherSignature.from_schema(function.func).decl(name="call"),
        "native": NativeSignature(function.func, symint=False).decl(name="kernel"),
        **_parser_signatures(function),
    }


def _parser_signatures(function: NativeFunction) -> dict[str, str | None]:
    out = function.func.is_out_fn()
    try:
        signature = python.signature(function)
    except ValueError:  # requires_grad_ has an argument name that PyTorch's generator reserves
        return {"python": None, "python_out": None}
    return {
        "python": None if out else signature.signature_str(skip_outputs=True),
        "python_out": signature.signature_str() if out else None,
    }


def _autograd(entry: dict[str, Any]) -> dict[str, Any]:
    keys = {key: _differentiability(info) for key, info in entry.items()}
    return {"autograd": keys.pop("Default", None), "autograd_dispatch": keys}


def _derived(pair: Any) -> dict[str, Any] | None:
    """Return derivatives that follow from another operator's entry; out variants have none."""
    if pair is None or pair.info is None or pair.func.func.is_out_fn():
        return None
    record = _differentiability(pair.info["Default"])
    formulas = pair.fw_derivatives["Default"]
    return record | {"forward_derivatives": [list(formula.var_names) for formula in formulas]}


def _differentiability(info: Any) -> dict[str, Any]:
    return {
        "node": info.op,
        "variables": [list(derivative.var_names) for derivative in info.derivatives],
        "saved_inputs": [_saved(attribute) for attribute in info.all_saved_inputs],
        "saved_outputs": [_saved(attribute) for attribute in info.all_saved_outputs],
        "forward_derivatives": [list(formula.var_names) for formula in info.forward_derivatives],
    }


def _saved(attribute: Any) -> list[str]:
    return [attribute.nctype.name, attribute.nctype.type.cpp_type()]


json.dump(facts(), sys.stdout)

"""core/TensorBody.h and TensorMethods_*.cpp: the operators that are methods of at::Tensor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from tools.codegen.api import cpp
from tools.codegen.emit.common import Emitter, method
from tools.codegen.model import NativeFunction


def tensor_body(emitter: Emitter) -> None:
    """The class at::Tensor, with a declaration for every method."""
    functions = methods(emitter)
    values = partial(_declarations, functions)
    emitter.file("core/TensorBody.h", "TensorBody.h", functions, values)


def _declarations(functions: Iterable[NativeFunction]) -> Mapping[str, str]:
    lines = [
        f"{signature.declaration(defaults=True, suffix=' const')};"
        for function in functions
        for signature in cpp.signatures(function, method=True)
    ]
    return {"methods": "\n".join(lines)}


def methods(emitter: Emitter) -> list[NativeFunction]:
    return [
        function
        for function in emitter.operators.functions
        if method(function) and not function.manual_cpp_binding
    ]

"""core/TensorBody.h and TensorMethods_*.cpp: the operators that are methods of at::Tensor."""

from __future__ import annotations

from tools.codegen.api import cpp
from tools.codegen.emit.common import Emitter, method
from tools.codegen.model import NativeFunction


def tensor_body(emitter: Emitter) -> None:
    """The class at::Tensor, with a declaration for every method."""
    lines: list[str] = []
    for function in methods(emitter):
        for signature in cpp.signatures(function, method=True):
            lines.append(f"{signature.declaration(defaults=True, suffix=' const')};")
    emitter.write("core/TensorBody.h", "TensorBody.h", methods="\n".join(lines))


def methods(emitter: Emitter) -> list[NativeFunction]:
    return [
        function
        for function in emitter.operators.functions
        if method(function) and not function.manual_cpp_binding
    ]

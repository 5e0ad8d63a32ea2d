"""core/TensorMethods.inc: the operators that are methods of at::Tensor."""

from __future__ import annotations

from collections.abc import Iterable

from tools.codegen.api import cpp
from tools.codegen.emit.common import Emitter, is_method
from tools.codegen.model import NativeFunction


def tensor_methods_inc(emitter: Emitter) -> None:
    """Emit core/TensorMethods.inc: the part of class at::Tensor that declares every method."""
    functions = methods(emitter)
    name = "TensorMethods.inc"
    emitter.file(
        f"core/{name}",
        name,
        functions,
        lambda: {"methods": method_declarations(functions), "others": emitter.other_methods},
        *filter(None, [emitter.other_methods]),
    )


def method_declarations(functions: Iterable[NativeFunction]) -> str:
    """Return the declarations inside the class, one on each line."""
    return "\n".join(
        f"{signature.declaration(defaults=True, suffix=' const')};"
        for function in functions
        for signature in cpp.signatures(function, method=True)
    )


def methods(emitter: Emitter) -> list[NativeFunction]:
    """Return the operators that are methods of Tensor."""
    return [
        function
        for function in emitter.operators.functions
        if is_method(function) and not function.manual_cpp_binding
    ]

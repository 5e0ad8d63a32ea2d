"""The dispatcher's signature: every argument of the schema in order, no defaults."""

from __future__ import annotations

from functools import lru_cache

from tools.codegen.api import cpp
from tools.codegen.api.signature import Signature
from tools.codegen.model import NativeFunction


def function_type(function: NativeFunction) -> str:
    """Return the C++ type of a kernel without its DispatchKeySet."""
    return signature(function).function_type


@lru_cache(maxsize=cpp.CACHED)
def signature(function: NativeFunction, *, symint: bool = False) -> Signature:
    """Return `call(arguments...)`, the signature of every kernel after its DispatchKeySet."""
    return Signature(
        "call",
        cpp.returns_type(
            function.func.returns,
            symint=symint,
            const_ref=function.use_const_ref_for_mutable_tensors,
        ),
        tuple(
            cpp.binding(argument, function, symint=symint, defaults=False)
            for argument in function.func.arguments.all
        ),
    )

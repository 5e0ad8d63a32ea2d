"""The signature of a kernel function in at::native: the dispatcher's signature with defaults."""

from __future__ import annotations

from dataclasses import replace

from tools.codegen.api import cpp
from tools.codegen.api.signature import Binding, Signature
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument


def signature(function: NativeFunction, name: str, *, symint: bool = False) -> Signature:
    """Return the signature of the kernel `name`.

    It has no defaults if there are out arguments: every parameter after a default needs one too.
    """
    arguments = function.func.arguments
    defaults = not arguments.out
    return Signature(
        name,
        cpp.returns_type(
            function.func.returns,
            symint=symint,
            const_ref=function.use_const_ref_for_mutable_tensors,
        ),
        tuple(_binding(argument, function, symint, defaults) for argument in arguments.all),
    )


def _binding(argument: Argument, function: NativeFunction, symint: bool, defaults: bool) -> Binding:
    binding = cpp.binding(argument, function, symint=symint, defaults=defaults)
    options = function.func.arguments.options
    if options is None or argument not in options.all() or binding.default is None:
        return binding
    return replace(binding, default="{}")

"""The emitter of the autograd families, and the code that all their kernels share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tools.autograd.model import Derivatives
from tools.codegen.api import dispatcher
from tools.codegen.emit.common import Emitter
from tools.codegen.model import NativeFunction

_KEYS = "ks"
"""The parameter that holds a kernel's dispatch keys."""


@dataclass(frozen=True)
class AutogradEmitter(Emitter):
    """An emitter for families that also read derivatives."""

    derivatives: Derivatives = field(default_factory=lambda: Derivatives({}, {}, {}))


AutogradFamily = Callable[[AutogradEmitter], None]


def schema_line(function: NativeFunction) -> str:
    """Return the schema as comments show it."""
    return f"{function.namespace}::{function.func}"


def declaration(function: NativeFunction, name: str) -> str:
    """Declare a kernel, whose first parameter is its dispatch keys."""
    signature = dispatcher.signature(function)
    parameters = ", ".join(filter(None, [f"c10::DispatchKeySet {_KEYS}", signature.parameters()]))
    return f"{signature.returns} {name}({parameters})"


def redispatch(function: NativeFunction, below: str) -> str:
    """Call the next kernel, among the keys `below` this one."""
    names = [argument.name for argument in function.func.arguments.all]
    arguments = ", ".join([f"{_KEYS} & {below}", *names])
    return f"at::_ops::{function.unambiguous}::redispatch({arguments})"


def kernel_row(function: NativeFunction, key: str, name: str) -> str:
    """Return the row that registers a kernel."""
    entry = f"&at::_ops::{function.unambiguous}::entry"
    kernel = f"reinterpret_cast<c10::KernelPtr>(&{name})"
    return f"{{{entry}, c10::DispatchKey::{key}, {kernel}}},"

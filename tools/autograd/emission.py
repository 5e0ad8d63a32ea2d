"""What the autograd families share: their emitter, and the parts that all kernels have."""

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
    """An emitter for families that read derivatives too."""

    derivatives: Derivatives = field(default_factory=lambda: Derivatives({}, {}, {}))


AutogradFamily = Callable[[AutogradEmitter], None]


def schema_line(function: NativeFunction) -> str:
    """The schema as comments show it."""
    return f"{function.namespace}::{function.func}"


def declaration(function: NativeFunction, name: str) -> str:
    """A kernel, which is given its dispatch keys first."""
    signature = dispatcher.signature(function)
    parameters = ", ".join(filter(None, [f"c10::DispatchKeySet {_KEYS}", signature.parameters()]))
    return f"{signature.returns} {name}({parameters})"


def redispatch(function: NativeFunction, below: str) -> str:
    """The call of the next kernel, among the keys `below` this one."""
    names = [argument.name for argument in function.func.arguments.all]
    arguments = ", ".join([f"{_KEYS} & {below}", *names])
    return f"at::_ops::{function.unambiguous}::redispatch({arguments})"


def kernel_row(function: NativeFunction, key: str, name: str) -> str:
    """The registration of a kernel."""
    entry = f"&at::_ops::{function.unambiguous}::entry"
    kernel = f"reinterpret_cast<c10::KernelPtr>(&{name})"
    return f"{{{entry}, c10::DispatchKey::{key}, {kernel}}},"

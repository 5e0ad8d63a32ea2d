"""C++ signatures: a name, a result type and typed parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tools.codegen.lazy import lazy
from tools.codegen.schema import Argument


@dataclass(frozen=True)
class Binding:
    """One C++ parameter and the schema's `argument`, which is None for a gathered TensorOptions."""

    name: str
    type: str
    default: str | None = None
    argument: Argument | None = None

    def declaration(self, *, defaults: bool) -> str:
        text = f"{self.type} {self.name}"
        return f"{text}={self.default}" if defaults and self.default is not None else text


@dataclass(frozen=True)
class Signature:
    """A C++ function's name, result type and parameters."""

    name: str
    returns: str
    bindings: tuple[Binding, ...]

    def parameters(self, *, defaults: bool = False) -> str:
        return self._with_defaults if defaults else self._without_defaults

    @lazy
    def _with_defaults(self) -> str:
        return ", ".join([binding.declaration(defaults=True) for binding in self.bindings])

    @lazy
    def _without_defaults(self) -> str:
        return ", ".join([f"{binding.type} {binding.name}" for binding in self.bindings])

    def declaration(
        self, *, defaults: bool = False, name: str | None = None, suffix: str = ""
    ) -> str:
        """Return `returns name(parameters)suffix`, without a semicolon."""
        shown = self.name if name is None else name
        return f"{self.returns} {shown}({self.parameters(defaults=defaults)}){suffix}"

    @property
    def function_type(self) -> str:
        return f"{self.returns} ({', '.join(binding.type for binding in self.bindings)})"

    def names(self) -> list[str]:
        return [binding.name for binding in self.bindings]


def join(expressions: Iterable[str]) -> str:
    """Join expressions with commas."""
    return ", ".join(expressions)

"""Names of operators: base name, in-place and dunder forms, overload."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tools.codegen.errors import SchemaError
from tools.codegen.lazy import lazy

PYTHON_MODULES = ("nn", "fft", "linalg", "nested", "sparse", "special")
"""What `python_module:` may name: operators of `linalg` are functions of torch._C._linalg.

The bindings, the stubs and the submodules that torch._C creates follow from this list.
"""

_AUGMENTED = frozenset(
    ["add", "sub", "mul", "div", "mod", "pow", "lshift", "rshift", "and", "xor", "or"]
)
_FUNCTIONAL = "_functional"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True)
class BaseOperatorName:
    """An operator's name without its overload: `add_` is the in-place form of base `add`."""

    base: str
    inplace: bool
    dunder: bool = False
    functional_overload: bool = False

    @staticmethod
    def parse(text: str) -> BaseOperatorName:
        if not _NAME.fullmatch(text):
            raise SchemaError(f'"{text}" is not an operator name', 0, max(1, len(text)))
        if len(text) > 4 and text.startswith("__") and text.endswith("__"):
            base = text[2:-2]
            inplace = base.startswith("i") and base[1:] in _AUGMENTED
            return BaseOperatorName(base[1:] if inplace else base, inplace, dunder=True)
        if len(text) > 1 and text.endswith("_"):
            return BaseOperatorName(text[:-1], inplace=True)
        if text.endswith(_FUNCTIONAL) and len(text) > len(_FUNCTIONAL):
            return BaseOperatorName(text[: -len(_FUNCTIONAL)], False, functional_overload=True)
        return BaseOperatorName(text, inplace=False)

    def __str__(self) -> str:
        return self.text

    @lazy
    def text(self) -> str:
        if self.dunder:
            return f"__{'i' if self.inplace else ''}{self.base}__"
        if self.inplace:
            return self.base + "_"
        return self.base + (_FUNCTIONAL if self.functional_overload else "")


@dataclass(frozen=True)
class OperatorName:
    """A name with its overload, as in `add.Tensor`."""

    name: BaseOperatorName
    overload: str

    @staticmethod
    def parse(text: str) -> OperatorName:
        name, dot, overload = text.partition(".")
        if dot and not _NAME.fullmatch(overload):
            message = f'"{overload}" is not an overload name'
            raise SchemaError(message, len(name), max(1, len(overload) + 1))
        return OperatorName(BaseOperatorName.parse(name), overload)

    def __str__(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else str(self.name)

    def unambiguous(self) -> str:
        """Return the name as one C++ identifier: `add_Tensor`, `add__Tensor`."""
        return f"{self.name}_{self.overload}" if self.overload else str(self.name)

    def functional(self) -> OperatorName:
        """Return the same overload of the functional form."""
        return OperatorName(replace(self.name, inplace=False), self.overload)


def root_name(schema: str) -> str:
    """Return the root name of a schema, or a guess if the schema is broken."""
    word = re.match(r"\w*", schema, re.ASCII)
    try:
        return BaseOperatorName.parse(word[0] if word else "").base
    except SchemaError:
        return ""

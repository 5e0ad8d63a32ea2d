"""core/aten_interned_strings.h: the names used in operator graphs, as macro lists."""

from __future__ import annotations

from collections.abc import Iterable

from tools.codegen.emit.common import Emitter
from tools.codegen.model import NativeFunction

# These are C++ keywords, which cannot name a symbol.
_TOKENS = frozenset({"and", "or", "not", "xor", "bitand", "bitor", "compl", "std"})


def interned_strings(emitter: Emitter) -> None:
    """Emit one sorted line per name, so that an operator only adds lines for its new names."""
    functions = emitter.operators.functions
    operators = _lines("aten", (str(function.func.name.name) for function in functions))
    attributes = _lines("attr", _attributes(functions))
    name = "aten_interned_strings.h"
    values = {"operators": operators, "attributes": attributes}
    emitter.file(f"core/{name}", name, (), lambda: values, operators, attributes)


def _attributes(functions: Iterable[NativeFunction]) -> Iterable[str]:
    for function in functions:
        yield from (argument.name for argument in function.func.arguments.all)
        yield from (result.name for result in function.func.returns if result.name)


def _lines(namespace: str, names: Iterable[str]) -> str:
    return " \\\n".join(f"  _({namespace}, {name})" for name in sorted(set(names) - _TOKENS))

"""The dispatch keys that operator files may name, and their properties.

The keys and back ends are read from the lists of c10/core/DispatchKey.h, where they are declared.
"""

from __future__ import annotations

import re
from pathlib import Path

from tools.base.errors import BuildError

_HEADER = "c10/core/DispatchKey.h"
_ROW = re.compile(r"\b_\(([^()]*)\)")


def declared(text: str, macro: str) -> list[list[str]]:
    """Return the arguments of each row of one of the header's lists.

    Raises:
        BuildError: If the header has no such list, or no rows in it.
    """
    definition = re.search(rf"^#define {macro}\(_.*?\)((?:.*\\\n)*.*)", text, re.MULTILINE)
    rows = _ROW.findall(definition[1]) if definition else []
    if not rows:
        raise BuildError(
            f"{_HEADER}: the list {macro} is missing",
            cause="the code generator reads the dispatch keys from this list",
        )
    return [[part.strip() for part in row.split(",")] for row in rows]


def _header() -> str:
    return Path(__file__).parents[2].joinpath(_HEADER).read_text(encoding="utf-8")


def _names(macro: str) -> tuple[str, ...]:
    return tuple(row[0] for row in declared(_TEXT, macro))


_TEXT = _header()
_BACKENDS = _names("C10_FORALL_BACKEND_COMPONENTS")
_PREFIXES = dict(declared(_TEXT, "C10_FORALL_FUNCTIONALITY_KEYS"))
"""The functionalities that every back end has its own of, with the prefix of their keys."""

COMPOSITE_IMPLICIT = "CompositeImplicitAutograd"
COMPOSITE_IMPLICIT_NESTED = "CompositeImplicitAutogradNestedTensor"
COMPOSITE_EXPLICIT = "CompositeExplicitAutograd"
COMPOSITE_NON_FUNCTIONAL = "CompositeExplicitAutogradNonFunctional"

ALIAS_KEYS = _names("C10_FORALL_ALIAS_KEYS")

DISPATCH_KEYS = frozenset(
    [prefix + backend for prefix in _PREFIXES.values() for backend in _BACKENDS]
    + [name for name in _names("C10_FORALL_FUNCTIONALITIES") if name not in _PREFIXES]
    + ["Undefined", *ALIAS_KEYS]
)

AUTOGRAD_KEYS = frozenset(
    [_PREFIXES["AutogradFunctionality"] + backend for backend in _BACKENDS]
    + ["AutogradNestedTensor"]
)
"""Keys that may have their own derivatives."""

STRUCTURED_KEYS = frozenset(_BACKENDS) - {"Meta"}
"""Back ends whose kernel of a structured operator is an `impl` that writes a given output."""

DIRECT_KEYS = frozenset(
    [
        "CPU",
        "CUDA",
        "Meta",
        COMPOSITE_IMPLICIT,
        COMPOSITE_IMPLICIT_NESTED,
        COMPOSITE_EXPLICIT,
        COMPOSITE_NON_FUNCTIONAL,
    ]
)
"""Keys whose kernels C++ calls by name, without the dispatcher: at::cpu::add."""

UFUNC_KEYS = ("CPU", "CUDA")

GUARDED_KEYS = frozenset(
    prefix + backend
    for functionality, prefix in _PREFIXES.items()
    for backend in _BACKENDS
    if functionality != "AutogradFunctionality" and backend not in ("CPU", "Meta")
)
"""Keys of back ends that have a current device, which wrappers must set."""

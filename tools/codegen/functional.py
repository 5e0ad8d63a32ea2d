"""Which operators functionalization replaces: mutations by functional variants, views by copies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tools.codegen.complete import variant_key
from tools.codegen.keys import COMPOSITE_EXPLICIT, COMPOSITE_NON_FUNCTIONAL
from tools.codegen.model import NativeFunction, Operators
from tools.codegen.schema import FunctionSchema, SchemaKind

_BY_HAND = frozenset(["view_copy"])
"""Operators that also copy where no view exists."""


@lru_cache(maxsize=2)
def functional_variants(operators: Operators) -> Mapping[NativeFunction, NativeFunction]:
    """Return the variant that computes what an operator writes, for each that has one.

    For an operator that turns its argument into a view in place, this is the view. Composite
    operators are left out, because the operators that they call are replaced.
    """
    found: dict[NativeFunction, NativeFunction] = {}
    for functions in operators.by_root.values():
        writing = [f for f in functions if f.func.kind is not SchemaKind.functional]
        if not writing:
            continue
        functional = _functional(functions)
        for function in writing:
            variant = functional.get(variant_key(function.func))
            if variant is not None and not function.composite_implicit:
                found[function] = variant
    return found


def _functional(functions: tuple[NativeFunction, ...]) -> Mapping[FunctionSchema, NativeFunction]:
    """Return the first functional operator of each signature; `f_functional` yields to `f`."""
    ordered = [f for f in functions if f.func.kind is SchemaKind.functional]
    ordered.sort(key=lambda f: f.func.name.name.functional_overload)
    found: dict[FunctionSchema, NativeFunction] = {}
    for function in ordered:
        found.setdefault(variant_key(function.func), function)
    return found


@lru_cache(maxsize=2)
def views(operators: Operators) -> Mapping[NativeFunction, NativeFunction | None]:
    """Return the views that are not composite, each with the operator that copies instead."""
    found: dict[NativeFunction, NativeFunction | None] = {}
    for function in operators.functions:
        own_kernel = not function.composite_implicit
        if function.is_view and own_kernel and not function.func.arguments.mutable:
            found[function] = operators.by_name.get(copy_name(function))
    return found


def called_by_replays(operators: Operators) -> set[str]:
    """Return the unambiguous names of the operators that the generated classes of views call."""
    pairs = views(operators).items()
    return {called.unambiguous for pair in pairs for called in pair if called is not None}


@lru_cache(maxsize=2)
def copies_of_views(operators: Operators) -> Mapping[NativeFunction, NativeFunction]:
    """Return the view of each operator whose kernel is generated: it copies what the view returns.

    These are functional operators, and their out= variants that `autogen` does not add.
    """
    views_of = {
        copy: view
        for view, copy in views(operators).items()
        if copy is not None and copy.full_name not in _BY_HAND
    }
    outs = {
        function: views_of[variant]
        for function, variant in functional_variants(operators).items()
        if variant in views_of and not function.is_generated
    }
    return {f: view for f, view in {**views_of, **outs}.items() if composite_kernel(f)}


def composite_kernel(function: NativeFunction) -> str:
    """Return the name of the kernel for all back ends, or an empty string."""
    keys = (COMPOSITE_NON_FUNCTIONAL, COMPOSITE_EXPLICIT)
    return next((function.dispatch[key].name for key in keys if key in function.dispatch), "")


def copy_name(view: NativeFunction) -> str:
    """Return the name of the operator that copies: `select_copy.int` for `select.int`."""
    root, dot, overload = view.full_name.partition(".")
    return f"{root}_copy{dot}{overload}"


def inverse_name(view: NativeFunction) -> str:
    """Return the name of the function that writes a changed view to its base."""
    return f"{view.unambiguous}_inverse"

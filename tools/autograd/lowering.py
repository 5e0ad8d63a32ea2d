"""Lowers SymInt to int64_t in formulas and in types of saved values."""

from __future__ import annotations

import re

_CALL = re.compile(r"(\w+)_symint\(")
_TYPES = (
    ("c10::SymIntArrayRef", "at::IntArrayRef"),
    ("at::OptionalSymIntArrayRef", "at::OptionalIntArrayRef"),
    ("c10::SymInt", "int64_t"),
)


def lowered_type(type: str) -> str:
    """Return the type without SymInt, const and reference."""
    for symbolic, plain in _TYPES:
        type = type.replace(symbolic, plain)
    return type.removeprefix("const ").removesuffix(" &")


def lowered_formula(formula: str) -> str:
    """Return the formula with the functions and types that take int64_t."""
    for symbolic, plain in _TYPES:
        formula = formula.replace(symbolic, plain)
    return _CALL.sub(r"\1(", formula)

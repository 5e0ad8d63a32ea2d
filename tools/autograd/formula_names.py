"""The names that a formula may use: those of its operator, and a few that are always available.

Function names are left to the C++ compiler; a misspelt variable would otherwise be reported in a
generated file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tools.autograd.results import result_names
from tools.codegen.schema import FunctionSchema, is_tensor_list

_CPP = frozenset(
    {"Tensor", "auto", "bool", "const", "double", "false", "int64_t", "nullptr", "return", "true"}
)
_BACKWARD = frozenset({"grad", "grads", "grad_input_mask", "retain_variables"})
_SKIPPED = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/', re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_MEMBER = re.compile(r"[\w.:>]")
_CALLED = re.compile(r"\s*(?:\(|::|<|\{)")
_CONSTANT = re.compile(r"k[A-Z]\w*|M_\w+|[A-Z][A-Z0-9_]+")
_DECLARED = re.compile(r"\b(?!return\b)\w+(?:\s+|& ?)(\w+)")


def names_of_backward(func: FunctionSchema) -> frozenset[str]:
    """Return the names that the gradient of an argument may be computed from."""
    results = result_names(func)
    gradients = {f"grad_{name}" for name in results}
    return _BACKWARD.union(results, gradients, _arguments(func), _position(func))


def names_of_forward(func: FunctionSchema) -> frozenset[str]:
    """Return the names that the tangent of a result may be computed from.

    These are values `x_p`, tangents `x_t` and results; for an in-place operator also `self` as it
    was before the call.
    """
    names = _arguments(func)
    primals = {f"{name}_p" for name in names} | {f"{name}_t" for name in names}
    original = {"original_self_p", "original_self_t"} if func.name.name.inplace else set()
    return names.union(result_names(func), primals, original, _position(func))


def _arguments(func: FunctionSchema) -> frozenset[str]:
    return frozenset(argument.name for argument in func.arguments.all)


def _position(func: FunctionSchema) -> set[str]:
    """Return `i` if the formula is evaluated for each tensor of a list."""
    return {"i"} if any(is_tensor_list(a.type) for a in func.arguments.all) else set()


def unknown_names(formula: str, known: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield names that are no variables of the formula, each with its offset."""
    plain = _SKIPPED.sub(lambda match: " " * len(match[0]), formula)
    local = set(_DECLARED.findall(plain))
    seen: set[str] = set()
    for match in _NAME.finditer(plain):
        name, start = match[0], match.start()
        if name in known or name in _CPP or name in local or name in seen:
            continue
        if start and _MEMBER.match(plain, start - 1):
            continue
        if not _CALLED.match(plain, match.end()) and not _CONSTANT.fullmatch(name):
            seen.add(name)
            yield name, start

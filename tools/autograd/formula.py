"""Backward formulas: the values they read, and the fields of the Node that keep those values.

A formula is C++, of which only names and a few forms such as `self.sym_sizes()` matter. Names in
strings count: in PyTorch too, the Node of `not_implemented("f: mask")` has a field `mask`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tools.autograd.model import SavedAttribute
from tools.autograd.results import result_names
from tools.codegen.api import cpp
from tools.codegen.schema import FunctionSchema
from tools.codegen.types import Type

_SYMINTS = "c10::SymIntArrayRef"
_OPTIONAL_SYMINTS = f"::std::optional<{_SYMINTS}>"

_PARTS = {
    ".sym_sizes()": ("_sym_sizes", _SYMINTS, "{}.sym_sizes()"),
    "->sym_sizes()": (
        "_sym_sizes_opt",
        _OPTIONAL_SYMINTS,
        f"{{0}}.has_value() ? std::optional<{_SYMINTS}>({{0}}->sym_sizes()) : std::nullopt",
    ),
    ".sym_blocksize()": (
        "_self_sym_blocksize_opt",
        _OPTIONAL_SYMINTS,
        "at::sparse_csr::getSymIntBlockSize({})",
    ),
    ".sizes()": ("_sizes", "at::IntArrayRef", "{}.sizes()"),
    ".options()": ("_options", "at::TensorOptions", "{}.options()"),
    ".numel()": ("_numel", "int64_t", "{}.numel()"),
    ".sym_numel()": ("_sym_numel", "c10::SymInt", "{}.sym_numel()"),
    ".scalar_type()": ("_scalar_type", "at::ScalarType", "{}.scalar_type()"),
    ".dim()": ("_dim", "int64_t", "{}.dim()"),
    ".sym_strides()": ("_sym_strides", _SYMINTS, 'strides_or_error({0}, "{0}")'),
    ".strides()": ("_strides", "at::IntArrayRef", "{}.strides()"),
    ".layout()": ("_layout", "at::Layout", "{}.layout()"),
    ".is_conj()": ("_conjugate", "bool", "{}.is_conj()"),
}
"""Properties that can be saved instead of a tensor: field suffix, type, expression."""

_SIZE = re.compile(r"\.(?P<sym>sym_)?size\((?P<minus>-?)(?P<dim>\d+)\)")

_CALLS = {
    "zeros_like": ("_info", "torch::autograd::generated::TypeAndSize", "{}", "{}.zeros()"),
    "TensorGeometry": ("_geometry", "at::TensorGeometry", "TensorGeometry({})", "{}"),
    "to_args_sizes": (
        "_args_sizes",
        "::std::vector<::std::vector<int64_t>>",
        "to_args_sizes({})",
        "{}",
    ),
    "to_args_sizes_symint": (
        "_args_sizes_symint",
        "::std::vector<::std::vector<c10::SymInt>>",
        "to_args_sizes_symint({})",
        "{}",
    ),
    "to_args_scalartypes": (
        "_args_scalartypes",
        "::std::vector<at::ScalarType>",
        "to_args_scalartypes({})",
        "{}",
    ),
}
"""Calls that save only a property of their tensor: field suffix, type, expression, new call."""

_ORDER = {suffix: rank for rank, (suffix, *_) in enumerate([*_PARTS.values(), *_CALLS.values()])}

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*")'
    rf"|(?P<call>(?<![\w:.])(?:{'|'.join(sorted(_CALLS, key=len, reverse=True))}))"
    r"\((?P<argument>\w+)\)"
    r"|(?P<name>[A-Za-z_]\w*)(?P<part>(?:\.|->)\w+\((?:-?\d+)?\))?"
)
_GRADIENTS = ("grad", "grads")
"""These always mean the gradients of the results, even if an argument has such a name."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_WRAP = re.compile(r"\bwrap_opt_if\((\w+),\s*")


@dataclass(frozen=True)
class Formula:
    """A formula that reads fields of a Node, and the values saved in those fields."""

    text: str
    inputs: tuple[SavedAttribute, ...]
    outputs: tuple[SavedAttribute, ...]
    names: frozenset[str]
    """Every identifier outside strings, as written in the file."""


def identifiers(text: str) -> Iterator[str]:
    """Yield the identifiers of a formula, in order and with repeats."""
    for match in _TOKEN.finditer(text):
        if match["call"]:
            yield from (match["call"], match["argument"])
        elif match["name"]:
            yield match["name"]
            if match["part"]:
                yield match["part"].partition("(")[0].lstrip(".->")


def saved_type(type: Type) -> str:
    """Return the type of the argument that a Node's field is filled from."""
    text = cpp.argument_type(type, symint=True)
    return text.removeprefix("const ").removesuffix(" &")


def input_types(func: FunctionSchema) -> dict[str, str]:
    """Return the names of arguments that a formula can read, with their C++ types."""
    return {
        argument.name: saved_type(argument.type)
        for argument in func.arguments.all
        if argument.name not in _GRADIENTS
    }


def output_types(func: FunctionSchema) -> dict[str, str]:
    """Return the results by the names that formulas use: `result`, `result1`, or their own."""
    names = result_names(func)
    return {
        name: cpp.return_type(result.type, mutable=False, symint=True)
        for name, result in zip(names, func.returns, strict=True)
    }


@dataclass
class _Reader:
    """Replaces properties of tensors by fields, and collects the fields by argument and suffix."""

    types: Mapping[str, str]
    parts: bool
    found: dict[str, dict[str, SavedAttribute]] = field(default_factory=dict)

    def keep(self, name: str, suffix: str, type: str, expression: str) -> str:
        attribute = SavedAttribute(name + suffix, type, expression.format(name))
        self.found.setdefault(name, {})[suffix] = attribute
        return attribute.name

    def replace(self, match: re.Match[str]) -> str:
        if match["string"]:
            for word in _WORD.findall(match["string"]):
                self.whole(word)
            return match[0]
        call, argument, name, part = match.group("call", "argument", "name", "part")
        if call is not None and argument in self.types and self.parts:
            suffix, type, expression, shown = _CALLS[call]
            return shown.format(self.keep(argument, suffix, type, expression))
        if call is not None:
            self.whole(argument)
            return match[0]
        if part is not None and self.parts and name in self.types:
            kept = self.part(name, part)
            if kept is not None:
                return kept
        self.whole(name)
        return match[0]

    def whole(self, name: str) -> None:
        """Save the value itself."""
        if name in self.types:
            self.keep(name, "", self.types[name], "{}")

    def part(self, name: str, part: str) -> str | None:
        """Return the field for `.sym_sizes()` and the like; None if the tensor itself is needed."""
        known = _PARTS.get(part)
        if known is not None:
            return self.keep(name, *known)
        size = _SIZE.fullmatch(part)
        if size is None:
            return None
        sym = size["sym"] or ""
        suffix = f"_{sym}argsize_{'minus_' if size['minus'] else ''}{size['dim']}"
        return self.keep(name, suffix, "c10::SymInt" if sym else "int64_t", "{}" + part)

    def attributes(self, names: Mapping[str, str]) -> tuple[SavedAttribute, ...]:
        """Return the fields by argument; properties come before the argument itself."""
        return tuple(
            self.found[name][suffix]
            for name in names
            if name in self.found
            for suffix in sorted(self.found[name], key=_rank)
        )


def _rank(suffix: str) -> tuple[bool, int]:
    return suffix == "", _ORDER.get(suffix, len(_ORDER))


def read_formula(
    text: str, inputs: Mapping[str, str], outputs: Mapping[str, str], *, parts: bool = True
) -> Formula:
    """Return what the formula saves of the inputs and outputs, which map names to C++ types.

    Without `parts`, tensors are always saved whole.
    """
    reader = _Reader({**inputs, **outputs}, parts)
    rewritten = _TOKEN.sub(reader.replace, text)
    for name, condition in conditions(text).items():
        if name in reader.found:
            reader.found[name][""] = replace(reader.found[name][""], condition=condition)
    return Formula(
        rewritten,
        reader.attributes(inputs),
        reader.attributes(outputs),
        frozenset(identifiers(text)),
    )


def conditions(text: str) -> dict[str, str]:
    """Return the condition of each name that occurs only in `wrap_opt_if(name, condition)`."""
    found: dict[str, str] = {}
    for match in _WRAP.finditer(text):
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        found[match[1]] = text[match.end() : end - 1].strip()
    if not found:
        return found
    uses = list(identifiers(text))
    return {name: condition for name, condition in found.items() if uses.count(name) == 1}

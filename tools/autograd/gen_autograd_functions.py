"""Functions.h, Functions_*.{h,cpp}: a Node class for every entry of derivatives.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial

from tools.autograd.emission import AutogradEmitter, schema_line
from tools.autograd.lowering import lowered_formula
from tools.autograd.model import Derivative, Differentiability
from tools.autograd.node_names import shown_name
from tools.autograd.saved_fields import Field, fields
from tools.codegen.emit.shards import sharded, shards_of_family
from tools.codegen.emit.tensor import method_declarations, methods
from tools.codegen.schema import is_tensor_list
from tools.codegen.templates import Templates

_CALLED = re.compile(r"(?<![\w.>])(?:at::)?([A-Za-z_]\w*)\(")
_MEMBER = re.compile(r"(?:\.|->)\s*([A-Za-z_]\w*)\s*\(")
_ELEMENT = re.compile(r"\bgrads\[i\]")
_GRADIENT = re.compile(r"\bgrad\b")
_RETAIN = re.compile(r"\bretain_variables\b")


def autograd_functions(emitter: AutogradEmitter) -> None:
    """Emit the Nodes. Shards follow the operators' root names, as those of VariableType do."""
    for name, entries in node_shards(emitter, "Functions"):
        functions = [entry.function for entry in entries]
        header = partial(_header, emitter.templates, entries)
        emitter.file(f"{name}.h", "Functions.h", functions, header)
        includes = formula_headers(emitter, entries)
        declared = formula_methods(emitter, entries)
        source = partial(_source, emitter, name, entries, includes, declared)
        emitter.file(f"{name}.cpp", "Functions.cpp", functions, source, includes, declared)
    if not emitter.everything:
        lines = [
            f"#include <{emitter.directory}/Functions_{index}.h>"
            for index in range(shards_of_family(emitter, "Functions"))
        ]
        includes = "\n".join(lines)
        emitter.file(
            "Functions.h", "FunctionsAggregate.h", (), lambda: {"includes": includes}, includes
        )


def node_shards(emitter: AutogradEmitter, family: str) -> list[tuple[str, list[Differentiability]]]:
    """Return the Nodes of each shard of a family."""
    return sharded(emitter, family, emitter.derivatives.nodes, lambda e: e.function.root_name)


def formula_headers(emitter: AutogradEmitter, entries: Iterable[Differentiability]) -> str:
    """Return #include lines for the operators that formulas call as functions."""
    called = {
        name
        for entry in entries
        for derivative in entry.derivatives
        for name in _CALLED.findall(lowered_formula(derivative.formula))
    }
    by_root = emitter.operators.by_root
    roots = called & by_root.keys()
    roots |= {name[:-1] for name in called if name.endswith("_") and name[:-1] in by_root}
    return "\n".join(f"#include <ATen/ops/{root}.h>" for root in sorted(roots))


def formula_methods(emitter: AutogradEmitter, entries: Iterable[Differentiability]) -> str:
    """Declare the methods that formulas name, so that their file depends on no others.

    A member of another class that shares a method's name only costs an unused declaration.
    """
    named = {
        name
        for entry in entries
        for derivative in entry.derivatives
        for name in _MEMBER.findall(lowered_formula(derivative.formula))
    }
    return method_declarations(f for f in methods(emitter) if f.func.name.name.text in named)


def _header(templates: Templates, entries: list[Differentiability]) -> Mapping[str, str]:
    return {"nodes": "".join(_declaration(templates, entry) for entry in entries)}


def _declaration(templates: Templates, entry: Differentiability) -> str:
    members = [field.declaration for field in fields(entry)]
    members += [f"size_t {name}_size_ = 0;" for name in list_variables(entry)]
    overrides = []
    if any(field.holds_variables for field in fields(entry)):
        overrides.append("void release_variables() override;")
    if _reads_retain_variables(entry):
        overrides.append("void will_release_variables() override { retain_variables = false; }")
        members.insert(0, "bool retain_variables = true;")
    return templates.section("Functions.h", "node").fill(
        schema=schema_line(entry.function),
        node=str(entry.node),
        base="Node" if entry.function.is_view else "TraceableFunction",
        overrides="\n".join(overrides),
        members="\n".join(members),
    )


def _reads_retain_variables(entry: Differentiability) -> bool:
    return any(_RETAIN.search(derivative.formula) for derivative in entry.derivatives)


def list_variables(entry: Differentiability) -> list[str]:
    """Return the tensor lists with a formula; each has one edge per tensor."""
    return [a.name for a in entry.arguments if a.type.list_type() is not None]


def _source(
    emitter: AutogradEmitter,
    name: str,
    entries: list[Differentiability],
    includes: str,
    declared: str,
) -> Mapping[str, str]:
    section = emitter.templates.section("Functions.cpp", "methods")
    declarations = "".join(f" \\\n  {line}" for line in declared.splitlines())
    return {
        "header": f"{name}.h",
        "methods": section.fill(declarations=declarations),
        "includes": includes,
        "definitions": "".join(_definition(emitter, entry) for entry in entries),
    }


def _definition(emitter: AutogradEmitter, entry: Differentiability) -> str:
    templates = emitter.templates
    kept = [field for field in fields(entry) if field.holds_variables]
    name = templates.section("Functions.cpp", "name").fill(
        schema=schema_line(entry.function),
        node=str(entry.node),
        shown=shown_name(entry, emitter.derivatives),
    )
    texts = [name, _apply(templates, entry, kept)]
    if kept:
        releases = "\n".join(field.release for field in kept)
        section = templates.section("Functions.cpp", "release")
        texts.append(section.fill(node=str(entry.node), releases=releases))
    return "".join(texts)


def _apply(templates: Templates, entry: Differentiability, kept: list[Field]) -> str:
    lists = list_variables(entry)
    ranges = ["IndexRangeGenerator generator;"] if lists else []
    for argument in entry.arguments if lists else ():
        count = f"{argument.name}_size_" if argument.name in lists else "1"
        ranges.append(f"const auto {argument.name}_ix = generator.range({count});")
    return templates.section("Functions.cpp", "apply").fill(
        node=str(entry.node),
        ranges="\n".join(ranges),
        count="generator.size()" if lists else str(len(entry.arguments)),
        lock="std::lock_guard lock(mutex_);" if kept else "",
        unpacked="\n".join([*(field.unpack for field in kept), *_named_gradients(entry)]),
        gradients="".join(_gradient(templates, entry, d) for d in entry.derivatives),
    )


def _named_gradients(entry: Differentiability) -> list[str]:
    """Define `grad` and `grad_<result>` as names for elements of `grads`."""
    lines = [
        f"const auto& {name} = grads[{index}];"
        for index, name in enumerate(entry.available_gradients)
        if name in entry.used_gradients
    ]
    if any(_GRADIENT.search(d.formula) for d in entry.derivatives):
        lines.insert(0, "const auto& grad = grads[0];")
    return lines


def _gradient(templates: Templates, entry: Differentiability, derivative: Derivative) -> str:
    """Return the statements that compute the gradients of one formula's variables."""
    section = partial(templates.section, "Functions.cpp")
    lists = bool(list_variables(entry))
    places = [_place(entry, name, lists) for name in derivative.variables]
    formula = lowered_formula(derivative.formula)
    if len(places) == 1:
        return section(_single_section(entry, derivative)).fill(
            asked=_needs_gradient(places[0]),
            place=places[0],
            formula=formula,
        )
    mask = ""
    if "grad_input_mask" in formula:
        bits = ", ".join(map(_needs_gradient, places))
        mask = f"const std::array<bool, {len(places)}> grad_input_mask{{{bits}}};"
    store = section("store_range" if lists else "store")
    return section("several").fill(
        asked=" || ".join(map(_needs_gradient, places)),
        mask=mask,
        formula=formula,
        stores="".join(store.fill(place=p, index=str(i)) for i, p in enumerate(places)),
    )


def _needs_gradient(place: str) -> str:
    """Return the condition under which backward needs the gradient of an index or a range."""
    argument = f"{{{place}}}" if place.endswith("_ix") else place
    return f"task_should_compute_output({argument})"


def _place(entry: Differentiability, variable: str, lists: bool) -> str:
    """Return where to store the variable's gradient: an index, or a range if the Node has lists."""
    if lists:
        return f"{variable}_ix"
    return str([argument.name for argument in entry.arguments].index(variable))


def _single_section(entry: Differentiability, derivative: Derivative) -> str:
    """Return how to evaluate a formula of one variable: once, or for each element of a list."""
    if not list_variables(entry):
        return "single"
    argument = next(a for a in entry.arguments if a.name == derivative.variables[0])
    if not _ELEMENT.search(derivative.formula):
        return "range"
    return "each" if is_tensor_list(argument.type) else "sum"

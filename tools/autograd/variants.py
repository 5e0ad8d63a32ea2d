"""Derivatives that follow from another operator's entry: `_copy`, foreach and in-place variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from tools.autograd import forward
from tools.autograd.formula import identifiers, input_types, read_formula
from tools.autograd.model import DEFAULT_KEY, FOREACH, Derivative, Differentiability, SavedAttribute
from tools.codegen.model import NativeFunction, Operators
from tools.codegen.schema import SchemaKind
from tools.codegen.types import ListType, Type

ByKey = Mapping[str, Differentiability]


def function_of(keys: ByKey) -> NativeFunction:
    """Return the operator of an entry; it is the same under all autograd keys."""
    return next(iter(keys.values())).function


def add_copy_entries(entries: Mapping[str, ByKey], operators: Operators) -> dict[str, ByKey]:
    """Return the entries, each followed by that of the operator that copies instead of viewing."""
    completed: dict[str, ByKey] = {}
    for name, keys in entries.items():
        completed[name] = keys
        root, dot, overload = name.partition(".")
        copy = operators.by_name.get(f"{root}_copy{dot}{overload}")
        if copy is None or "view_copy" not in copy.tags or copy.full_name in entries:
            continue
        completed[copy.full_name] = {
            key: replace(of_view, function=copy, node=of_view.node and f"{of_view.node}_copy")
            for key, of_view in keys.items()
        }
    return completed


def foreach_entries(entries: Mapping[str, ByKey], operators: Operators) -> dict[str, ByKey]:
    """Return entries of the foreach operators whose element-wise operator has an entry."""
    by_root: dict[str, list[Differentiability]] = {}
    for keys in entries.values():
        entry = keys.get(DEFAULT_KEY)
        if entry is not None and entry.derivatives:
            by_root.setdefault(str(entry.function.func.name.name), []).append(entry)
    found: dict[str, ByKey] = {}
    for function in operators.functions:
        name = function.full_name
        base = str(function.func.name.name)
        if not base.startswith(FOREACH) or name in entries or function.is_generated:
            continue
        for reference in by_root.get(base[len(FOREACH) :], ()):
            arguments = _match_arguments(function, reference)
            if arguments is not None:
                entry = _foreach(function, reference, arguments)
                found[name] = {DEFAULT_KEY: adapt_to(entry, function)}
                break
    return found


def _element(type: Type) -> Type:
    return type.elem if isinstance(type, ListType) else type


def _match_arguments(
    function: NativeFunction, reference: Differentiability
) -> dict[str, str] | None:
    """Map each argument of the reference to element `i` of its list; None if they differ."""
    arguments = function.func.arguments.all
    elements = reference.function.func.arguments.all
    if len(arguments) > len(elements):
        return None
    names: dict[str, str] = {}
    for argument, element in zip(arguments, elements, strict=False):
        if _element(argument.type) != element.type:
            return None
        is_list = isinstance(argument.type, ListType)
        names[element.name] = f"{argument.name}[i]" if is_list else argument.name
    missing = {element.name for element in elements[len(arguments) :]}
    if any(missing & set(identifiers(d.source)) for d in reference.derivatives):
        return None
    return names


def _foreach(
    function: NativeFunction, reference: Differentiability, arguments: Mapping[str, str]
) -> Differentiability:
    names = {**arguments, "grad": "grads[i]", "result": "result[i]"}
    inputs, outputs = input_types(function.func), {"result": "at::TensorList"}
    derivatives: list[Derivative] = []
    for derivative in reference.derivatives:
        source = forward.rename(derivative.source, names)
        formula = read_formula(source, inputs, outputs, parts=False)
        derivatives.append(
            replace(
                derivative,
                variables=tuple(arguments[v].removesuffix("[i]") for v in derivative.variables),
                formula=formula.text,
                source=source,
                saved_inputs=formula.inputs,
                saved_outputs=formula.outputs,
            )
        )
    tangents = {
        f"{name}_{kind}": f"{text.removesuffix('[i]')}_{kind}"
        for name, text in arguments.items()
        for kind in "tp"
    }
    assert reference.node is not None
    return replace(
        reference,
        function=function,
        node=f"Foreach{reference.node}{function.func.name.overload}",
        derivatives=tuple(derivatives),
        forward_derivatives=tuple(
            forward.given(
                forward.rename(f.formula, {**names, **tangents}), f.outputs, function, f.kind
            )
            for f in reference.forward_derivatives
        ),
    )


def variants(entries: Mapping[str, ByKey], operators: Operators) -> Iterator[tuple[str, ByKey]]:
    """Yield operators with the arguments and the meaning of an operator that has an entry.

    An in-place operator's entry does not serve a functional one with its own kernel: that kernel
    may draw or count something else than what is written to `self`.
    """
    functional: dict[str, dict[str, ByKey]] = {}
    mutable: dict[str, dict[str, ByKey]] = {}
    for keys in entries.values():
        function = function_of(keys)
        known = functional if function.func.kind is SchemaKind.functional else mutable
        known.setdefault(function.root_name, {})[_signature(function)] = keys
    for root in functional | mutable:
        for function in operators.by_root[root]:
            name = function.full_name
            if name in entries or function.func.is_out or _decomposes(function):
                continue
            signature = _signature(function)
            keys = functional.get(root, {}).get(signature, {})
            if not keys and (function.is_generated or function.func.kind is SchemaKind.inplace):
                keys = mutable.get(root, {}).get(signature, {})
            if keys:
                yield name, {key: adapt_to(entry, function) for key, entry in keys.items()}


def _decomposes(function: NativeFunction) -> bool:
    """Return whether the operators that its kernel calls are differentiated instead of it."""
    return function.func.kind is not SchemaKind.inplace and function.composite_implicit


def _signature(function: NativeFunction) -> str:
    return ", ".join(f"{a.type} {a.name}" for a in function.func.arguments.non_out)


def adapt_to(entry: Differentiability, function: NativeFunction) -> Differentiability:
    """Adapt the entry to a call of `function`."""
    if function.func.kind is not SchemaKind.inplace:
        return replace(entry, function=function)
    from_functional = entry.function.func.kind is SchemaKind.functional
    return replace(
        entry,
        function=function,
        derivatives=tuple(
            replace(
                derivative,
                saved_inputs=_before_write(derivative.saved_inputs),
                saved_outputs=_as_self(derivative.saved_outputs),
            )
            for derivative in entry.derivatives
        ),
        forward_derivatives=tuple(map(forward.in_place, entry.forward_derivatives))
        if from_functional
        else entry.forward_derivatives,
    )


def _before_write(attributes: Iterable[SavedAttribute]) -> tuple[SavedAttribute, ...]:
    """Return the saved inputs for a call that is about to overwrite `self`."""
    return tuple(
        replace(a, expression="self.clone()") if a.name == "self" and a.type == "at::Tensor" else a
        for a in attributes
    )


def _as_self(attributes: Iterable[SavedAttribute]) -> tuple[SavedAttribute, ...]:
    names = {"result": "self"}
    return tuple(replace(a, expression=forward.rename(a.expression, names)) for a in attributes)

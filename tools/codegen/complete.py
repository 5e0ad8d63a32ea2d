"""Adds the functional and out= variants that `autogen` names.

Names, arguments and tags follow PyTorch's conventions, so that the completed file has the same
operators.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from tools.codegen.entry import EntryReader
from tools.codegen.keys import COMPOSITE_EXPLICIT
from tools.codegen.model import Kernel, NativeFunction
from tools.codegen.names import BaseOperatorName, OperatorName
from tools.codegen.schema import (
    Annotation,
    Argument,
    Arguments,
    FunctionSchema,
    Return,
    SchemaKind,
    without_out,
)
from tools.codegen.tags import implied_tags
from tools.codegen.types import TENSOR

_MADE = frozenset({"generated"})
_INHERITED_TAGS = frozenset({"nondeterministic_seeded", "view_copy"})
_BASE_ORDER = (SchemaKind.mutable, SchemaKind.inplace, SchemaKind.out, SchemaKind.functional)


def complete(
    functions: Sequence[NativeFunction], reader: EntryReader
) -> tuple[NativeFunction, ...]:
    """Return the declared functions followed by the generated ones."""
    wanted_roots = {function.root_name for function in functions if function.autogen}
    variants: dict[FunctionSchema, dict[SchemaKind, NativeFunction]] = {}
    for function in functions:
        if function.root_name in wanted_roots:
            group = variants.setdefault(variant_key(function.func), {})
            group.setdefault(function.func.kind, function)
    generated: list[NativeFunction] = []
    for group in variants.values():
        generated.extend(_missing_variants(group, reader))
    return (*functions, *generated)


def variant_key(func: FunctionSchema) -> FunctionSchema:
    """Return the signature that variants share; bernoulli's two forms differ only in a default."""
    signature = func.signature()
    if str(func.name) != "bernoulli.p":
        return signature
    probability = replace(signature.arguments.post_self[0], default="0.5")
    arguments = replace(signature.arguments, post_self=(probability,))
    return replace(signature, arguments=arguments)


def _missing_variants(
    group: dict[SchemaKind, NativeFunction], reader: EntryReader
) -> list[NativeFunction]:
    declaring = [function for function in group.values() if function.autogen]
    if not declaring or _decomposes(group.values()):
        return []
    base = next((group[kind] for kind in _BASE_ORDER if kind in group), declaring[0])
    made: dict[str, NativeFunction] = {}
    if SchemaKind.functional not in group:
        functional = _generated(base, functional_variant(base.func), base)
        made[str(functional.func.name)] = functional
    else:
        functional = group[SchemaKind.functional]
    if SchemaKind.out not in group:
        out = _generated(base, out_variant(base.func), functional)
        made[str(out.func.name)] = out
    wanted = {str(name): function for function in declaring for name in function.autogen}
    for name, function in wanted.items():
        if name not in made:
            possible = " and ".join(made) or "nothing, since every variant is declared"
            message = f'cannot generate "{name}": autogen can add {possible}'
            reader.report_field(function, message, f"autogen {name}")
        elif made[name].completed_from == functional.func.name and functional.is_generated:
            source = functional.full_name
            if source not in wanted:
                message = f'"{name}" is generated from "{source}", which autogen must name too'
                reader.report_field(function, message, f"autogen {name}")
    return [function for name, function in made.items() if name in wanted]


def _decomposes(functions: Collection[NativeFunction]) -> bool:
    """Return whether every variant is composite.

    If so, only operators of the core set are completed.
    """
    core = any("core" in function.tags for function in functions)
    return not core and all(function.composite_implicit for function in functions)


def _generated(
    base: NativeFunction, func: FunctionSchema, source: NativeFunction
) -> NativeFunction:
    name = func.name.unambiguous() if func.is_out else str(func.name.name)
    kernel = name + ("_symint" if func.has_symint else "")
    return NativeFunction(
        namespace=base.namespace,
        func=func,
        location=base.location,
        variants=frozenset({"function"}),
        dispatch={COMPOSITE_EXPLICIT: Kernel(kernel, False)},
        device_guard=False,
        device_check=False,
        use_const_ref_for_mutable_tensors=base.use_const_ref_for_mutable_tensors,
        tags=implied_tags(base.namespace, func) | _MADE | (base.tags & _INHERITED_TAGS),
        completed_from=source.func.name,
    )


def functional_variant(func: FunctionSchema) -> FunctionSchema:
    """Return the schema that returns what `func` writes."""
    signature = func.signature(keep_return_names=True)
    base = BaseOperatorName(
        func.name.name.base,
        inplace=False,
        dunder=func.name.name.dunder,
        functional_overload=func.kind is SchemaKind.mutable,
    )
    arguments = replace(signature.arguments, options=func.arguments.options)
    return FunctionSchema(OperatorName(base, func.name.overload), arguments, signature.returns)


def out_variant(func: FunctionSchema) -> FunctionSchema:
    """Return the schema that writes the results of `func` to out arguments."""
    overload = f"{func.name.overload}_out" if func.name.overload else "out"
    name = OperatorName(replace(func.name.name, inplace=False), overload)
    if func.kind is SchemaKind.inplace:
        self_arg = func.arguments.self_arg
        assert self_arg is not None
        out = replace(self_arg, name="out", default=None)
        read_only = replace(self_arg, annotation=None)
        arguments = replace(func.arguments, self_arg=read_only, options=None, out=(out,))
        result = Return(None, self_arg.type, self_arg.annotation)
        return FunctionSchema(name, arguments, (result,) if func.returns else ())
    out_arguments, returns = _results_as_arguments(func)
    inputs = func.arguments if func.kind is SchemaKind.mutable else without_out(func.arguments)
    return FunctionSchema(name, _with_out(inputs, out_arguments), returns)


def _with_out(arguments: Arguments, out: Sequence[Argument]) -> Arguments:
    return replace(arguments, options=None, out=tuple(out))


def _results_as_arguments(
    func: FunctionSchema,
) -> tuple[list[Argument], tuple[Return, ...]]:
    """Return out arguments for the tensors that `func` returns, and the remaining results."""
    used = {
        letter
        for argument in func.arguments.all
        if argument.annotation is not None
        for letter in argument.annotation.before
    }
    letters = [letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in used]
    only_tensors = all(result.type == TENSOR for result in func.returns)
    out: list[Argument] = []
    returns: list[Return] = []
    for index, result in enumerate(func.returns):
        if not result.type.is_tensor_like():
            returns.append(result)
            continue
        annotation = Annotation((letters[index],), True)
        name = "out" if len(func.returns) == 1 else f"out{index}"
        out.append(Argument(name, result.type, None, annotation))
        if only_tensors:
            returns.append(Return(None, result.type, annotation))
    return out, tuple(returns)

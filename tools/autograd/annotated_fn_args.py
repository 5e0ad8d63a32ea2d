"""annotated_fn_args.py: the required arguments of every bound operator, for tests of overrides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from tools.codegen.api.python import parser_type, signature
from tools.codegen.emit.common import Emitter
from tools.codegen.emit.python import bound_functions, by_name, members
from tools.codegen.emit.python_binding import is_bound
from tools.codegen.model import NativeFunction
from tools.codegen.names import PYTHON_MODULES
from tools.codegen.types import ListType, OptionalType, Type

FILE = "annotated_fn_args.py"
_TEMPLATE = f"{FILE}.in"
_NAMESPACES: Mapping[str | None, str] = {
    None: "torch._C._VariableFunctions",
    **{module: f"torch._C._{module}" for module in PYTHON_MODULES},
    "method": "torch.Tensor",
}


def annotated_fn_args(emitter: Emitter) -> None:
    """Emit one item for each function and method; of several overloads, the last counts."""
    bound = bound_functions(emitter.operators.functions)
    families = [(namespace, by_name(members(key, bound))) for key, namespace in _NAMESPACES.items()]
    functions = [f for _, groups in families for group in groups.values() for f in group]
    built = emitter.built(functions)
    emitter.file(FILE, _TEMPLATE, built, partial(_items, emitter, families, frozenset(built)))


def _items(
    emitter: Emitter,
    families: Iterable[tuple[str, Mapping[str, list[NativeFunction]]]],
    built: frozenset[NativeFunction],
) -> Mapping[str, str]:
    section = emitter.templates.section(_TEMPLATE, "item")
    items = []
    for namespace, groups in families:
        for name, group in groups.items():
            shown = [f for f in group if f in built]
            if not is_bound(shown):
                continue
            callable_ones = [f for f in shown if is_bound([f])]
            by_tensors = [f for f in callable_ones if not _only_for_numbers(f)]
            if not callable_ones:
                continue  # only a variant with out= is selected
            arguments = map(_written, required_arguments((by_tensors or callable_ones)[-1]))
            items.append(
                section.fill(function=f"{namespace}.{name}", arguments=f"[{', '.join(arguments)}]")
            )
    return {"items": "".join(items)}


def _only_for_numbers(function: NativeFunction) -> bool:
    """Return whether Python reaches the operator through an overload that takes tensors."""
    arithmetic = function.root_name in ("add", "sub", "mul", "div")
    return arithmetic and function.func.name.overload == "Scalar"


def _written(argument: Mapping[str, str | int]) -> str:
    """Return the call that makes an argument's description, without what is usual."""
    rest = {key: argument[key] for key in ("is_kwarg_only", "size") if key in argument}
    if rest["is_kwarg_only"] == "False":
        del rest["is_kwarg_only"]
    shown = [repr(argument["name"]), repr(argument["simple_type"])]
    return f"_argument({', '.join(shown + [f'{key}={value!r}' for key, value in rest.items()])})"


def required_arguments(function: NativeFunction) -> list[dict[str, str | int]]:
    """Return what a call from Python must pass, self included and out= not."""
    parameters = signature(function).parameters(with_out=False)
    return [
        {
            "is_kwarg_only": str(parameter.keyword_only),
            "name": parameter.name,
            **_simple_type(parameter.type),
        }
        for parameter in parameters
        if parameter.default is None
    ]


def _simple_type(type: Type) -> dict[str, str | int]:
    """Return the parser's type; of a list that a single number can fill, its length separately."""
    plain = type.elem if isinstance(type, OptionalType) else type
    if not isinstance(plain, ListType) or plain.size is None or str(plain.elem) == "bool":
        return {"simple_type": parser_type(type)}
    return {"simple_type": parser_type(type).replace(f"[{plain.size}]", ""), "size": plain.size}

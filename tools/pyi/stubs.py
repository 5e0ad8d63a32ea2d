"""Type stubs of torch._C and its submodules, from the signatures that the bindings use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tools.codegen.api.python import signature
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.common import Emitter
from tools.codegen.emit.python import bound_functions, by_name, members, return_types
from tools.codegen.emit.python_binding import NO_DOCS, return_type_key
from tools.codegen.emit.python_convert import is_bindable
from tools.codegen.emit.python_overloads import Overload, group_overloads
from tools.codegen.model import NativeFunction
from tools.codegen.names import PYTHON_MODULES
from tools.pyi import hints
from tools.pyi.late_methods import late_methods
from tools.pyi.late_names import late_names
from tools.pyi.python_source import Package


@dataclass(frozen=True)
class StubEmitter(Emitter):
    """An emitter for stubs, whose definitions show the summaries of `docs`."""

    docs: OperatorDocs = NO_DOCS
    package: Package = field(default_factory=lambda: Package(Path(__file__).parents[2]))


def stubs(emitter: StubEmitter) -> None:
    """Emit every stub."""
    bound = bound_functions(emitter.operators.functions)
    types = return_types(bound)

    def stub(name: str, template: str, hole: str, family: str | None, added: str = "") -> None:
        functions = members(family, bound)
        named = {return_type_key(f): types.get(return_type_key(f), "") for f in functions}
        emitter.file(
            f"{name}.pyi",
            template,
            functions,
            lambda: {hole: _definitions(emitter, family, functions, types) + added},
            *named.values(),
            added,
        )

    methods = _late_methods(emitter, bound, types)
    stub("__init__", "__init__.pyi.in", "methods", "method", f"\n{methods}")
    stub("_VariableFunctions", "_VariableFunctions.pyi.in", "functions", None)
    for module in PYTHON_MODULES:
        stub(f"_{module}", "_module.pyi.in", "functions", module)
    named = [f for f in bound if return_type_key(f)]
    emitter.file(
        "_return_types.pyi",
        "_return_types.pyi.in",
        named,
        lambda: {"types": _named_tuples(types, named)},
        *types.values(),
    )
    names = {family: by_name(members(family, bound)) for family in (None, *PYTHON_MODULES)}
    for module, text in late_names(emitter.package, names).items():
        path = "_".join(("_late", *module.split("."))).rstrip("_")
        emitter.file(f"{path}.pyi", "_late.pyi.in", (), partial(dict, names=text), text)


def _late_methods(
    emitter: StubEmitter, bound: list[NativeFunction], types: Mapping[tuple[str, ...], str]
) -> str:
    """Return the definitions of the methods that the package torch adds."""
    methods, functions = by_name(members("method", bound)), by_name(members(None, bound))

    def of_operator(name: str, first: str) -> str:
        group = methods.get(first) or functions[first]
        return _group(name, group, True, types, emitter.docs)

    return "\n".join(late_methods(emitter.package, methods.keys(), functions.keys(), of_operator))


def _definitions(
    emitter: StubEmitter,
    family: str | None,
    functions: list[NativeFunction],
    types: Mapping[tuple[str, ...], str],
) -> str:
    method = family == "method"
    texts: list[str] = []
    for name, group in by_name(members(family, functions)).items():
        make = partial(_group, name, group, method, types, emitter.docs)
        named = [types.get(return_type_key(f), "") for f in group]
        texts.append(emitter.piece(f"stub {family}", group[0], make, *named))
    return "\n".join(filter(None, texts))


def _group(
    name: str,
    group: Iterable[NativeFunction],
    method: bool,
    types: Mapping[tuple[str, ...], str],
    docs: OperatorDocs,
) -> str:
    """Return the overloads of one name, which share a root."""
    bindable = [f for f in group if all(is_bindable(a.type) for a in f.func.arguments.all)]
    definitions: dict[str, None] = {}
    for overload in group_overloads(bindable, method=method):
        definitions.update(dict.fromkeys(_overload(name, overload, method, types)))
    mark = "@overload\n" if len(definitions) > 1 else ""
    summary = docs.summary(name, method=method).replace("\\", "\\\\")
    body = f'"""{summary}"""' if summary else "..."
    return "\n".join(f"{mark}{definition}: {body}" for definition in definitions)


def _overload(
    name: str, overload: Overload, method: bool, types: Mapping[tuple[str, ...], str]
) -> list[str]:
    function = overload.function
    base = signature(function, method=method)
    outs = overload.signature.outs if overload.out is not None else ()
    shown = replace(base, outs=() if method else outs)
    result = hints.return_hint(function.func, types.get(return_type_key(function)))
    texts = [
        hints.parameters(shown, method=method),
        hints.variadic_parameters(shown, method=method),
    ]
    return [f"def {name}({', '.join(text)}) -> {result}" for text in texts if text is not None]


def _named_tuples(types: Mapping[tuple[str, ...], str], functions: Iterable[NativeFunction]) -> str:
    fields_of = {
        return_type_key(f): [hints.argument_hint(result.type) for result in f.func.returns]
        for f in functions
    }
    lines: list[str] = []
    for key, name in sorted(types.items(), key=lambda item: item[1]):
        lines.append(f"class {name}(NamedTuple):")
        fields = zip(key[1:], fields_of[key], strict=True)
        lines.extend(f"    {field}: {hint}" for field, hint in fields)
        lines.append("")
    return "\n".join(lines).rstrip()

"""Type stubs of functions and methods that the package torch has in Python."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from tools.codegen.types import parse_type
from tools.pyi.hints import argument_hint, default_text
from tools.pyi.python_source import Package, PythonSource

_HINTS = {"int": "_int", "bool": "_bool", "float": "_float", "Tensor": "Tensor", "Any": "Any"}
_OTHERS = frozenset(("None", "list", "str", "tuple"))
_ANYTHING = "*args: Any, **kwargs: Any"


def result_of(function: ast.FunctionDef | None) -> str:
    """Return the annotation of a function's result, Any if it has none that a stub can use."""
    if function is None or function.returns is None:
        return "Any"
    returns = function.returns
    if isinstance(returns, ast.Constant) and isinstance(returns.value, str):
        returns = ast.parse(returns.value, mode="eval").body
    tree = ast.parse(ast.unparse(returns), mode="eval")  # a copy
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) if name in _HINTS:
                node.id = _HINTS[name]
            case ast.Name(id=name) if name not in _OTHERS:
                return "Any"
            case ast.Attribute():
                return "Any"
    return ast.unparse(tree)


def _parameters_of_row(row: str, *, method: bool) -> list[str]:
    """Return the parameters of a `def` for a row of torch/_signatures.py, such as `Tensor input, int n=1`.

    A method has `self` instead of the first, and no `out`.
    """
    texts = row.split(", ")
    shown: list[str] = []
    if method:
        texts = [text for text in texts[1:] if not text.endswith(" out=None")]
        shown.append("self")
    shown += ["*" if text == "*" else _parameter(text) for text in texts]
    return shown[:-1] if shown[-1] == "*" else shown


def _parameter(text: str) -> str:
    declaration, equals, default = text.partition("=")
    type_text, name = declaration.split(" ")
    hint = "Any" if type_text == "object" else argument_hint(parse_type(type_text))
    name = "input" if name == "self" else name
    if default == "None" and not hint.endswith(" | None"):
        hint += " | None"
    return f"{name}: {hint} = {default_text(default)}" if equals else f"{name}: {hint}"


def definitions(name: str, rows: Sequence[str], result: str, *, method: bool = False) -> str:
    """Return the definitions of a function from its rows in a table of signatures.

    The overload of a list of tensors returns as many. Deprecated rows are left out, as those of operators.
    """
    left_out = ("deprecated ", "Tensor[] ") if method else ("deprecated ",)
    rows = [row for row in rows if not row.startswith(left_out)]
    lists = ["tuple[Tensor, ...]" if row.startswith("Tensor[] ") else "Tensor" for row in rows]
    results = lists if len(set(lists)) > 1 else [result for _ in rows]
    mark = "@overload\n" if len(rows) > 1 else ""
    return "\n".join(
        f"{mark}def {name}({', '.join(_parameters_of_row(row, method=method))}) -> {hint}: ..."
        for row, hint in zip(rows, results, strict=True)
    )


def definition_of(function: ast.FunctionDef) -> str:
    """Return the definition of a function or method whose parameters may have no annotations.

    Only the annotation of the result is used, and of a parameter its name and whether it has a default.
    """
    parameters = function.args
    positional = [*parameters.posonlyargs, *parameters.args]
    without_default = len(positional) - len(parameters.defaults)
    shown = [
        part.arg if part.arg == "self" else f"{part.arg}: Any{' = ...' * (i >= without_default)}"
        for i, part in enumerate(positional)
    ]
    if parameters.posonlyargs:
        shown.insert(len(parameters.posonlyargs), "/")
    if parameters.vararg:
        shown.append(f"*{parameters.vararg.arg}: Any")
    elif parameters.kwonlyargs:
        shown.append("*")
    for part, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
        shown.append(f"{part.arg}: Any{'' if default is None else ' = ...'}")
    if parameters.kwarg:
        shown.append(f"**{parameters.kwarg.arg}: Any")
    return f"def {function.name}({', '.join(shown)}) -> {result_of(function)}: ..."


def variadic(name: str, result: str, *, method: bool = False) -> str:
    """Return the definition of a function that takes anything."""
    return f"def {name}({'self, ' * method}{_ANYTHING}) -> {result}: ..."


def home_of(package: Package, name: str, modules: Collection[str]) -> PythonSource | None:
    """Return the first of some modules that defines a function."""
    return next((s for s in map(package.source, modules) if s.function(name)), None)

"""Stubs of the methods of tensors that the package torch adds: second names, and methods in Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from tools.pyi.python_signatures import (
    definition_of,
    definitions,
    home_of,
    result_of,
    variadic,
)
from tools.pyi.python_source import Package

OfOperator = Callable[[str, str], str]
"""Returns the definitions of a method, given its name and the operator that it calls."""

_WRITTEN = ("_tensor_methods", "_legacy_methods", "_sparse_methods")


def late_methods(
    package: Package, methods: Collection[str], functions: Collection[str], of_operator: OfOperator
) -> Iterator[str]:
    """Yield the definitions of the methods, sorted within each kind.

    Args:
        package: The package, whose tables list the methods.
        methods: The names of the operators that are methods.
        functions: The names of the operators that are functions.
        of_operator: Makes the definitions of a method of an operator.
    """
    for name, first in _second_names(package, methods):
        yield of_operator(name, first)
    taken = {*methods}
    table = package.source("_tensor_methods")
    for suffix, names in (("", table.value("_FUNCTIONS")), ("_", table.value("_IN_PLACE"))):
        for name in sorted(names):
            if name + suffix in taken:
                continue
            if name in functions:
                yield of_operator(name + suffix, name)
            else:
                yield _of_function(package, name, suffix)
    for text in _written_methods(package):
        name = text.removeprefix("def ").partition("(")[0]
        if name not in taken:
            yield text


def _second_names(package: Package, methods: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each name that torch/_aliases.py adds, and the method that it calls."""
    simple = package.source("_aliases").value("_NAMES")
    names = {**simple, **{f"{name}_": f"{first}_" for name, first in simple.items()}}
    for name, first in sorted(names.items()):
        if first in methods and name not in methods:
            yield name, first


def _of_function(package: Package, name: str, suffix: str) -> str:
    """Return the definition of a method that calls a function of torch written in Python."""
    rows = package.source("_signatures").value("SIGNATURES").get(name)
    if rows is None:
        return variadic(name + suffix, "Tensor" if suffix else "Any", method=True)
    hint = "Tensor" if suffix else result(package, name)
    return definitions(name + suffix, rows, hint, method=True)


def result(package: Package, name: str) -> str:
    """Return the annotation of what a function of torch written in Python returns."""
    types = package.source("return_types").value("_PYTHON_TYPES")
    homes = late_homes(package)
    if name in types:
        return f"_late_return_types.{name}"
    home = home_of(package, name, [homes[name]]) if name in homes else None
    return result_of(home.function(name)) if home else "Any"


def late_homes(package: Package) -> dict[str, str]:
    """Return the names of torch that are imported at their first use, and the module of each."""
    homes: dict[str, str] = package.source("_deferred_names").value("HOMES")
    return homes


def _written_methods(package: Package) -> Iterator[str]:
    methods, legacy, sparse = map(package.source, _WRITTEN)
    functions = [*methods.listed("_METHODS"), *legacy.listed("METHODS")]
    functions += [*sparse.methods("_Methods"), *sparse.listed("METHODS")]
    yield from map(definition_of, functions)
    for name in sparse.value("_LAYOUTS"):
        yield f"def {name}(self) -> {'_bool' if name.startswith('is_') else 'Tensor'}: ..."
    for name in legacy.value("_REMOVED"):
        yield variadic(name, "Any", method=True)

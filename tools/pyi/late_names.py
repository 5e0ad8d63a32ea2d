"""Stubs of the names that packages of torch get at run time: from tables, or when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from tools.codegen.names import PYTHON_MODULES
from tools.pyi.late_methods import late_homes, result
from tools.pyi.python_signatures import definitions, home_of, result_of, variadic
from tools.pyi.python_source import Package

Operators = Mapping[str | None, Collection[str]]
"""The names of the operators of each module, with those of torch under None."""

# Packages with functions of parts that the build lacks, which torch/_absent.py makes.
_ABSENT = ("compiler", "distributed", "export", "mps", "mtia", "onnx", "sparse", "xpu")
# Packages whose functions are imported at their first use, by a table `_HOMES`.
_WITH_HOMES = ("nn", "nn.utils", "onnx", "utils", "utils.data")
# Packages whose modules are imported when they are first used as attributes.
_WITH_MODULES = (
    "ao",
    "ao.quantization",
    "backends",
    "distributed",
    "nn",
    "nn.utils",
    "optim",
    "utils",
)

# Modules of torch that the build generates.
_GENERATED = ("version",)
# The fields of named tuples that are lists of tensors.
_LISTS = frozenset((("histogramdd", "bin_edges"),))

SOURCES = (
    "torch/_*.py",
    "torch/functional.py",
    "torch/return_types.py",
    "torch/*/__init__.py",
    "torch/_quantized/*.py",
    "torch/ao/*/__init__.py",
    "torch/ao/quantization/*.py",
    "torch/backends/*.py",
    "torch/backends/*/__init__.py",
    "torch/distributed/*.py",
    "torch/linalg/*.py",
    "torch/nn/*.py",
    "torch/nn/*/__init__.py",
    "torch/nn/functional/*.py",
    "torch/nn/modules/_lazy_names.py",
    "torch/nn/utils/*.py",
    "torch/optim/*.py",
    "torch/optim/*/__init__.py",
    "torch/sparse/*.py",
    "torch/utils/*.py",
    "torch/utils/*/__init__.py",
)
"""The files whose tables, signatures and names the stubs follow."""


def late_names(package: Package, operators: Operators) -> dict[str, str]:
    """Return the text of each stub, by the name of the module below torch."""
    found: dict[str, list[str]] = {}

    def add(module: str, lines: Iterable[str]) -> None:
        found.setdefault(module, []).extend(lines)

    for module, make in _OWN.items():
        add(module, make(package, operators))
    for module in _ABSENT:
        add(module, _absent(package, module))
    for module in _WITH_HOMES:
        add(module, _homes(package, module))
    for module in _WITH_MODULES:
        add(module, _imports(module, package.submodules(module)))
    return {module: "\n".join(dict.fromkeys(lines)) for module, lines in sorted(found.items())}


def _public(names: Iterable[str]) -> list[str]:
    """Return the names that `import *` copies, sorted."""
    return sorted(name for name in names if not name.startswith("_"))


def _imports(module: str, names: Iterable[str]) -> Iterator[str]:
    """Yield imports of modules below `torch.<module>` under their names."""
    package = f"torch.{module}" if module else "torch"
    return (_from(package, name) for name in _public(names))


def _from(module: str, name: str) -> str:
    return f"from {module} import {name} as {name}"


def _renamed(module: str, name: str, first: str) -> Iterator[str]:
    """Yield the definition of a second name; a stub does not export what it imports under another name."""
    if name == first:
        yield _from(module, name)
        return
    package, _, part = module.rpartition(".")
    yield f"from {package} import {part}"
    yield f"{name} = {part}.{first}"


# ---- torch ---------------------------------------------------------------------------------------
def _torch(package: Package, operators: Operators) -> Iterator[str]:
    rearranging = package.source("functional").value("__all__")
    functions = {*operators[None], *rearranging}
    yield from (_from("torch.functional", name) for name in rearranging)
    aliases = package.source("_aliases")
    seconds = {**aliases.value("_NAMES"), **aliases.value("_FUNCTIONS")}
    for name, first in sorted(seconds.items()):
        if first in functions and name not in functions:
            yield from _renamed("torch._C._VariableFunctions", name, first)
    extension = SimpleNamespace(_operator_modules=PYTHON_MODULES)
    modules = package.source("_deferred_names").value("MODULES", _C=extension)
    yield from _imports("", {*filter(package.has, modules), *_GENERATED})
    for name in _public(package.source("_quantized_dtypes").value("NAMES")):
        yield f"{name}: _dtype"
    rows = package.source("_signatures").value("SIGNATURES")
    homes = late_homes(package)
    for name in _public(homes.keys() - functions - seconds.keys()):
        if name in rows:
            yield definitions(name, rows[name], result(package, name))
        else:
            yield _imported(package, homes[name], name)


def _imported(package: Package, module: str, name: str) -> str:
    """Return the import of a name, or its declaration if its module makes it at run time."""
    if module == "_c_names":
        module = package.source(module).value("_MODULES").get(name, "").removeprefix("torch.")
    is_made = module == "_typed_storage" and name not in package.source(module).names
    if not module or is_made or name.endswith("Tensor"):
        return _legacy(name)
    return _from(f"torch.{module}", name)


def _legacy(name: str) -> str:
    """Return the declaration of a class such as FloatTensor or FloatStorage, or of another name."""
    if name.endswith("Tensor"):
        return f"class {name}(Tensor): ..."
    if name.endswith("Storage"):
        return f"class {name}(_typed_storage.TypedStorage): ..."
    return f"{name}: Any"


# ---- its packages --------------------------------------------------------------------------------
def _linalg(package: Package, operators: Operators) -> Iterator[str]:
    for name in _public(operators["linalg"]):
        yield from _renamed("torch._C._linalg", name.removeprefix("linalg_"), name)
    signatures = package.source("_signatures")
    given = {"FACTORY_OPTIONS": signatures.value("FACTORY_OPTIONS")}
    rows = package.source("_module_signatures").value("SIGNATURES", **given)["linalg"]
    types = package.source("return_types").value("_PYTHON_TYPES")
    homes = ("linalg._composites", "linalg._norms", "linalg._matrix_exp")
    for name in sorted(rows):
        source = home_of(package, name, homes)
        hint = result_of(source.function(name)) if source else "Any"
        if f"linalg_{name}" in types:
            hint = f"_late_return_types.linalg_{name}"
        yield definitions(name, rows[name], hint)
    for home in homes[:2]:
        for name in package.source(home).value("__all__"):
            if name not in rows:
                yield _from(f"torch.{home}", name)


def _special(package: Package, operators: Operators) -> Iterator[str]:
    for name in _public(operators["special"]):
        yield from _renamed("torch._C._special", name.removeprefix("special_"), name)
    for name, first in sorted(package.source("special").value("_OF_TORCH").items()):
        yield from _renamed("torch._C._VariableFunctions", name, first)


def _functional(package: Package, operators: Operators) -> Iterator[str]:
    source = package.source("nn.functional")
    for module, name in source.imported("torch.nn.functional"):
        if not name.startswith("_"):
            yield _from(module, name)  # a stub exports it, and a module without __all__ does not
    for module, names in source.value("_OPERATORS", torch=None, _nn="nn").items():
        part = "torch._C._nn" if module else "torch._C._VariableFunctions"
        for name in names:
            yield _from(part if name in operators[module] else "torch", name)
    for module, names in source.value("_LAZY").items():
        yield from (_from(module, name) for name in _public(names))
    for name, place in source.value("_ELSEWHERE").items():
        module, _, first = place.partition(":")
        if name in _public([name]):
            yield _from(module, first) if first else _from(module.rpartition(".")[0], name)


def _layers(package: Package, operators: Operators) -> Iterator[str]:
    homes = package.source("nn.modules._lazy_names").value("HOMES")
    for name in _public(homes):
        yield _from(f"torch.nn.modules.{homes[name][0]}", name)


def _cuda(package: Package, operators: Operators) -> Iterator[str]:
    source = package.source("cuda")
    modules = source.value("_SUBMODULES")
    yield from _imports("cuda", modules)
    for name, module in sorted(source.value("_MODULES").items()):
        if not name.startswith("_"):
            yield _imported(package, f"cuda.{module}", name)
    yield from map(_legacy, source.value("_LEGACY"))


def _return_types(package: Package, operators: Operators) -> Iterator[str]:
    types = package.source("return_types").value("_PYTHON_TYPES")
    for name, fields in sorted(types.items()):
        hints = ("tuple[Tensor, ...]" if (name, f) in _LISTS else "Tensor" for f in fields)
        rows = (f"    {field}: {hint}" for field, hint in zip(fields, hints, strict=True))
        yield "\n".join((f"class {name}(NamedTuple):", *rows))


# ---- tables that several packages have -----------------------------------------------------------
def _absent(package: Package, module: str) -> Iterator[str]:
    source = package.source(module)
    for answers in source.arguments_of_calls("answering"):
        for name in _public(answers):
            yield variadic(name, _hint_of(answers[name]))
    for names in source.arguments_of_calls("refusing"):
        yield from (variadic(name, "Any") for name in _public(names))
    if "_CLASSES" in source.names:
        for name in _public(source.value("_CLASSES")):
            yield f"class {name}:\n    def __init__(self, *args: Any, **kwargs: Any) -> None: ..."


def _hint_of(value: Any) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"_{name}" if name in ("bool", "int", "float") else "Any"


def _homes(package: Package, module: str) -> Iterator[str]:
    for name, home in sorted(package.source(module).value("_HOMES").items()):
        yield _from(f"torch.{module}.{home}", name)


_OWN: Mapping[str, Callable[[Package, Operators], Iterator[str]]] = {
    "": _torch,
    "cuda": _cuda,
    "linalg": _linalg,
    "nn": _layers,
    "nn.functional": _functional,
    "nn.modules": _layers,
    "return_types": _return_types,
    "special": _special,
}

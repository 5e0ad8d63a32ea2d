"""Collect the examples in the docstrings of torch/, and run them.

As a program it runs them in the torch of the Python that executes it, which may be PyTorch; so it
must not import anything of this project. The docstrings of functions bound in C++ come from a file
that a program with this project's torch has written.

    python docstring_examples.py FOLDER_OF_THE_SOURCES BUILTINS.json
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib.util
import json
import os
import sys
import tempfile
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import torch

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BUILTIN = (
    types.BuiltinFunctionType,
    types.GetSetDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that Python defines
NAMESPACES = ("nn.functional", "linalg", "special", "fft", "_C._nn", "Tensor", "UntypedStorage")
# Distributions that PyTorch's modules need and this project's do not.
NEEDED = {"torch.utils.tensorboard": "tensorboard"}
# Modules with examples that only this project has.
OWN = {"torch.cuda.tunable", "torch.fx.passes._operator_versions", "torch.jit._static_runtime"}
# Functions that PyTorch has no CPU kernels for.
WITHOUT_KERNELS = {"torch.nn.functional._scaled.scaled_grouped_mm"}
BUILT = {"_C", "bin", "include", "lib", "share"}  # the folders of torch/ that a build fills


def sources(package: Path) -> dict[Path, str]:
    """The Python files of the package and their text."""
    return {
        file: file.read_text(encoding="utf-8")
        for file in sorted(package.rglob("*.py"))
        if file.relative_to(package).parts[0] not in BUILT
    }


def _docstrings(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Qualified name, text and line of each docstring in a module, nested definitions included."""
    pending: list[tuple[str, ast.AST]] = [("", tree)]
    while pending:
        prefix, node = pending.pop(0)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            prefix = f"{prefix}.{getattr(node, 'name', '')}".strip(".")
            text = ast.get_docstring(node)
            if text is not None:
                yield prefix, text, node.body[0].lineno
        pending += [(prefix, child) for child in ast.iter_child_nodes(node)]


def collect(package: Path) -> dict[str, list[doctest.DocTest]]:
    """The docstrings with examples, by module.

    They are read from the sources rather than from imported objects: that also finds those of
    classes that another module re-exports, such as torch.Tensor.
    """
    parser = doctest.DocTestParser()
    found: dict[str, list[doctest.DocTest]] = {}
    for file, source in sources(package).items():
        if ">>>" not in source:
            continue
        parts = file.relative_to(package.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for name, text, line in _docstrings(ast.parse(source, str(file))):
            test = parser.get_doctest(text, {}, f"{module}.{name}", str(file), line - 1)
            if test.examples:
                found.setdefault(module, []).append(test)
    return found


def builtin_classes() -> dict[str, type]:
    """The public classes that C++ defines, by name."""
    return {
        f"torch.{name}": value
        for name, value in vars(torch).items()
        if isinstance(value, type) and not value.__flags__ & HEAP_TYPE and name[0] != "_"
    }


def builtin_docstrings() -> dict[str, str]:
    """The docstrings of all public functions and attributes bound in C++, empty where missing."""
    places: dict[str, object] = {"torch": torch}
    for name in NAMESPACES:
        place: object = torch
        for part in name.split("."):
            place = getattr(place, part, None)
        places[f"torch.{name}"] = place
    places.update(builtin_classes())
    found: dict[str, str] = {}
    for prefix, place in places.items():
        for name in dir(place):
            value = getattr(place, name)
            inherited = getattr(tuple, name, None) is value
            if isinstance(value, BUILTIN) and not name.startswith("_") and not inherited:
                found[f"{prefix}.{name}"] = value.__doc__ or ""
    return found


def collect_builtins(docstrings: Mapping[str, str]) -> list[doctest.DocTest]:
    """The docstrings with examples, each text once."""
    parser = doctest.DocTestParser()
    names = {text: name for name, text in reversed(docstrings.items()) if ">>>" in text}
    return [parser.get_doctest(text, {}, name, name, 0) for text, name in names.items()]


@contextlib.contextmanager
def _default_settings() -> Iterator[None]:
    """Seed the generator for an example; restore it and the settings that examples change."""
    generator, threads = torch.get_rng_state(), torch.get_num_threads()
    safe_globals = torch.serialization.get_safe_globals()
    torch.manual_seed(0)
    try:
        with torch.enable_grad():
            yield
    finally:
        torch.set_rng_state(generator)
        torch.set_num_threads(threads)
        torch.serialization.clear_safe_globals()
        torch.serialization.add_safe_globals(safe_globals)
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")


def run(tests: Iterable[doctest.DocTest]) -> str:
    """Run examples, each docstring in a new namespace; return the report of what failed."""
    report: list[str] = []
    for test in tests:
        test.globs.update(torch=torch, nn=torch.nn, F=torch.nn.functional, __name__="__main__")
        with _default_settings():
            doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    return "".join(report)


def _is_missing(module: str) -> bool:
    """Whether PyTorch has no such module, or its module needs a distribution that is not installed."""
    return module in OWN or any(
        module.startswith(start) and importlib.util.find_spec(needed) is None
        for start, needed in NEEDED.items()
    )


def main() -> int:
    """Run all examples in an empty folder."""
    modules = collect(Path(sys.argv[1]))
    modules["builtins"] = collect_builtins(json.loads(Path(sys.argv[2]).read_text()))
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        report = "".join(
            run(test for test in tests if test.name not in WITHOUT_KERNELS)
            for name, tests in modules.items()
            if not _is_missing(name)
        )
    print(report)
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())

"""The examples in docstrings run, also in PyTorch; every public function and class has one."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import docstring_examples
import torch

PACKAGE = Path(torch.__file__).parent
EXAMPLES = docstring_examples.collect(PACKAGE)
DOCSTRINGS = docstring_examples.builtin_docstrings()
BUILTINS = docstring_examples.collect_builtins(DOCSTRINGS)
# Modules and names of the classes that Python code defines.
CLASSES = {
    (".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"), n)
    for file, source in docstring_examples.sources(PACKAGE).items()
    for n in re.findall(r"^class (\w+)", source, re.MULTILINE)
}
PEER = os.environ.get("TORCH_PEER")


@pytest.mark.parametrize("module", EXAMPLES)
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_examples_print_what_they_promise(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = docstring_examples.run(EXAMPLES[module])
    assert not report, report


@pytest.mark.parametrize("initial", sorted({test.name.split(".")[-1][0] for test in BUILTINS}))
def test_examples_of_builtins_print_what_they_promise(initial: str) -> None:
    chosen = [test for test in BUILTINS if test.name.split(".")[-1][0] == initial]
    report = docstring_examples.run(chosen)
    assert not report, report


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_examples_print_the_same_in_pytorch(tmp_path: Path) -> None:
    assert PEER
    docstrings = tmp_path / "builtins.json"
    docstrings.write_text(json.dumps(DOCSTRINGS))
    result = subprocess.run(
        [PEER, "-I", docstring_examples.__file__, str(PACKAGE), str(docstrings)],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def _public_modules() -> Iterator[str]:
    yield "torch"
    for module in pkgutil.walk_packages(torch.__path__, "torch."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            yield module.name


def _public_objects(module_name: str) -> Iterator[tuple[str, object]]:
    """The functions and classes that a module offers and that Python code of torch defines."""
    module = importlib.import_module(module_name)
    for name in getattr(module, "__all__", None) or vars(module):
        value = getattr(module, name)
        if name.startswith("_") or not (getattr(value, "__module__", None) or "").startswith(
            "torch"
        ):
            continue
        if inspect.isfunction(value) or (
            inspect.isclass(value) and (value.__module__, value.__name__) in CLASSES
        ):
            yield name, value


def _has_example(value: object) -> bool:
    """Whether a docstring shows an example; for an exception, which others raise, any will do."""
    text = (value.__doc__ or "").strip()
    if inspect.isclass(value) and issubclass(value, BaseException):
        return bool(text)
    return ">>>" in text


@pytest.mark.parametrize("module", list(_public_modules()))
def test_public_names_have_an_example(module: str) -> None:
    lacking = [name for name, value in _public_objects(module) if not _has_example(value)]
    assert not lacking, f"{module}: no docstring with an example: {', '.join(lacking)}"


def _summary(docstring: str) -> str:
    """The first line after the signatures."""
    return next((line for line in docstring.split("\n") if line and "->" not in line), "")


def _is_imperative(summary: str) -> bool:
    """Whether a summary is a sentence that begins with a verb: Return, not Returns or Whether."""
    word, _, rest = summary.partition(" ")
    if summary.startswith("In-place version of ") and summary.endswith("()."):
        return True
    plain = word[:1].isupper() and word.isalpha() and word not in NO_VERBS
    return plain and bool(rest) and rest.endswith(".") and (word[-1] != "s" or word in VERBS_IN_S)


NO_VERBS = {"A", "All", "An", "Each", "How", "If", "It", "The", "This", "What", "Whether"}
VERBS_IN_S = {"Express", "Pass"}


def test_public_builtins_have_a_docstring() -> None:
    shown = {name: _summary(docstring) for name, docstring in DOCSTRINGS.items()}
    lacking = [f"{n}: {text!r}" for n, text in shown.items() if not _is_imperative(text)]
    assert not lacking, "no docstring with an imperative summary:\n" + "\n".join(lacking)


def test_public_builtin_classes_have_a_docstring() -> None:
    classes = docstring_examples.builtin_classes()
    lacking = [name for name, value in classes.items() if not value.__doc__]
    assert not lacking, f"no docstring: {', '.join(lacking)}"


def test_public_attributes_of_tensor_have_a_docstring() -> None:
    attributes = {name: getattr(torch.Tensor, name) for name in dir(torch.Tensor)}
    public = [n for n in attributes if not n.startswith("_") and not hasattr(object, n)]
    lacking = [name for name in public if not (attributes[name].__doc__ or "").strip()]
    assert not lacking, f"no docstring: {', '.join(lacking)}"

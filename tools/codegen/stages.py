"""Entry points of the build's code generation stages. They read the tree and write through the context."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from tools.codegen.emit.common import Output
from tools.codegen.emit.pyi import emit_pyi
from tools.codegen.emit.python import emit_python
from tools.codegen.generate import generate
from tools.codegen.model import Operators
from tools.codegen.read import read_files
from tools.codegen.templates import Templates

_NATIVE_FUNCTIONS = "aten/src/ATen/native/native_functions.yaml"
_TAGS = "aten/src/ATen/native/tags.yaml"
_STUB_TEMPLATES = "tools/pyi"
_TEMPLATES = "aten/src/ATen/templates"


class Context(Protocol):
    """What a stage is given: the tree, an output, and what earlier stages of the run kept."""

    @property
    def root(self) -> Path: ...
    @property
    def files(self) -> Output: ...
    @property
    def shared(self) -> dict[str, Any]: ...
    @property
    def everything(self) -> bool: ...


def operators(context: Context) -> Operators:
    """The model of the tree's operators, parsed once in a run; raises InputError."""
    model = context.shared.get("operators")
    if not isinstance(model, Operators):
        model = read_files(
            context.root / _NATIVE_FUNCTIONS,
            context.root / _TAGS,
            native_functions_name=_NATIVE_FUNCTIONS,
            tags_name=_TAGS,
        )
        context.shared["operators"] = model
    return model


def aten(context: Context) -> None:
    """Everything under aten/src/ATen."""
    folder = context.root / _TEMPLATES
    templates = Templates(lambda name: (folder / name).read_text(encoding="utf-8"))
    generate(operators(context), templates, context.files, everything=context.everything)


def python(context: Context) -> None:
    """The Python bindings, under torch/csrc/autograd/generated."""
    emit_python(operators(context).functions, context.files.write)


def pyi(context: Context) -> None:
    """The type stubs, under torch/_C."""
    folder = context.root / _STUB_TEMPLATES
    templates = Templates(lambda name: (folder / name).read_text(encoding="utf-8"))
    emit_pyi(operators(context).functions, templates, context.files.write)

"""Entry points of the build's code generation stages. They read the tree and write through the context."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from tools.autograd.load_derivatives import build_derivatives
from tools.codegen import generate
from tools.codegen.deprecated import build_deprecated
from tools.codegen.emit.common import Output
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators

_NATIVE_FUNCTIONS = "aten/src/ATen/native/native_functions.yaml"
_TAGS = "aten/src/ATen/native/tags.yaml"
_DEPRECATED = "tools/autograd/deprecated.yaml"
_DERIVATIVES = "tools/autograd/derivatives.yaml"


class Files(Output, Protocol):
    """An output that knows what was generated last."""

    def unchanged(self, meaning: str) -> bool: ...


class Context(Protocol):
    """What a stage is given: the tree, an output, and what earlier stages of the run kept."""

    @property
    def root(self) -> Path: ...
    @property
    def files(self) -> Files: ...
    @property
    def shared(self) -> dict[str, Any]: ...
    @property
    def limits(self) -> Mapping[str, int]: ...
    @property
    def everything(self) -> bool: ...


def operators(context: Context) -> Operators:
    """The model of the tree's operators, built once in a run; raises InputError."""
    model = context.shared.get("operators")
    if not isinstance(model, Operators):
        tags = OperatorFile.read(context.root / _TAGS, _TAGS)
        model = build_operators(_native_functions(context), tags)
        context.shared["operators"] = model
    return model


def _native_functions(context: Context) -> OperatorFile:
    file = context.shared.get("native_functions")
    if not isinstance(file, OperatorFile):
        file = OperatorFile.read(context.root / _NATIVE_FUNCTIONS, _NATIVE_FUNCTIONS)
        context.shared["native_functions"] = file
    return file


def _unchanged(context: Context, *others: OperatorFile) -> bool:
    """Whether the operators, and what other files say of them, are what they were at the last run.

    An edited comment changes no file.
    """
    meanings = [file.meaning for file in (_native_functions(context), *others)]
    return context.files.unchanged("".join(meanings) if all(meanings) else "")


def aten(context: Context) -> None:
    """Everything under aten/src/ATen."""
    if not _unchanged(context):
        generate.aten(
            operators(context),
            context.files,
            limits=context.limits,
            everything=context.everything,
        )


def autograd(context: Context) -> None:
    """Autograd kernels and Nodes, under torch/csrc/autograd/generated."""
    file = OperatorFile.read(context.root / _DERIVATIVES, _DERIVATIVES)
    if _unchanged(context, file):
        return
    model = operators(context)
    derivatives = build_derivatives(file, model)
    generate.autograd(
        model,
        derivatives,
        context.files,
        limits=context.limits,
        everything=context.everything,
    )


def python(context: Context) -> None:
    """The Python bindings, under torch/csrc/autograd/generated."""
    file = OperatorFile.read(context.root / _DEPRECATED, _DEPRECATED)
    if _unchanged(context, file):
        return
    model = operators(context)
    deprecated = build_deprecated(file, model)
    generate.bindings(model, context.files, deprecated=deprecated, limits=context.limits)


def jit(context: Context) -> None:
    """The operators by signature, under torch/csrc/jit/generated."""
    if not _unchanged(context):
        generate.jit(operators(context), context.files, limits=context.limits)


def pyi(context: Context) -> None:
    """The type stubs, under torch/_C."""
    if not _unchanged(context):
        generate.stubs(operators(context), context.files)

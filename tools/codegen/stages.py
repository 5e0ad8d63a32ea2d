"""Entry points of the build's code generation stages. They read the tree and write through the context."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from tools.codegen import generate
from tools.codegen.emit.common import Output
from tools.codegen.inputs import InputFiles, Inputs
from tools.codegen.read import OperatorFile

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


def _files(context: Context) -> InputFiles:
    """The tree's operator files, read once in a run."""
    files = context.shared.get("operator files")
    if not isinstance(files, InputFiles):
        names = (_NATIVE_FUNCTIONS, _TAGS, _DERIVATIVES, _DEPRECATED)
        files = InputFiles(*(OperatorFile.read(context.root / name, name) for name in names))
        context.shared["operator files"] = files
    return files


def _inputs(context: Context) -> Inputs:
    """What the files mean, built once in a run; raises InputError with the problems of all."""
    inputs = context.shared.get("operators")
    if not isinstance(inputs, Inputs):
        inputs = _files(context).build()
        context.shared["operators"] = inputs
    return inputs


def _unchanged(context: Context, *others: OperatorFile | None) -> bool:
    """Whether the operators, and what other files say of them, are what they were at the last run.

    An edited comment changes no file.
    """
    files = (_files(context).native_functions, *others)
    meanings = [file.meaning for file in files if file is not None]
    return context.files.unchanged("".join(meanings) if all(meanings) else "")


def aten(context: Context) -> None:
    """Everything under aten/src/ATen."""
    if not _unchanged(context):
        generate.aten(
            _inputs(context).operators,
            context.files,
            limits=context.limits,
            everything=context.everything,
        )


def autograd(context: Context) -> None:
    """Autograd kernels and Nodes, under torch/csrc/autograd/generated."""
    if _unchanged(context, _files(context).derivatives):
        return
    inputs = _inputs(context)
    assert inputs.derivatives is not None  # the tree has the file
    generate.autograd(
        inputs.operators,
        inputs.derivatives,
        context.files,
        limits=context.limits,
        everything=context.everything,
    )


def python(context: Context) -> None:
    """The Python bindings, under torch/csrc/autograd/generated."""
    if _unchanged(context, _files(context).deprecated):
        return
    inputs = _inputs(context)
    generate.bindings(
        inputs.operators, context.files, deprecated=inputs.deprecated, limits=context.limits
    )


def jit(context: Context) -> None:
    """The operators by signature, under torch/csrc/jit/generated."""
    if not _unchanged(context):
        generate.jit(_inputs(context).operators, context.files, limits=context.limits)


def pyi(context: Context) -> None:
    """The type stubs, under torch/_C."""
    if not _unchanged(context):
        generate.stubs(_inputs(context).operators, context.files)

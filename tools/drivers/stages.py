"""Entry points of the build's code generation stages, which use only the context they are given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from tools.autograd.callable_names import headers_of_formulas
from tools.codegen.emit.common import Output
from tools.codegen.read import OperatorFile
from tools.drivers import generate
from tools.drivers.inputs import InputFiles, Inputs

_NATIVE_FUNCTIONS = "aten/src/ATen/native/native_functions.yaml"
_TAGS = "aten/src/ATen/native/tags.yaml"
_DEPRECATED = "tools/autograd/deprecated.yaml"
_DOCS = "aten/src/ATen/native/operator_docs.yaml"
_DERIVATIVES = "tools/autograd/derivatives.yaml"


class Files(Output, Protocol):
    """An output that knows what the last run generated."""

    def unchanged(self, meaning: str) -> bool: ...


class Context(Protocol):
    """The inputs of a stage: the tree, an output, and values shared by the stages of a run."""

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
    """Return the tree's operator files, read once per run."""
    files = context.shared.get("operator files")
    if not isinstance(files, InputFiles):
        files = InputFiles(
            _read(context, _NATIVE_FUNCTIONS),
            _read(context, _TAGS),
            _read(context, _DERIVATIVES),
            _read(context, _DEPRECATED),
            headers_of_formulas(context.root),
            _read(context, _DOCS),
        )
        context.shared["operator files"] = files
    return files


def _read(context: Context, name: str) -> OperatorFile:
    return OperatorFile.read(context.root / name, name)


def _inputs(context: Context) -> Inputs:
    """Return the meaning of the files, built once per run.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    inputs = context.shared.get("operators")
    if not isinstance(inputs, Inputs):
        inputs = _files(context).build()
        context.shared["operators"] = inputs
    return inputs


def _unchanged(context: Context, *others: OperatorFile | None) -> bool:
    """Return whether the operators and other declarations are those of the last run.

    Comments do not count.
    """
    files = (_files(context).native_functions, *others)
    meanings = [file.meaning for file in files if file is not None]
    return context.files.unchanged("".join(meanings) if all(meanings) else "")


def aten(context: Context) -> None:
    """Generate everything under aten/src/ATen."""
    if not _unchanged(context):
        generate.aten(
            _inputs(context).operators,
            context.files,
            limits=context.limits,
            everything=context.everything,
        )


def autograd(context: Context) -> None:
    """Generate autograd kernels and Nodes, under torch/csrc/autograd/generated."""
    if _unchanged(context, _files(context).derivatives):
        return
    inputs = _inputs(context)
    assert inputs.derivatives is not None  # the tree always has the file
    generate.autograd(
        inputs.operators,
        inputs.derivatives,
        context.files,
        limits=context.limits,
        everything=context.everything,
    )


def python(context: Context) -> None:
    """Generate the Python bindings, under torch/csrc/autograd/generated."""
    if _unchanged(context, _files(context).deprecated, _files(context).docs):
        return
    inputs = _inputs(context)
    generate.bindings(
        inputs.operators,
        context.files,
        deprecated=inputs.deprecated,
        docs=inputs.docs,
        limits=context.limits,
    )


def jit(context: Context) -> None:
    """Generate the table of operators by signature, under torch/csrc/jit/generated."""
    if not _unchanged(context):
        generate.jit(_inputs(context).operators, context.files, limits=context.limits)


def pyi(context: Context) -> None:
    """Generate the type stubs, under torch/_C."""
    if not _unchanged(context, _files(context).docs):
        inputs = _inputs(context)
        generate.stubs(inputs.operators, context.files, docs=inputs.docs)

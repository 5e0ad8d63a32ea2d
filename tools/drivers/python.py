"""The stage python: the bindings of the operators."""

from __future__ import annotations

from collections.abc import Mapping

from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.common import AUTOGRAD, Family, Output
from tools.codegen.emit.python import PythonEmitter, python_bindings
from tools.codegen.emit.python_binding import NO_DOCS
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers.context import (
    NO_LIMITS,
    Context,
    Limits,
    inputs,
    operator_files,
    selected,
    templates,
    unchanged,
    write,
)

FAMILIES: Mapping[str, Family[PythonEmitter]] = {"python": python_bindings}


def generate(
    model: Operators,
    output: Output,
    only: str | None = None,
    *,
    deprecated: tuple[DeprecatedSignature, ...] = (),
    docs: OperatorDocs = NO_DOCS,
    limits: Limits = NO_LIMITS,
    selection: Selection | None = None,
) -> None:
    """Write the families of this stage."""
    fingerprints = {f.full_name: docs.content(str(f.func.name.name)) for f in model.functions}
    for signature in deprecated:
        name = signature.function.full_name
        fingerprints[name] += signature.content
    emitter = PythonEmitter(
        model,
        templates("tools/autograd/templates"),
        output,
        directory=AUTOGRAD,
        limits=limits,
        fingerprints=fingerprints,
        deprecated=deprecated,
        docs=docs,
        selection=selection,
    )
    write(emitter, FAMILIES, only)


def stage(context: Context) -> None:
    """Generate the Python bindings, under torch/csrc/autograd/generated."""
    files = operator_files(context)
    if unchanged(context, files.deprecated, files.docs):
        return
    built = inputs(context)
    generate(
        built.operators,
        context.files,
        deprecated=built.deprecated,
        docs=built.docs,
        limits=context.limits,
        selection=selected(context),
    )

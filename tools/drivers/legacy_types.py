"""The stages legacy_types and legacy_types_cuda: a class for each back end and element type."""

from __future__ import annotations

from pathlib import Path

from tools.codegen.emit.common import Emitter, Output
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers.context import (
    NO_LIMITS,
    Context,
    Limits,
    inputs,
    selected,
    templates,
    unchanged,
)
from tools.legacy_types.emit import Methods, TypeEmitter
from tools.legacy_types.model import read_lists

FAMILIES = ("legacy_types",)
_ROOT = Path(__file__).parents[2]
_METHODS = "methods of the type classes"


def generate(model: Operators, output: Output, *, limits: Limits = NO_LIMITS) -> None:
    """Write the files of both stages."""
    emitter = _emitter(model, output, limits, Methods())
    emitter.common_types()
    emitter.cuda_types()


def stage(context: Context) -> None:
    """Generate the interface, and the types of the CPU and of extensions, under aten/src/ATen."""
    if not unchanged(context):
        _emitter_of_stage(context).common_types()


def cuda_stage(context: Context) -> None:
    """Generate the types of CUDA, under aten/src/ATen."""
    if not unchanged(context):
        _emitter_of_stage(context).cuda_types()


def _emitter_of_stage(context: Context) -> TypeEmitter:
    model = inputs(context).operators
    methods = context.shared.setdefault(_METHODS, Methods())
    return _emitter(model, context.files, context.limits, methods, selected(context))


def _emitter(
    model: Operators,
    output: Output,
    limits: Limits,
    methods: Methods,
    selection: Selection | None = None,
) -> TypeEmitter:
    sources = templates("aten/src/ATen/templates")
    emitter = Emitter(model, sources, output, limits=limits, selection=selection)
    return TypeEmitter.of(emitter, read_lists(_ROOT), methods)

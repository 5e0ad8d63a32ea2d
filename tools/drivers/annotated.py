"""The stage annotated: the arguments of the bindings, for tests of torch.overrides."""

from __future__ import annotations

from collections.abc import Mapping

from tools.autograd.annotated_fn_args import annotated_fn_args
from tools.codegen.emit.common import ANNOTATED, Emitter, Family, Output
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers.context import Context, inputs, selected, templates, unchanged, write

FAMILIES: Mapping[str, Family[Emitter]] = {"annotated_fn_args": annotated_fn_args}


def generate(
    model: Operators,
    output: Output,
    only: str | None = None,
    *,
    selection: Selection | None = None,
) -> None:
    """Write the families of this stage."""
    sources = templates("tools/autograd/templates")
    emitter = Emitter(model, sources, output, directory=ANNOTATED, selection=selection)
    write(emitter, FAMILIES, only)


def stage(context: Context) -> None:
    """Generate annotated_fn_args.py, under torch/testing/_internal/generated."""
    if not unchanged(context):
        generate(inputs(context).operators, context.files, selection=selected(context))

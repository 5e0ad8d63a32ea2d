"""The stage jit: the table of operators by signature."""

from __future__ import annotations

from collections.abc import Mapping

from tools.codegen.emit.common import JIT, Emitter, Family, Output
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers.context import NO_LIMITS, Context, Limits, inputs, templates, unchanged, write
from tools.drivers.kernels import selected_with_calls
from tools.jit.gen_register_aten_ops import aten_schema_declarations, register_aten_ops

FAMILIES: Mapping[str, Family[Emitter]] = {"register_aten_ops": register_aten_ops}


def generate(
    model: Operators,
    output: Output,
    only: str | None = None,
    *,
    limits: Limits = NO_LIMITS,
    everything: bool = False,
    selection: Selection | None = None,
) -> None:
    """Write the families of this stage; `everything` adds the schemas, for other tools."""
    sources = templates("tools/jit/templates")
    emitter = Emitter(model, sources, output, directory=JIT, limits=limits, selection=selection)
    write(emitter, FAMILIES, only)
    if everything:
        aten_schema_declarations(emitter)


def stage(context: Context) -> None:
    """Generate the table of operators, under torch/csrc/jit/generated."""
    if not unchanged(context):
        generate(
            inputs(context).operators,
            context.files,
            limits=context.limits,
            everything=context.everything,
            selection=selected_with_calls(context),
        )

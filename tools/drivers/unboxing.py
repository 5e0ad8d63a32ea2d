"""The stage unboxing: functions that take their arguments from a stack, and their table."""

from __future__ import annotations

from collections.abc import Mapping

from tools.codegen.emit.common import Emitter, Family, Output
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers.context import NO_LIMITS, Context, Limits, run_on_operators, templates, write
from tools.jit.unboxing import unboxing

FAMILIES: Mapping[str, Family[Emitter]] = {"unboxing": unboxing}


def generate(
    model: Operators,
    output: Output,
    only: str | None = None,
    *,
    limits: Limits = NO_LIMITS,
    selection: Selection | None = None,
) -> None:
    """Write the families of this stage."""
    sources = templates("tools/jit/templates")
    write(Emitter(model, sources, output, limits=limits, selection=selection), FAMILIES, only)


def stage(context: Context) -> None:
    """Generate the functions and their table, under aten/src/ATen."""
    run_on_operators(context, generate)

"""The stage static_runtime and the command gen_static_runtime_ops."""

from __future__ import annotations

from tools.codegen.emit.common import Emitter, Output
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers import checkout_command
from tools.drivers.context import NO_LIMITS, Context, Limits, run_on_operators, templates
from tools.jit.static_runtime import DIRECTORY, static_operators


def stage(context: Context) -> None:
    """Generate the kernels and their tables, under torch/csrc/jit/runtime/static."""
    run_on_operators(context, generate)


def generate(
    model: Operators,
    output: Output,
    directory: str = DIRECTORY,
    *,
    limits: Limits = NO_LIMITS,
    selection: Selection | None = None,
) -> None:
    """Write the kernels; without limits, in one file."""
    emitter = Emitter(
        model,
        templates("tools/jit/templates"),
        output,
        directory=directory,
        limits=limits,
        selection=selection,
    )
    static_operators(emitter)


def main(arguments: list[str]) -> int:
    """Write kernels of operators that compute into a given tensor, for torch.jit._static_runtime."""
    return checkout_command.run(
        "gen_static_runtime_ops",
        str(main.__doc__),
        lambda _, operators, files: generate(operators, files, directory=""),
        arguments,
    )

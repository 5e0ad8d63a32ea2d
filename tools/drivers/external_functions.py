"""The stage external_functions and the command gen_external_functions."""

from __future__ import annotations

from tools.codegen.emit.common import Emitter, Output
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers import checkout_command
from tools.drivers.context import NO_LIMITS, Context, Limits, run_on_operators, templates
from tools.jit.external_functions import DIRECTORY, external_functions


def stage(context: Context) -> None:
    """Generate the functions and their registrations, under torch/csrc/jit/tensorexpr."""
    run_on_operators(context, generate)


def generate(
    model: Operators,
    output: Output,
    directory: str = DIRECTORY,
    *,
    limits: Limits = NO_LIMITS,
    selection: Selection | None = None,
) -> None:
    """Write the functions; without limits, in one file."""
    emitter = Emitter(
        model,
        templates("tools/jit/templates"),
        output,
        directory=directory,
        limits=limits,
        selection=selection,
    )
    external_functions(emitter)


def main(arguments: list[str]) -> int:
    """Write functions over raw memory that call the out= variants of operators."""
    return checkout_command.run(
        "gen_external_functions",
        str(main.__doc__),
        lambda _, operators, files: generate(operators, files, directory=""),
        arguments,
    )

"""The stage external_functions and the command gen_external_functions."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.base.file_manager import FileManager
from tools.codegen.command import run_command
from tools.codegen.emit.common import Emitter, Output
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators
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
from tools.jit.external_functions import DIRECTORY, external_functions

_ROOT = Path(__file__).parents[2]


def stage(context: Context) -> None:
    """Generate the functions and their registrations, under torch/csrc/jit/tensorexpr."""
    if not unchanged(context):
        generate(
            inputs(context).operators,
            context.files,
            limits=context.limits,
            selection=selected(context),
        )


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
    parser = argparse.ArgumentParser(
        prog="python -m tools.jit.gen_external_functions", description=main.__doc__
    )
    parser.add_argument(
        "-s", "--source-path", type=Path, default=_ROOT, metavar="DIR", help="the checkout"
    )
    parser.add_argument(
        "-d", "--install-dir", "--install_dir", type=Path, required=True, metavar="DIR"
    )
    options = parser.parse_args(arguments)
    return run_command("gen_external_functions", lambda: _write(options))


def _write(options: argparse.Namespace) -> None:
    native = options.source_path / "aten/src/ATen/native"
    operators = build_operators(
        OperatorFile.read(native / "native_functions.yaml"), OperatorFile.read(native / "tags.yaml")
    )
    files = FileManager(options.install_dir, "")
    generate(operators, files, directory="")
    files.make()
    options.install_dir.mkdir(parents=True, exist_ok=True)
    files.commit(files.outputs)

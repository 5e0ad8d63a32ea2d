"""The stage shape_functions and the command gen_jit_shape_functions: shape functions for C++."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.base.file_manager import FileManager
from tools.codegen.command import run_command
from tools.codegen.emit.common import JIT, Emitter, Output
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators
from tools.drivers.context import Context, inputs, templates
from tools.jit.shape_functions import TABLE, read_shape_functions, shape_functions

_ROOT = Path(__file__).parents[2]


def stage(context: Context) -> None:
    """Generate serialized_shape_function_registry.cpp, under torch/csrc/jit/generated."""
    generate(context.root, inputs(context).operators, context.files)


def generate(root: Path, model: Operators, output: Output, directory: str = JIT) -> None:
    """Write the shape functions of a checkout."""
    sources = templates("tools/jit/templates")
    emitter = Emitter(model, sources, output, directory=directory, sources=Path(TABLE).name)
    shape_functions(emitter, *read_shape_functions(root, model))


def main(arguments: list[str]) -> int:
    """Write the shape functions of a checkout as TorchScript, with the table of their operators."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.jit.gen_jit_shape_functions", description=main.__doc__
    )
    parser.add_argument(
        "-s", "--source-path", type=Path, default=_ROOT, metavar="DIR", help="the checkout"
    )
    parser.add_argument(
        "-d", "--install-dir", "--install_dir", type=Path, required=True, metavar="DIR"
    )
    options = parser.parse_args(arguments)
    return run_command("gen_jit_shape_functions", lambda: _write(options))


def _write(options: argparse.Namespace) -> None:
    native = options.source_path / "aten/src/ATen/native"
    operators = build_operators(
        OperatorFile.read(native / "native_functions.yaml"), OperatorFile.read(native / "tags.yaml")
    )
    files = FileManager(options.install_dir, "")
    generate(options.source_path, operators, files, directory="")
    files.make()
    options.install_dir.mkdir(parents=True, exist_ok=True)
    files.commit(files.outputs)

"""The stages shape_functions and decompositions, and their commands: programs of TorchScript for C++."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.base.file_manager import FileManager
from tools.codegen.command import run_command
from tools.codegen.emit.common import Emitter, Output
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators
from tools.drivers.context import Context, inputs, templates
from tools.jit.registries import (
    DECOMPOSITIONS,
    SHAPE_FUNCTIONS,
    Registry,
    emit_registry,
    read_registry,
)

_ROOT = Path(__file__).parents[2]


def shape_functions(context: Context) -> None:
    """Generate serialized_shape_function_registry.cpp, under torch/csrc/jit/generated."""
    _stage(SHAPE_FUNCTIONS, context)


def decompositions(context: Context) -> None:
    """Generate decomposition_registry_util.cpp, under torch/csrc/jit/runtime."""
    _stage(DECOMPOSITIONS, context)


def _stage(registry: Registry, context: Context) -> None:
    model = inputs(context).operators
    generate(registry, context.root, model, context.files, registry.directory)


def generate(
    registry: Registry, root: Path, model: Operators, output: Output, directory: str = ""
) -> None:
    """Write the programs of a checkout into a directory of the output."""
    sources = templates("tools/jit/templates")
    emitter = Emitter(
        model, sources, output, directory=directory, sources=Path(registry.table).name
    )
    emit_registry(emitter, registry, *read_registry(registry, root, model))


def main(registry: Registry, command: str, arguments: list[str]) -> int:
    """Run a command that writes the programs of a checkout as TorchScript, and return its status."""
    parser = argparse.ArgumentParser(
        prog=f"python -m tools.jit.{command}",
        description=f"Write the {registry.kind}s of a checkout as TorchScript, with the table of "
        "their operators.",
    )
    parser.add_argument(
        "-s", "--source-path", type=Path, default=_ROOT, metavar="DIR", help="the checkout"
    )
    parser.add_argument(
        "-d", "--install-dir", "--install_dir", type=Path, required=True, metavar="DIR"
    )
    options = parser.parse_args(arguments)
    return run_command(command, lambda: _write(registry, options))


def _write(registry: Registry, options: argparse.Namespace) -> None:
    native = options.source_path / "aten/src/ATen/native"
    operators = build_operators(
        OperatorFile.read(native / "native_functions.yaml"), OperatorFile.read(native / "tags.yaml")
    )
    files = FileManager(options.install_dir, "")
    generate(registry, options.source_path, operators, files)
    files.make()
    options.install_dir.mkdir(parents=True, exist_ok=True)
    files.commit(files.outputs)

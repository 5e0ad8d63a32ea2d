"""The stages shape_functions and decompositions, and their commands: programs of TorchScript for C++."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tools.codegen.emit.common import Emitter, Output
from tools.codegen.model import Operators
from tools.drivers import checkout_command
from tools.drivers.context import Context, inputs, templates
from tools.jit.registries import (
    DECOMPOSITIONS,
    SHAPE_FUNCTIONS,
    Registry,
    emit_registry,
    read_registry,
)


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
    description = f"Write the {registry.kind}s of a checkout as TorchScript, with the table of their operators."
    return checkout_command.run(command, description, partial(generate, registry), arguments)

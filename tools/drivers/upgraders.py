"""The stage upgraders: what operators did in old versions, for archives of that time."""

from __future__ import annotations

from tools.codegen.emit.common import Emitter, Output
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile
from tools.drivers.context import Context, inputs, templates, unchanged
from tools.jit.gen_upgraders import operator_upgraders
from tools.jit.upgraders import read_upgraders

_UPGRADERS = "aten/src/ATen/native/upgraders.yaml"
_DIRECTORY = "torch/jit/generated"


def generate(model: Operators, file: OperatorFile, output: Output) -> None:
    """Write operator_upgraders.py."""
    sources = templates("tools/jit/templates")
    emitter = Emitter(model, sources, output, directory=_DIRECTORY, sources="upgraders.yaml")
    operator_upgraders(emitter, read_upgraders(file, model))


def stage(context: Context) -> None:
    """Generate operator_upgraders.py, under torch/jit/generated."""
    file = OperatorFile.read(context.root / _UPGRADERS, _UPGRADERS)
    if not unchanged(context, file):
        generate(inputs(context).operators, file, context.files)

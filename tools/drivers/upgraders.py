"""The stage upgraders: what operators did in old versions, and their tags, as tables for Python."""

from __future__ import annotations

from tools.codegen.emit.common import Emitter, Output
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile
from tools.drivers.context import Context, inputs, templates, unchanged
from tools.jit.gen_operator_tags import operator_tags
from tools.jit.gen_upgraders import operator_upgraders
from tools.jit.upgraders import read_upgraders

_UPGRADERS = "aten/src/ATen/native/upgraders.yaml"
_DIRECTORY = "torch/jit/generated"


def generate(model: Operators, file: OperatorFile, output: Output) -> None:
    """Write operator_upgraders.py."""
    sources = templates("tools/jit/templates")
    emitter = Emitter(model, sources, output, directory=_DIRECTORY, sources="upgraders.yaml")
    operator_upgraders(emitter, read_upgraders(file, model))


def generate_tags(model: Operators, output: Output) -> None:
    """Write operator_tags.py."""
    emitter = Emitter(model, templates("tools/jit/templates"), output, directory=_DIRECTORY)
    operator_tags(emitter, model.functions)


def stage(context: Context) -> None:
    """Generate operator_upgraders.py and operator_tags.py, under torch/jit/generated."""
    file = OperatorFile.read(context.root / _UPGRADERS, _UPGRADERS)
    if not unchanged(context, file):
        operators = inputs(context).operators
        generate(operators, file, context.files)
        generate_tags(operators, context.files)

"""The stage autograd: the autograd kernels, their Nodes, and the Nodes' Python classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tools.autograd.emission import AutogradEmitter, AutogradFamily
from tools.autograd.gen_autograd_functions import autograd_functions
from tools.autograd.gen_inplace_or_view_type import inplace_or_view_type
from tools.autograd.gen_python_functions import python_functions
from tools.autograd.gen_trace_type import trace_type
from tools.autograd.gen_variable_factories import variable_factories
from tools.autograd.gen_variable_type import variable_type
from tools.autograd.model import Derivatives
from tools.codegen.emit.common import AUTOGRAD, Output
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers.context import (
    NO_LIMITS,
    Context,
    Limits,
    inputs,
    operator_files,
    selected,
    templates,
    unchanged,
    write,
)

FAMILIES: Mapping[str, AutogradFamily] = {
    "autograd_functions": autograd_functions,
    "variable_type": variable_type,
    "inplace_or_view_type": inplace_or_view_type,
    "trace_type": trace_type,
    "variable_factories": variable_factories,
    "python_functions": python_functions,
}
_SHARDED = ("autograd_functions", "variable_type", "inplace_or_view_type", "trace_type")


def generate(
    model: Operators,
    derivatives: Derivatives,
    output: Output,
    only: str | None = None,
    *,
    limits: Limits = NO_LIMITS,
    everything: bool = False,
    selection: Selection | None = None,
) -> None:
    """Write the families of this stage; `everything` adds each sharded family in one file."""
    if selection is not None:
        derivatives = derivatives.restricted(selection.trains)
    emitter = AutogradEmitter(
        model,
        templates("tools/autograd/templates"),
        output,
        directory=AUTOGRAD,
        limits=limits,
        sources="native_functions.yaml, derivatives.yaml",
        fingerprints={f.full_name: derivatives.digest(f) for f in model.functions},
        derivatives=derivatives,
        selection=selection,
    )
    write(emitter, FAMILIES, only)
    if everything:
        whole = replace(emitter, everything=True)
        for name in _SHARDED:
            FAMILIES[name](whole)


def stage(context: Context) -> None:
    """Generate autograd kernels and Nodes, under torch/csrc/autograd/generated."""
    if unchanged(context, operator_files(context).derivatives):
        return
    built = inputs(context)
    assert built.derivatives is not None  # the tree always has the file
    generate(
        built.operators,
        built.derivatives,
        context.files,
        limits=context.limits,
        everything=context.everything,
        selection=selected(context),
    )

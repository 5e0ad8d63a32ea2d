"""All stages at once, for the command line and for tests."""

from __future__ import annotations

from tools.autograd.model import Derivatives
from tools.codegen.cache import Cache
from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.common import Output
from tools.codegen.emit.python_binding import NO_DOCS
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers import annotated, aten, autograd, jit, pyi, python
from tools.drivers.context import NO_LIMITS, Limits

_STAGES = (aten, autograd, python, jit, pyi, annotated)
MODULES = frozenset(stage.__name__ for stage in _STAGES)
"""The modules whose families are written without being named."""
_BY_NAME = ("unboxing", "legacy_types", "aten_op")
FAMILIES = (*(name for stage in _STAGES for name in stage.FAMILIES), *_BY_NAME)
"""The names that --only accepts."""


def generate(
    model: Operators,
    output: Output,
    only: str | None = None,
    *,
    derivatives: Derivatives | None = None,
    deprecated: tuple[DeprecatedSignature, ...] = (),
    docs: OperatorDocs = NO_DOCS,
    limits: Limits = NO_LIMITS,
    everything: bool = False,
    cache: Cache | None = None,
    selection: Selection | None = None,
) -> None:
    """Write every family, or only the family `only`; without derivatives, skip autograd's families.

    `limits` is how many operators go into one file of each sharded family; `cache` holds results of
    the last run. The families unboxing, legacy_types and aten_op, of stages that are off by
    default, are written only by name; unboxing for the operators of `selection`.
    """
    if only in _BY_NAME:
        _generate_by_name(only, model, output, limits, selection)
        return
    cache = cache or Cache()
    aten.generate(model, output, only, limits=limits, everything=everything, cache=cache)
    if derivatives is not None:
        autograd.generate(model, derivatives, output, only, limits=limits, everything=everything)
    python.generate(model, output, only, deprecated=deprecated, docs=docs, limits=limits)
    jit.generate(model, output, only, limits=limits, everything=everything)
    pyi.generate(model, output, only, docs=docs, cache=cache)
    annotated.generate(model, output, only)


def _generate_by_name(
    family: str, model: Operators, output: Output, limits: Limits, selection: Selection | None
) -> None:
    """Write a family of a stage that is off by default; only then is its driver imported."""
    match family:
        case "unboxing":
            from tools.drivers import unboxing

            unboxing.generate(model, output, limits=limits, selection=selection)
        case "legacy_types":
            from tools.drivers import legacy_types

            legacy_types.generate(model, output, limits=limits)
        case "aten_op":
            from tools.drivers import caffe2

            caffe2.generate(model, output, limits=limits)

"""All stages at once, for the command line and for tests."""

from __future__ import annotations

from collections.abc import Container

from tools.autograd.model import Derivatives
from tools.codegen.cache import Cache
from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.common import Output
from tools.codegen.emit.python_binding import NO_DOCS
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers import (
    annotated,
    aten,
    autograd,
    caffe2,
    jit,
    legacy_types,
    pyi,
    python,
    unboxing,
)
from tools.drivers.context import NO_LIMITS, Limits

_STAGES = (aten, autograd, python, jit, pyi, annotated, unboxing, legacy_types, caffe2)
FAMILIES = tuple(name for stage in _STAGES for name in stage.FAMILIES)
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
    all_families: bool = False,
    cache: Cache | None = None,
    selection: Selection | None = None,
) -> None:
    """Write every family, or only the family `only`; without derivatives, skip autograd's families.

    `limits` is how many operators go into one file of each sharded family; `cache` holds results of
    the last run. The families of stages that are off by default (unboxing, legacy_types and
    aten_op) are written only by name or with `all_families`; unboxing for the operators of
    `selection`.
    """
    cache = cache or Cache()
    aten.generate(model, output, only, limits=limits, everything=everything, cache=cache)
    if derivatives is not None:
        autograd.generate(model, derivatives, output, only, limits=limits, everything=everything)
    python.generate(model, output, only, deprecated=deprecated, docs=docs, limits=limits)
    jit.generate(model, output, only, limits=limits, everything=everything)
    pyi.generate(model, output, only, docs=docs, cache=cache)
    annotated.generate(model, output, only)

    def has(families: Container[str]) -> bool:
        return all_families if only is None else only in families

    if has(unboxing.FAMILIES):
        unboxing.generate(model, output, only, limits=limits, selection=selection)
    if has(legacy_types.FAMILIES):
        legacy_types.generate(model, output, limits=limits)
    if has(caffe2.FAMILIES):
        caffe2.generate(model, output, only, limits=limits)

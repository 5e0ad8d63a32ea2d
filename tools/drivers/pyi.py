"""The stage pyi: the type stubs of torch._C."""

from __future__ import annotations

from collections.abc import Mapping

from tools.codegen.cache import Cache
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.common import STUBS, Family, Output
from tools.codegen.emit.python_binding import NO_DOCS
from tools.codegen.model import Operators
from tools.drivers.context import Context, inputs, operator_files, templates, unchanged, write
from tools.pyi.stubs import StubEmitter, stubs

FAMILIES: Mapping[str, Family[StubEmitter]] = {"pyi": stubs}


def generate(
    model: Operators,
    output: Output,
    only: str | None = None,
    *,
    docs: OperatorDocs = NO_DOCS,
    cache: Cache | None = None,
) -> None:
    """Write the families of this stage."""
    emitter = StubEmitter(
        model,
        templates("tools/pyi"),
        output,
        directory=STUBS,
        fingerprints={f.full_name: docs.summary(str(f.func.name.name)) for f in model.functions},
        cache=cache or Cache(),
        docs=docs,
    )
    write(emitter, FAMILIES, only)


def stage(context: Context) -> None:
    """Generate the type stubs, under torch/_C."""
    if not unchanged(context, operator_files(context).docs):
        built = inputs(context)
        generate(built.operators, context.files, docs=built.docs)

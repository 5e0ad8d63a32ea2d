"""The stage pyi: the type stubs of torch._C, and of names that packages of torch get at run time."""

from __future__ import annotations

from collections.abc import Mapping

from tools.base.fingerprint import digest_text
from tools.base.globs import find_files
from tools.codegen.cache import Cache
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.common import STUBS, Family, Output
from tools.codegen.emit.python_binding import NO_DOCS
from tools.codegen.model import Operators
from tools.drivers.context import Context, inputs, operator_files, templates, unchanged, write
from tools.pyi.late_names import SOURCES
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
    root = context.root
    texts = [(root / path).read_text(encoding="utf-8") for path in find_files(root, SOURCES)]
    if not unchanged(context, operator_files(context).docs, sources=digest_text(*texts)):
        built = inputs(context)
        generate(built.operators, context.files, docs=built.docs)

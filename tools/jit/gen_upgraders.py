"""operator_upgraders.py: what operators did in old versions, as Python functions with a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tools.codegen.emit.common import Emitter
from tools.codegen.templates import Templates
from tools.jit.upgraders import Upgrader

FILE = "operator_upgraders.py"
_TEMPLATE = f"{FILE}.in"


def operator_upgraders(emitter: Emitter, upgraders: Sequence[Upgrader]) -> None:
    """Emit one function and one row for each upgrader."""
    emitter.file(
        FILE, _TEMPLATE, (), partial(_holes, emitter.templates, upgraders), repr(upgraders)
    )


def _holes(templates: Templates, upgraders: Sequence[Upgrader]) -> Mapping[str, str]:
    program = templates.section(_TEMPLATE, "program")
    row = templates.section(_TEMPLATE, "row")
    return {
        "programs": "".join(
            program.fill(
                name=upgrader.name,
                parameters=upgrader.parameters,
                body=upgrader.program.rstrip("\n"),
            )
            for upgrader in upgraders
        ),
        "rows": "".join(
            row.fill(
                operator=f"aten::{upgrader.schema.name}",
                first=str(upgrader.first),
                last=str(upgrader.last),
                schema=f"aten::{upgrader.schema}",
                name=upgrader.name,
            )
            for upgrader in upgraders
        ),
    }

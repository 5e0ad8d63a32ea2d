"""operator_tags.py: the tags of operators, for torch.ops and torch.Tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tools.codegen.emit.common import Emitter
from tools.codegen.model import NativeFunction
from tools.codegen.templates import Templates

FILE = "operator_tags.py"
_TEMPLATE = f"{FILE}.in"
_OF_ALL = "pt2_compliant_tag"


def operator_tags(emitter: Emitter, functions: Sequence[NativeFunction]) -> None:
    """Emit one row for each operator with a tag of its own."""
    tagged = [f for f in functions if f.namespace == "aten" and f.tags - {_OF_ALL}]
    emitter.file(FILE, _TEMPLATE, tagged, partial(_holes, emitter.templates, tagged))


def _holes(templates: Templates, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    row = templates.section(_TEMPLATE, "row")
    return {
        "rows": "".join(
            row.fill(operator=str(f.func.name), tags=" ".join(sorted(f.tags - {_OF_ALL})))
            for f in functions
        )
    }

"""Tags that PyTorch grants unwritten."""

from __future__ import annotations

from tools.codegen.schema import FunctionSchema, SchemaKind

_COMPLIANT = frozenset({"pt2_compliant_tag"})
_OF_KIND = {SchemaKind.inplace: frozenset({"inplace"}), SchemaKind.out: frozenset({"out"})}


def implied_tags(namespace: str, func: FunctionSchema) -> frozenset[str]:
    """What the kind of the operator says, and that operators of aten suit the compiler."""
    of_kind = _OF_KIND.get(func.kind, frozenset())
    return of_kind | _COMPLIANT if namespace == "aten" else of_kind

"""Tags that PyTorch adds without an entry naming them."""

from __future__ import annotations

from tools.codegen.schema import FunctionSchema, SchemaKind

_COMPLIANT = frozenset({"pt2_compliant_tag"})
_OF_KIND = {SchemaKind.inplace: frozenset({"inplace"}), SchemaKind.out: frozenset({"out"})}


def implied_tags(namespace: str, func: FunctionSchema) -> frozenset[str]:
    """Return the tags implied by the operator's kind and namespace."""
    of_kind = _OF_KIND.get(func.kind, frozenset())
    return of_kind | _COMPLIANT if namespace == "aten" else of_kind

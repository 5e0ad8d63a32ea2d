"""Give a value of a trace a type."""

from __future__ import annotations

from typing import Any

from torch.fx.proxy import Proxy

__all__ = ["annotate"]


def annotate(val: Any, type: Any) -> Any:
    """Give the value that a trace records a type, which the generated code shows.

    Args:
        val: A value; one that is not traced is returned unchanged.
        type: Its type.

    Raises:
        RuntimeError: If the value has a type already.

    Example:
        >>> import torch.fx
        >>> from torch.fx.annotate import annotate
        >>> traced = torch.fx.symbolic_trace(lambda x: annotate(x + 1, int))
        >>> "add : int = x + 1" in traced.code
        True
    """
    if not isinstance(val, Proxy):
        return val
    if val.node.type:
        raise RuntimeError(
            "Tried to annotate a value that already had a type on it! Existing type is "
            f"{val.node.type} and new type is {type}. This could happen if you tried to annotate a "
            "function parameter value (in which case you should use the type slot on the function "
            "signature) or you called annotate on the same value twice"
        )
    val.node.type = type
    return val

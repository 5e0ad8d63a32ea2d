"""Where in the traced program a node comes from."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

__all__ = ["has_preserved_node_meta"]

_current_meta: dict[str, Any] = {}
_preserve = False


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """Keep the meta information of the node that runs while a block lasts."""
    global _preserve, _current_meta
    before, meta_before = _preserve, dict(_current_meta)
    _preserve = enable
    try:
        yield
    finally:
        _preserve, _current_meta = before, meta_before


@contextlib.contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """Make the meta information of a node current while a block lasts."""
    global _current_meta
    before = _current_meta
    if _preserve and node.meta:
        _current_meta = dict(node.meta)
    try:
        yield
    finally:
        _current_meta = before


@contextlib.contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Add information to the nodes that are created while a block lasts."""
    global _current_meta
    before = _current_meta
    custom = {**_current_meta.get("custom", {}), **annotation_dict}
    _current_meta = {**_current_meta, "custom": custom}
    try:
        yield
    finally:
        _current_meta = before


def has_preserved_node_meta() -> bool:
    """Return whether meta information is kept.

    Example:
        >>> from torch.fx.traceback import has_preserved_node_meta
        >>> has_preserved_node_meta()
        False
    """
    return _preserve


def get_current_meta() -> dict[str, Any]:
    """Return the current meta information."""
    return _current_meta


def set_stack_trace(stack: list[str]) -> None:
    """Set the current stack."""
    if _preserve and stack:
        _current_meta["stack_trace"] = "".join(stack)


def format_stack() -> list[str]:
    """Return the current stack as lines."""
    import traceback

    if _preserve:
        return [_current_meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])

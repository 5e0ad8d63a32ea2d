"""Operators that take functions: control flow and scans, which run their functions eagerly."""

from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.control_flow import cond, map, scan, while_loop
from torch._named_parts import NamedParts as _NamedParts

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]

_NamedParts(
    __name__,
    {"inline_asm_elementwise": "inline_asm_elementwise"},
    "{name} needs a GPU and Triton, which this build does not use",
).install()

"""Operators that take functions: control flow and scans, which run their functions eagerly."""

from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.control_flow import cond, map, scan, while_loop

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]

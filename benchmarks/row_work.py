"""The least work of a timed call: the bytes of its operands and results, and its multiply-adds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any


def tensors_in(value: Any) -> Iterator[Any]:
    """Yield the tensors of a value, which may be a list or a tuple of values."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)


def is_fixed(index: ast.expr) -> bool:
    """Return whether an index names no variables: it only takes a part of its operand."""
    return not any(isinstance(node, ast.Name) for node in ast.walk(index))


def operands(node: ast.AST, names: dict[str, Any]) -> Iterator[Any]:
    """Yield the tensors that an expression reads, parts of tensors as parts."""
    if isinstance(node, ast.Name):
        yield from tensors_in(names.get(node.id))
    elif isinstance(node, ast.Subscript) and is_fixed(node):
        return
    elif isinstance(node, ast.Subscript) and is_fixed(node.slice):
        yield from tensors_in(eval(compile(ast.Expression(node), "<row>", "eval"), names))
    else:
        for child in ast.iter_child_nodes(node):
            yield from operands(child, names)


def count_bytes(tensors: list[Any]) -> int:
    """Return the bytes of tensors, those that share memory once."""
    sizes: dict[int, int] = {}
    for tensor in tensors:
        storage = tensor.untyped_storage()
        size = min(tensor.numel() * tensor.element_size(), storage.nbytes())
        place = storage.data_ptr()
        sizes[place] = max(sizes.get(place, 0), size)
    return sum(sizes.values())


def row_work(call: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a call once; return its bytes, its floating-point operations and whether in double."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    read = list(operands(ast.parse(call, mode="eval"), names))
    try:
        with FlopCounterMode(display=False) as counter:
            result = eval(call, names)
        operations = counter.get_total_flops()
    except Exception:  # not every operator can run in a mode
        result, operations = eval(call, names), 0
    touched = read + list(tensors_in(result))
    double = any(tensor.dtype == torch.float64 for tensor in touched)
    return {"bytes": count_bytes(touched), "operations": operations, "double": double}

"""Functions whose arguments Python unpacks before an operator sees them."""

from __future__ import annotations

import torch
from torch import _VF

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs a tenth of `import torch`
    from collections.abc import Sequence
    from typing import Any

Tensor = torch.Tensor

__all__ = [
    "atleast_1d",
    "broadcast_shapes",
    "broadcast_tensors",
    "einsum",
    "norm",
    "split",
]


def broadcast_tensors(*tensors: Any) -> list[Tensor]:
    """Views of the tensors expanded to their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    return _VF.broadcast_tensors(tensors)


def broadcast_shapes(*shapes: Any) -> torch.Size:
    """The shape that tensors of these shapes broadcast to; RuntimeError where they do not."""
    sizes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    result = [1] * max([0, *map(len, sizes)])
    for shape in sizes:
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] < 0:
                raise RuntimeError(
                    f"Trying to create tensor with negative dimension ({shape[i]}): ({shape[i]})"
                )
            if shape[i] in (1, result[i]):
                continue
            if result[i] != 1:
                raise RuntimeError(
                    "Shape mismatch: objects cannot be broadcast to a single shape: "
                    + ", ".join(map(str, sizes))
                )
            result[i] = shape[i]
    return torch.Size(result)


def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Views of equal pieces (the last may be shorter), or of the given lengths."""
    return tensor.split(split_size_or_sections, dim)


def _letters(subscripts: Sequence[Any]) -> str:
    """A sublist of einsum's second notation, [0, Ellipsis, 27], as letters."""
    text = ""
    for each in subscripts:
        if each is ...:
            text += "..."
        elif 0 <= each < 52:
            text += chr(ord("A") + each) if each < 26 else chr(ord("a") + each - 26)
        else:
            raise ValueError("einsum(): a subscript in a sublist must be in range [0, 52)")
    return text


def einsum(*args: Any) -> Tensor:
    """Sums of products by Einstein's convention: `einsum("ij,jk->ik", a, b)`.

    Also takes operands and sublists: `einsum(a, [0, 1], b, [1, 2], [0, 2])`.
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    if isinstance(args[0], torch.Tensor):
        operands = list(args[0 : len(args) // 2 * 2 : 2])
        equation = ",".join(_letters(args[i]) for i in range(1, len(args), 2))
        if len(args) % 2 == 1:
            equation += "->" + _letters(args[-1])
    else:
        equation, operands = args[0], list(args[1:])
        if len(operands) == 1 and isinstance(operands[0], list | tuple):
            operands = list(operands[0])
    return _VF.einsum(equation, operands)


def atleast_1d(*tensors: Any) -> Any:
    """Tensors with at least one dimension; a single one comes back alone."""
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    result = tuple(each.reshape(1) if each.dim() == 0 else each for each in tensors)
    return result[0] if len(result) == 1 else result


def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The vector norm of order p over dim (all dimensions when None): (sum |x|^p)^(1/p)."""
    if p == "nuc":
        raise NotImplementedError("norm(): the nuclear norm is not supported yet")
    order = 2.0 if p in ("fro", None) else p
    dims = [dim] if isinstance(dim, int) else (None if dim is None else list(dim))
    kwargs: dict[str, Any] = {} if out is None else {"out": out}
    return torch._C._linalg.linalg_vector_norm(input, order, dims, keepdim, dtype=dtype, **kwargs)

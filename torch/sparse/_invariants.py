"""The rules that indices, values and size of a sparse tensor obey, most of them for compressed ones."""

from __future__ import annotations

from typing import Any

import torch
from torch.sparse._layouts import CompressedLayout

Tensor = torch.Tensor
_DTYPES = {
    torch.int64: "Long",
    torch.int32: "Int",
    torch.int16: "Short",
    torch.int8: "Char",
    torch.uint8: "Byte",
    torch.bool: "Bool",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.float32: "Float",
    torch.float64: "Double",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}


def scalar_name(dtype: torch.dtype) -> str:
    """Return what errors call a dtype."""
    return _DTYPES.get(dtype, str(dtype))


def check_not_negative(size: torch.Size) -> None:
    """Check that no dimension is negative.

    Raises:
        RuntimeError: If one is; the message is PyTorch's.
    """
    if any(n < 0 for n in size):
        raise RuntimeError("numel: integer multiplication overflow")


def check_dimensions(
    kind: CompressedLayout, compressed: Tensor, plain: Tensor, values: Tensor
) -> None:
    """Check that the numbers of dimensions fit together.

    Raises:
        RuntimeError: If they do not.
    """
    _require(
        compressed.dim() >= 1,
        f"{kind.compressed_name} must have dimensionality >= 1 but got {compressed.dim()}",
    )
    _require(
        compressed.dim() == plain.dim(),
        f"{kind.compressed_name} and {kind.plain_name} dimensionalities must be equal but got "
        f"{compressed.dim()} and {plain.dim()}, respectively",
    )
    batch = compressed.dim() - 1
    _require(
        values.dim() > batch + kind.block_dims,
        "values must have dimensionality > sum of batch and block dimensionalities "
        f"(={batch} + {kind.block_dims}) but got {values.dim()}",
    )


def check_all(
    kind: CompressedLayout, compressed: Tensor, plain: Tensor, values: Tensor, size: Any
) -> None:
    """Check all rules that the parts of a tensor obey.

    Raises:
        RuntimeError: For the first rule that is not obeyed.
    """
    names = {kind.compressed_name: compressed, kind.plain_name: plain}
    for name, indices in names.items():
        contiguous = not indices.dim() or indices.stride(-1) == 1 or indices.size(-1) <= 1
        _require(contiguous, f"expected {name} to be a contiguous tensor per batch")
    check_dimensions(kind, compressed, plain, values)
    _check_sizes(kind, compressed, plain, values, size)
    _require(
        compressed.dtype == plain.dtype,
        f"{kind.compressed_name} and {kind.plain_name} must have the same dtype, bot got "
        f"{scalar_name(compressed.dtype)} and {scalar_name(plain.dtype)}, respectively",
    )
    _require(
        compressed.dtype in (torch.int32, torch.int64),
        f"{kind.compressed_name} and {kind.plain_name} dtype must be Int or Long, but got "
        f"{scalar_name(compressed.dtype)}",
    )
    _check_indices(kind, compressed, plain, _lengths(kind, compressed, values, size)[1])


def _check_sizes(
    kind: CompressedLayout, compressed: Tensor, plain: Tensor, values: Tensor, size: Any
) -> None:
    batch = compressed.dim() - 1
    dense = values.dim() - batch - kind.block_dims - 1
    _require(
        len(size) == batch + 2 + dense,
        "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
        f"(={batch} + 2 + {dense}) but got {len(size)}",
    )
    _require(
        tuple(size[:batch])
        == tuple(compressed.shape[:-1])
        == tuple(plain.shape[:-1])
        == tuple(values.shape[:batch]),
        f"all batch dimensions of {kind.compressed_name} (={list(compressed.shape[:-1])}), "
        f"{kind.plain_name} (={list(plain.shape[:-1])}), and values "
        f"(={list(values.shape[:batch])}) must be equal to tensor batch dimensions "
        f"(={list(size[:batch])})",
    )
    _require(
        plain.size(-1) == values.size(batch),
        f"{kind.plain_name}.shape[-1] must be equal to nnz (={values.size(batch)}) as defined by "
        f"values.shape[{batch}], but got {plain.size(-1)}",
    )
    if kind.has_blocks:
        for i in (0, 1):
            length, block = size[batch + i], values.size(batch + 1 + i)
            _require(
                block > 0 and length % block == 0,
                f"tensor shape[{i}] (={length}) must be divisible with blocksize[{i}] (={block}) "
                "as defined by values shape",
            )
    lines, _ = _lengths(kind, compressed, values, size)
    what = ("row" if kind.by_rows else "column") + (" blocks" if kind.has_blocks else "s")
    _require(
        compressed.size(-1) == lines + 1,
        f"{kind.compressed_name}.shape[-1] must be equal to the number of {what} + 1 "
        f"(={lines + 1}), but got {compressed.size(-1)}",
    )


def _lengths(
    kind: CompressedLayout, compressed: Tensor, values: Tensor, size: Any
) -> tuple[int, int]:
    """Return the numbers of compressed and of plain lines, in blocks."""
    batch = compressed.dim() - 1
    blocks = values.shape[batch + 1 : batch + 3] if kind.has_blocks else (1, 1)
    lengths = [size[batch + i] // blocks[i] for i in (0, 1)]
    return (lengths[0], lengths[1]) if kind.by_rows else (lengths[1], lengths[0])


def _check_indices(kind: CompressedLayout, compressed: Tensor, plain: Tensor, length: int) -> None:
    """Check the values of the indices, if they have any; `length` is the number of plain lines."""
    if compressed.is_meta:
        return
    cname, pname = kind.compressed_name, kind.plain_name
    lines, limit = ("nrows", "ncols") if kind.by_rows else ("ncols", "nrows")
    counts = compressed.diff(dim=-1)
    _satisfied((compressed[..., 0] == 0).all(), f"{cname}[..., 0] == 0")
    _satisfied((compressed[..., -1] == plain.size(-1)).all(), f"{cname}[..., -1] == nnz")
    _satisfied(
        ((counts >= 0) & (counts <= length)).all(),
        f"0 <= {cname}[..., 1:] - {cname}[..., :-1] <= {limit}",
    )
    _satisfied(((plain >= 0) & (plain < length)).all(), f"0 <= {pname} < {limit}")
    flat = counts.reshape(-1).to(torch.int64)
    line = torch.repeat_interleave(torch.arange(flat.numel(), device=flat.device), flat)
    steps = (line * length + plain.reshape(-1)).diff()
    _satisfied(
        (steps > 0).all(),
        f"{pname}[..., {cname}[..., i - 1]:{cname}[..., i]] for all i = 1, ..., {lines} are "
        "sorted and distinct along the last dimension values",
    )


def _satisfied(condition: Tensor, rule: str) -> None:
    _require(bool(condition), f"`{rule}` is not satisfied.")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise RuntimeError(message)

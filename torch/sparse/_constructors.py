"""The functions that create tensors of the compressed sparse layouts."""

from __future__ import annotations

from typing import Any

import torch
from torch.sparse import _invariants
from torch.sparse._compressed import make
from torch.sparse._layouts import COMPRESSED, CompressedLayout, layout_name

Tensor = torch.Tensor


def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """Create a sparse tensor of a compressed layout.

    Args:
        compressed_indices: Where the elements of each row (column, for csc and bsc) begin and end,
            (*batch, rows + 1), int32 or int64.
        plain_indices: The column (row) of each element or block, (*batch, nnz), of the same dtype.
        values: The values, (*batch, nnz, *blocksize, *dense); csr and csc have no blocksize.
        size: The size of the tensor; by default the smallest that holds all indices.
        dtype: The dtype of the values; that of `values` by default.
        layout: torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr or torch.sparse_bsc.
        device: The device; that of `values` by default.
        pin_memory: Ignored.
        requires_grad: Whether the tensor is a leaf that gets a gradient.
        check_invariants: Whether to check that indices, values and size fit together; by default,
            what `torch.sparse.check_sparse_tensor_invariants.is_enabled()` returns.

    Raises:
        RuntimeError: If a rule is checked and not obeyed, or the layout is not a compressed one.

    Example:
        >>> torch.sparse_compressed_tensor(
        ...     [0, 1, 3], [2, 0, 1], [1.0, 2.0, 3.0], layout=torch.sparse_csr
        ... ).to_dense()
        tensor([[0., 0., 1.],
                [2., 3., 0.]])
    """
    kind = COMPRESSED.get(layout)  # type: ignore[arg-type]
    if kind is None:
        got = "none" if layout is None else layout_name(layout)
        raise RuntimeError(
            f"sparse_compressed_tensor expected sparse compressed tensor layout but got {got}"
        )
    elements = values if isinstance(values, Tensor) else torch.tensor(values)
    elements = elements.to(dtype=dtype, device=device)
    for name, indices in (
        (kind.compressed_name, compressed_indices),
        (kind.plain_name, plain_indices),
    ):
        if isinstance(indices, Tensor) and device is None and indices.device != elements.device:
            raise RuntimeError(f"Values and {name} need to be on the same device.")
    compressed = _index_tensor(compressed_indices, elements)
    plain = _index_tensor(plain_indices, elements)
    if size is None:
        _invariants.check_dimensions(kind, compressed, plain, elements)
        size = _smallest_size(kind, compressed, plain, elements)
    size = torch.Size(size)
    _invariants.check_not_negative(size)
    if check_invariants is None:
        check_invariants = torch.sparse.check_sparse_tensor_invariants.is_enabled()
    if check_invariants:
        _invariants.check_all(kind, compressed, plain, elements, size)
    if requires_grad:
        return make(kind, compressed, plain, elements.detach(), size).requires_grad_()  # type: ignore[no-any-return]
    return make(kind, compressed, plain, elements, size)  # type: ignore[no-any-return]


def _index_tensor(indices: Any, values: Tensor) -> Tensor:
    if isinstance(indices, Tensor):
        return indices.to(device=values.device)
    return torch.tensor(indices, dtype=torch.int64, device=values.device)


def _smallest_size(
    kind: CompressedLayout, compressed: Tensor, plain: Tensor, values: Tensor
) -> tuple[int, ...]:
    batch = compressed.dim() - 1
    height, width = values.shape[batch + 1 : batch + 3] if kind.has_blocks else (1, 1)
    lines = compressed.size(-1) - 1
    length = int(plain.max()) + 1 if plain.numel() else 0
    rows, columns = (lines, length) if kind.by_rows else (length, lines)
    dense = values.shape[batch + 1 + kind.block_dims :]
    return (*compressed.shape[:-1], rows * height, columns * width, *dense)


def _of_layout(
    layout: torch.layout,
    compressed: Any,
    plain: Any,
    values: Any,
    size: Any,
    options: dict[str, Any],
) -> Tensor:
    kind = COMPRESSED[layout]
    given = options.pop("layout", None)
    if given not in (None, layout):
        raise RuntimeError(
            f"sparse_{kind.short_name}_tensor: layout must be {kind.name} but got "
            f"{layout_name(given)}"
        )
    return sparse_compressed_tensor(compressed, plain, values, size, layout=layout, **options)


def sparse_csr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, **options: Any
) -> Tensor:
    """Create a sparse tensor in compressed rows.

    Args:
        crow_indices: Where the elements of each row begin and end, (*batch, rows + 1).
        col_indices: The column of each element, (*batch, nnz).
        values: The values, (*batch, nnz, *dense).
        size: The size of the tensor; by default the smallest that holds all indices.
        **options: The other arguments of `torch.sparse_compressed_tensor`.

    Raises:
        RuntimeError: If a rule is checked and not obeyed.

    Example:
        >>> torch.sparse_csr_tensor([0, 1, 3], [2, 0, 1], [1.0, 2.0, 3.0])
        tensor(crow_indices=tensor([0, 1, 3]),
               col_indices=tensor([2, 0, 1]),
               values=tensor([1., 2., 3.]), size=(2, 3), nnz=3,
               layout=torch.sparse_csr)
    """
    return _of_layout(torch.sparse_csr, crow_indices, col_indices, values, size, options)


def sparse_csc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, **options: Any
) -> Tensor:
    """Create a sparse tensor in compressed columns.

    Args:
        ccol_indices: Where the elements of each column begin and end, (*batch, columns + 1).
        row_indices: The row of each element, (*batch, nnz).
        values: The values, (*batch, nnz, *dense).
        size: The size of the tensor; by default the smallest that holds all indices.
        **options: The other arguments of `torch.sparse_compressed_tensor`.

    Raises:
        RuntimeError: If a rule is checked and not obeyed.

    Example:
        >>> torch.sparse_csc_tensor([0, 1, 3], [1, 0, 1], [1.0, 2.0, 3.0]).to_dense()
        tensor([[0., 2.],
                [1., 3.]])
    """
    return _of_layout(torch.sparse_csc, ccol_indices, row_indices, values, size, options)


def sparse_bsr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, **options: Any
) -> Tensor:
    """Create a sparse tensor of blocks, in compressed rows of blocks.

    Args:
        crow_indices: Where the blocks of each row begin and end, (*batch, rows of blocks + 1).
        col_indices: The column of each block, (*batch, nnz).
        values: The values, (*batch, nnz, *blocksize, *dense).
        size: The size of the tensor; by default the smallest that holds all indices.
        **options: The other arguments of `torch.sparse_compressed_tensor`.

    Raises:
        RuntimeError: If a rule is checked and not obeyed.

    Example:
        >>> torch.sparse_bsr_tensor([0, 1], [1], [[[1.0, 2.0], [3.0, 4.0]]]).to_dense()
        tensor([[0., 0., 1., 2.],
                [0., 0., 3., 4.]])
    """
    return _of_layout(torch.sparse_bsr, crow_indices, col_indices, values, size, options)


def sparse_bsc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, **options: Any
) -> Tensor:
    """Create a sparse tensor of blocks, in compressed columns of blocks.

    Args:
        ccol_indices: Where the blocks of each column begin and end, (*batch, columns of blocks + 1).
        row_indices: The row of each block, (*batch, nnz).
        values: The values, (*batch, nnz, *blocksize, *dense).
        size: The size of the tensor; by default the smallest that holds all indices.
        **options: The other arguments of `torch.sparse_compressed_tensor`.

    Raises:
        RuntimeError: If a rule is checked and not obeyed.

    Example:
        >>> torch.sparse_bsc_tensor([0, 1], [1], [[[1.0, 2.0]]]).to_dense()
        tensor([[0., 0.],
                [1., 2.]])
    """
    return _of_layout(torch.sparse_bsc, ccol_indices, row_indices, values, size, options)

"""Masks of attention by blocks: which blocks of keys each block of queries needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_DEFAULT_SPARSE_BLOCK_SIZE = 128
_FIELDS = (
    "kv_num_blocks",
    "kv_indices",
    "full_kv_num_blocks",
    "full_kv_indices",
    "q_num_blocks",
    "q_indices",
    "full_q_num_blocks",
    "full_q_indices",
)


def index_tensors(b: int, h: int, q: int, kv: int, device: Any) -> tuple[Tensor, ...]:
    """Return the indices of four dimensions, as tensors that broadcast against each other."""
    shapes = ((-1, 1, 1, 1), (-1, 1, 1), (-1, 1), (-1,))
    sizes = (b, h, q, kv)
    return tuple(
        torch.arange(size, dtype=torch.int32, device=device).view(shape)
        for size, shape in zip(sizes, shapes, strict=True)
    )


def create_mask(
    mod_fn: Callable[..., Tensor],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
) -> Tensor:
    """Return the tensor of shape (B, H, Q_LEN, KV_LEN) that a mask or score function describes.

    Args:
        mod_fn: A function of (b, h, q_idx, kv_idx) that returns booleans, or of (score, b, h,
            q_idx, kv_idx) that returns scores, which are computed for scores of 0.
        B: The number of batches; None means 1.
        H: The number of heads; None means 1.
        Q_LEN: The number of queries.
        KV_LEN: The number of keys.
        device: The device of the result.

    Example:
        >>> from torch.nn.attention.flex_attention import create_mask
        >>> create_mask(lambda b, h, q, kv: q >= kv, 1, 1, 2, 2)
        tensor([[[[ True, False],
                  [ True,  True]]]])
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    device = torch.get_default_device() if device is None else device
    positions = index_tensors(*shape, device)
    if _takes_scores(mod_fn):
        scores = torch.zeros(shape, device=device)
        return mod_fn(scores, *positions).expand(shape)
    return mod_fn(*positions).to(torch.bool).expand(shape)


def _takes_scores(function: Any) -> bool:
    import inspect

    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return sum(p.kind in kinds and p.default is inspect.Parameter.empty for p in parameters) == 5


def _ordered(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many blocks of each row are set, and all columns with the set ones first."""
    blocks = blocks.to(torch.int32)
    counts = blocks.sum(dim=-1)
    columns = torch.argsort(blocks, dim=-1, descending=True, stable=True)
    return counts.to(torch.int32).contiguous(), columns.to(torch.int32).contiguous()


def _dense(counts: Tensor, columns: Tensor, width: int | None = None) -> Tensor:
    """Return what `_ordered` started from."""
    width = columns.size(-1) if width is None else width
    valid = torch.arange(columns.size(-1), device=columns.device) < counts.unsqueeze(-1)
    dense = counts.new_zeros((*counts.shape, width + 1), dtype=torch.int32)
    places = torch.where(valid, columns.long(), width)
    return dense.scatter(-1, places, 1)[..., :width].contiguous()


def _transposed(counts: Any, columns: Any) -> tuple[Any, Any]:
    if counts is None:
        return None, None
    return _ordered(_dense(counts, columns).transpose(-2, -1))


class BlockMask:
    """Which blocks of a mask hold allowed positions, and which hold only such.

    Use `create_block_mask` or `from_kv_blocks` to make one. Indexing selects batches, heads and
    blocks of queries.

    Example:
        >>> from torch.nn.attention.flex_attention import create_block_mask
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256)
        >>> mask.shape, mask.kv_num_blocks
        ((1, 1, 256, 256), tensor([[[1, 1]]], dtype=torch.int32))
    """

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None,
        q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (_DEFAULT_SPARSE_BLOCK_SIZE, _DEFAULT_SPARSE_BLOCK_SIZE),
        mask_mod: Any = None,
        **unused: Any,
    ) -> None:
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError(
                "full_kv_num_blocks and full_kv_indices must be both provided or omitted"
            )
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = _everything if mask_mod is None else mask_mod

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: Any = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
        **unused: Any,
    ) -> BlockMask:
        """Make a mask from the blocks of keys that each block of queries needs.

        Raises:
            RuntimeError: If `kv_indices` has fewer than two dimensions.
        """
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        sizes = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * sizes[0], kv_indices.shape[-1] * sizes[1])
        queries, full_queries = (None, None), (None, None)
        if compute_q_blocks:
            queries = _transposed(kv_num_blocks, kv_indices)
            full_queries = _transposed(full_kv_num_blocks, full_kv_indices)
        blocks = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        return cls(seq_lengths, *blocks, *queries, *full_queries, sizes, mask_mod)

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """Return the fields; the pairs of lengths and block sizes in one row if `flatten`."""
        tensors = tuple(getattr(self, name) for name in _FIELDS)
        if flatten:
            return (*self.seq_lengths, *tensors, *self.BLOCK_SIZE, self.mask_mod)
        return (self.seq_lengths, *tensors, self.BLOCK_SIZE, self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        """The batches, heads, queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Return the number of positions."""
        total = 1
        for size in self.shape:
            total *= size
        return total

    def sparsity(self) -> float:
        """Return the percentage of positions outside the blocks that are needed."""
        blocks = int(self.kv_num_blocks.sum())
        if self.full_kv_num_blocks is not None:
            blocks += int(self.full_kv_num_blocks.sum())
        computed = blocks * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1]
        return 100 * (1 - computed / self.numel())

    def to_dense(self) -> Tensor:
        """Return a tensor with a 1 for each block that holds an allowed position."""
        dense = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            dense = dense | _dense(self.full_kv_num_blocks, self.full_kv_indices)
        return dense

    def to_string(self, grid_size: Any = (20, 20), limit: int = 4) -> str:
        """Return a drawing of the blocks for the first batches and heads."""
        dense = self.to_dense()
        dense = dense.reshape(-1, *dense.shape[-2:])
        drawings = []
        for number, blocks in enumerate(dense[:limit]):
            rows = ["".join("██" if block else "  " for block in row) for row in blocks.tolist()]
            heads = self.shape[-3] if len(self.shape) > 2 else 1
            drawings.append("\n".join([f"({number // heads}, {number % heads})", *rows]))
        if len(dense) > limit:
            drawings.append(f"... and {len(dense) - limit} more")
        return "\n".join(drawings)

    def to(self, device: Any) -> BlockMask:
        """Return the mask on another device."""
        moved = {name: getattr(self, name) for name in _FIELDS}
        moved = {name: t if t is None else t.to(device) for name, t in moved.items()}
        return BlockMask(
            self.seq_lengths, **moved, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod
        )

    def __getitem__(self, index: Any) -> BlockMask:
        index = index if isinstance(index, tuple) else (index,)
        kept = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in index)
        blocks = [
            None if t is None else t[kept] for t in (getattr(self, name) for name in _FIELDS[:4])
        ]
        return BlockMask.from_kv_blocks(
            *blocks,
            BLOCK_SIZE=self.BLOCK_SIZE,
            seq_lengths=None if len(kept) > 2 else self.seq_lengths,
        )

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string()}\n)"

    def __repr__(self) -> str:
        def shown(value: Any) -> Any:
            return value.shape if isinstance(value, Tensor) else value

        lines = [f"    {name}={shown(getattr(self, name))},\n" for name in _FIELDS]
        mask_mod = getattr(self.mask_mod, "__name__", self.mask_mod)
        return (
            f"BlockMask(\n{''.join(lines)}    BLOCK_SIZE={self.BLOCK_SIZE},\n    shape={self.shape},\n"
            f"    sparsity={self.sparsity():.2f}%,\n    mask_mod={mask_mod}\n)"
        )


def _everything(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
    return b.new_ones((), dtype=torch.bool)


def create_block_mask(
    mask_mod: Callable[..., Tensor],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
    **unused: Any,
) -> BlockMask:
    """Make the BlockMask of a mask function.

    Args:
        mask_mod: A function of (b, h, q_idx, kv_idx) that returns whether a position is allowed.
        B: The number of batches; None means that the mask is the same for all.
        H: The number of heads; None means that the mask is the same for all.
        Q_LEN: The number of queries.
        KV_LEN: The number of keys.
        device: The device of the mask's tensors.
        BLOCK_SIZE: The size of a block, or its queries and keys.
        separate_full_blocks: Whether to list the blocks that hold only allowed positions apart.
        **unused: Ignored.

    Example:
        >>> from torch.nn.attention.flex_attention import create_block_mask
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256)
        >>> mask.full_kv_num_blocks
        tensor([[[0, 1]]], dtype=torch.int32)
    """
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    missing = (-KV_LEN % columns, -Q_LEN % rows)
    padded = torch.nn.functional.pad(mask, (0, missing[0], 0, missing[1]))
    tiles = padded.view(
        *mask.shape[:2], padded.size(2) // rows, rows, padded.size(3) // columns, columns
    )
    counts = tiles.sum(dim=(-3, -1))
    full = counts == rows * columns
    partial = (counts > 0) & ~full if separate_full_blocks else counts > 0
    full_blocks = _ordered(full) if separate_full_blocks else (None, None)
    return BlockMask.from_kv_blocks(
        *_ordered(partial), *full_blocks, (rows, columns), mask_mod, (Q_LEN, KV_LEN)
    )

"""The layouts of sparse tensors, and what their errors call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class CompressedLayout:
    """A layout in which one of two dimensions has compressed indices.

    Attributes:
        layout: The value of `Tensor.layout`.
        name: The name of the layout in errors.
        by_rows: Whether the indices of the rows are the compressed ones.
        has_blocks: Whether each index is that of a block of elements.
    """

    layout: torch.layout
    name: str
    by_rows: bool
    has_blocks: bool

    @property
    def short_name(self) -> str:
        """Return the name in functions, such as "csr"."""
        return self.name.removeprefix("Sparse").lower()

    @property
    def compressed_name(self) -> str:
        """Return the method that returns the compressed indices."""
        return "crow_indices" if self.by_rows else "ccol_indices"

    @property
    def plain_name(self) -> str:
        """Return the method that returns the other indices."""
        return "col_indices" if self.by_rows else "row_indices"

    @property
    def block_dims(self) -> int:
        """Return the number of dimensions of the values that are those of a block."""
        return 2 if self.has_blocks else 0

    @property
    def transposed(self) -> CompressedLayout:
        """Return the layout in which the same arrays are the transposed matrix."""
        return next(
            kind
            for kind in COMPRESSED.values()
            if kind.has_blocks == self.has_blocks and kind.by_rows != self.by_rows
        )


COMPRESSED: dict[torch.layout, CompressedLayout] = {
    kind.layout: kind
    for kind in (
        CompressedLayout(torch.sparse_csr, "SparseCsr", by_rows=True, has_blocks=False),
        CompressedLayout(torch.sparse_csc, "SparseCsc", by_rows=False, has_blocks=False),
        CompressedLayout(torch.sparse_bsr, "SparseBsr", by_rows=True, has_blocks=True),
        CompressedLayout(torch.sparse_bsc, "SparseBsc", by_rows=False, has_blocks=True),
    )
}
_NAMES = {
    torch.strided: "Strided",
    torch.sparse_coo: "Sparse",
    **{layout: kind.name for layout, kind in COMPRESSED.items()},
}


def layout_name(value: Any) -> str:
    """Return what errors call a layout, or that of a tensor."""
    layout = value.layout if isinstance(value, torch.Tensor) else value
    return _NAMES.get(layout, str(layout))

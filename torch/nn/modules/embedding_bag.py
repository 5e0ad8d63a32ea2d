"""Sums, means and maxima of rows of a table."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class EmbeddingBag(Module):
    """A table of vectors that returns a sum, mean or maximum of rows for each bag of indices.

    Args:
        num_embeddings: Number of rows of the table.
        embedding_dim: Size of each row.
        max_norm: If given, rows with a larger norm are scaled down to it when they are used.
        norm_type: Order p of the p-norm that `max_norm` limits.
        scale_grad_by_freq: If True, divide each row's gradient by the row's count in the input.
        mode: ``sum``, ``mean`` or ``max``.
        sparse: Not supported yet: if True, backward raises NotImplementedError.
        include_last_offset: If True, the last offset is the end of the last bag.
        padding_idx: Row that starts at zero, counts nothing and receives no gradient.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (B, N), or all bags in one row with offsets (B).
        - Output: (B, embedding_dim).
        - weight: (num_embeddings, embedding_dim).

    Raises:
        AssertionError: If `padding_idx` is not a row of the table.

    Example:
        >>> bag = nn.EmbeddingBag(10, 3, mode="sum")
        >>> bag(torch.tensor([1, 2, 4, 5]), torch.tensor([0, 3])).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        if _weight is None:
            shape = (num_embeddings, embedding_dim)
            self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype))
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(_weight)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def reset_parameters(self) -> None:
        """Draw the table from the standard normal distribution, and set the padding row to zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """Combine the rows of each bag."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Return the sizes, and the settings that differ from the defaults."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        text += f", mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Create an embedding bag from an existing table.

        Args:
            embeddings: Table, (num_embeddings, embedding_dim). The bag shares its memory.
            freeze: If True, the table is not trained.
            max_norm: See EmbeddingBag.
            norm_type: See EmbeddingBag.
            scale_grad_by_freq: See EmbeddingBag.
            mode: See EmbeddingBag.
            sparse: See EmbeddingBag.
            include_last_offset: See EmbeddingBag.
            padding_idx: See EmbeddingBag.

        Returns:
            The embedding bag.

        Raises:
            AssertionError: If the table is not two-dimensional.

        Example:
            >>> table = torch.tensor([[0.0, 0.5], [1.0, 1.5]])
            >>> nn.EmbeddingBag.from_pretrained(table)(torch.tensor([[0, 1]]))
            tensor([[0.5000, 1.0000]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        bag = cls(
            rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings,
            include_last_offset, padding_idx,
        )  # fmt: skip
        bag.weight.requires_grad = not freeze
        return bag

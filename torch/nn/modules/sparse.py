"""Tables of vectors, looked up by index."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class Embedding(Module):
    """A table of vectors that are looked up by index.

    Args:
        num_embeddings: Number of rows of the table.
        embedding_dim: Size of each row.
        padding_idx: Row that starts at zero and receives no gradient.
        max_norm: If given, rows with a larger norm are scaled down to it when they are used.
        norm_type: Order p of the p-norm that `max_norm` limits.
        scale_grad_by_freq: If True, divide each row's gradient by the row's count in the input.
        sparse: If True, the gradient of the table is a sparse tensor.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (*), integers.
        - Output: (*, embedding_dim).
        - weight: (num_embeddings, embedding_dim).

    Raises:
        AssertionError: If `padding_idx` is not a row of the table.

    Example:
        >>> embedding = nn.Embedding(10, 3, padding_idx=0)
        >>> embedding(torch.tensor([[1, 2], [3, 0]])).shape
        torch.Size([2, 2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            shape = (num_embeddings, embedding_dim)
            empty = torch.empty(shape, device=device, dtype=dtype)
            self.weight = Parameter(empty, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Draw the table from the standard normal distribution, and set the padding row to zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        """Look up the rows at the given indices."""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        """Return the sizes, and the settings that differ from the defaults."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        if self.sparse:
            text += ", sparse=True"
        return text

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Create an embedding from an existing table.

        Args:
            embeddings: Table, (num_embeddings, embedding_dim). The embedding shares its memory.
            freeze: If True, the table is not trained.
            padding_idx: See Embedding.
            max_norm: See Embedding.
            norm_type: See Embedding.
            scale_grad_by_freq: See Embedding.
            sparse: See Embedding.

        Returns:
            The embedding.

        Raises:
            AssertionError: If the table is not two-dimensional.

        Example:
            >>> table = torch.tensor([[0.0, 0.5], [1.0, 1.5]])
            >>> nn.Embedding.from_pretrained(table)(torch.tensor([1]))
            tensor([[1.0000, 1.5000]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)

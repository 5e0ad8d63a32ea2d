"""Layers that join dimensions, and split one."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn.modules.module import Module


class Flatten(Module):
    """A layer that flattens consecutive dimensions into one.

    Args:
        start_dim: First dimension to merge.
        end_dim: Last dimension to merge.

    Shape:
        - Input: any shape.
        - Output: (N, product of the other sizes) by default.

    Example:
        >>> nn.Flatten()(torch.zeros(2, 3, 4)).shape
        torch.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Merge the dimensions."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """A layer that splits one dimension into several.

    Args:
        dim: Dimension to split.
        unflattened_size: Sizes to split it into. One of them may be -1.

    Shape:
        - Input: any shape.
        - Output: `unflattened_size` in place of dimension `dim`.

    Raises:
        TypeError: If an argument is not an integer.

    Example:
        >>> nn.Unflatten(1, (3, 4))(torch.zeros(2, 12)).shape
        torch.Size([2, 3, 4])
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError("invalid argument type for dim; expected an int")
        for position, extent in enumerate(unflattened_size):
            if not isinstance(extent, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(extent).__name__} at pos {position}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """Split the dimension."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"

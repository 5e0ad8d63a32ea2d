"""Sliding blocks of images."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module

Extent = int | Sequence[int]


class Fold(Module):
    """Sum of sliding blocks in images; the opposite of Unfold.

    Args:
        output_size: Size of the images: one number, or two.
        kernel_size: Size of a block.
        dilation: Step between the elements of a block.
        padding: Width of the border that is cut off.
        stride: Step between blocks.

    Shape:
        - Input: (N, C * block size, number of blocks) or without N.
        - Output: (N, C, *output_size) or (C, *output_size).

    Example:
        >>> nn.Fold((2, 3), (2, 2))(torch.ones(4, 2))
        tensor([[[1., 2., 1.],
                 [1., 2., 1.]]])
    """

    def __init__(
        self,
        output_size: Extent,
        kernel_size: Extent,
        dilation: Extent = 1,
        padding: Extent = 0,
        stride: Extent = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Sum the blocks."""
        return F.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Sliding blocks of images as columns.

    Args:
        kernel_size: Size of a block: one number, or two.
        dilation: Step between the elements of a block.
        padding: Zeros added on both sides.
        stride: Step between blocks.

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: (N, C * block size, number of blocks) or without N.

    Example:
        >>> nn.Unfold((1, 2))(torch.tensor([[[1.0, 2.0, 3.0]]]))
        tensor([[1., 2.],
                [2., 3.]])
    """

    def __init__(
        self, kernel_size: Extent, dilation: Extent = 1, padding: Extent = 0, stride: Extent = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Extract the blocks."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )

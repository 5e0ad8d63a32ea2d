"""Convolutions of three dimensions."""

from __future__ import annotations

from torch.nn import functional as F
from torch.nn.modules.conv import _Conv, _ConvTransposeNd


class Conv3d(_Conv):
    """Convolution (cross-correlation) over three dimensions.

    Sizes, steps and padding are one number for all dimensions, or three.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between positions of the kernel.
        padding: Number of elements to add on both sides, or ``same`` or ``valid``.
        dilation: Step between the kernel's elements.
        groups: Number of groups that input and output channels are divided into. Each group of
            outputs depends on one group of inputs.
        bias: If False, leave out the bias.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, D, H, W) or (in_channels, D, H, W).
        - Output: (N, out_channels, D_out, H_out, W_out) or without N; each size follows the
          formula of Conv1d.
        - weight: (out_channels, in_channels / groups, *kernel_size); bias: (out_channels).

    Raises:
        ValueError: If the groups do not divide the channels, or a padding is unknown.

    Example:
        >>> layer = nn.Conv3d(3, 8, kernel_size=3, stride=2, padding=1)
        >>> layer(torch.randn(2, 3, 8, 8, 8)).shape
        torch.Size([2, 8, 4, 4, 4])
    """

    spatial = 3
    _operator = property(lambda _: F.conv3d)


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution over three dimensions: the gradient of Conv3d by its input.

    Sizes, steps and padding are one number for all dimensions, or three.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between output positions of neighboring input elements.
        padding: Elements removed from both sides of the output.
        output_padding: Elements added to the end of the output.
        groups: Number of groups that input and output channels are divided into.
        bias: If False, leave out the bias.
        dilation: Step between the kernel's elements.
        padding_mode: ``zeros``, the only mode supported.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, D, H, W) or (in_channels, D, H, W).
        - Output: (N, out_channels, D_out, H_out, W_out) or without N; each size follows the
          formula of ConvTranspose1d.
        - weight: (in_channels, out_channels / groups, *kernel_size); bias: (out_channels).

    Raises:
        ValueError: If the groups do not divide the channels or the padding mode is not ``zeros``.

    Example:
        >>> layer = nn.ConvTranspose3d(8, 3, kernel_size=4, stride=2, padding=1)
        >>> layer(torch.randn(2, 8, 4, 4, 4)).shape
        torch.Size([2, 3, 8, 8, 8])
    """

    spatial = 3
    _operator = property(lambda _: F.conv_transpose3d)

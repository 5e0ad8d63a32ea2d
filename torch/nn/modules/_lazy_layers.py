"""Linear layers and convolutions that take the number of input channels from their first input."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.modules._convolutions3d import Conv3d, ConvTranspose3d
from torch.nn.modules.conv import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d, Extent
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.modules.linear import Linear
from torch.nn.parameter import UninitializedParameter


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear whose `in_features` is the last size of its first input.

    Args:
        out_features: Size of each output vector.
        bias: If False, leave out the bias.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (*, in_features).
        - Output: (*, out_features).

    Example:
        >>> nn.LazyLinear(2)(torch.zeros(4, 3)).shape
        torch.Size([4, 2])
    """

    cls_to_become = Linear

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        options = {"device": device, "dtype": dtype}
        super().__init__(0, 0, bias=False)
        self.weight = UninitializedParameter(**options)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(**options)

    def reset_parameters(self) -> None:
        """Draw the parameters, once they have a size."""
        if self.in_features != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Give the parameters their sizes."""
        if self.has_uninitialized_params():
            with torch.no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            self.in_features = self.weight.shape[-1]


class _LazyConvMixin(LazyModuleMixin):
    """The sizes of the convolutions."""

    def _make_lazy(
        self, out_channels: int, bias: bool, device: Any, dtype: torch.dtype | None
    ) -> None:
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters, once they have a size."""
        if self.in_channels != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *rest: Any, **options: Any) -> None:
        """Give the parameters their sizes."""
        if not self.has_uninitialized_params():
            return
        if input.dim() not in (self.spatial + 1, self.spatial + 2):
            raise RuntimeError(
                f"Expected {self.spatial + 1}D (unbatched) or {self.spatial + 2}D (batched) input "
                f"to {type(self).__name__}, but got input of size: {input.shape}"
            )
        self.in_channels = input.shape[-self.spatial - 1]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        pair = (self.out_channels, self.in_channels)
        first, second = reversed(pair) if self.transposed else pair
        self.weight.materialize((first, second // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class LazyConv1d(_LazyConvMixin, Conv1d):
    """A Conv1d whose `in_channels` comes from its first input.

    Args:
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between positions of the kernel.
        padding: Number of elements to add on both sides, or ``same`` or ``valid``.
        dilation: Step between the kernel's elements.
        groups: Number of groups that input and output channels are divided into.
        bias: If False, leave out the bias.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, L) or (in_channels, L).
        - Output: as of Conv1d.

    Example:
        >>> nn.LazyConv1d(4, kernel_size=3)(torch.zeros(2, 3, 8)).shape
        torch.Size([2, 4, 6])
    """

    cls_to_become = Conv1d

    def __init__(
        self,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent = 1,
        padding: Extent | str = 0,
        dilation: Extent = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv2d(_LazyConvMixin, Conv2d):
    """A Conv2d whose `in_channels` comes from its first input.

    Args:
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between positions of the kernel.
        padding: Number of elements to add on both sides, or ``same`` or ``valid``.
        dilation: Step between the kernel's elements.
        groups: Number of groups that input and output channels are divided into.
        bias: If False, leave out the bias.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, H, W) or (in_channels, H, W).
        - Output: as of Conv2d.

    Example:
        >>> nn.LazyConv2d(4, kernel_size=3)(torch.zeros(2, 3, 8, 8)).shape
        torch.Size([2, 4, 6, 6])
    """

    cls_to_become = Conv2d

    def __init__(
        self,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent = 1,
        padding: Extent | str = 0,
        dilation: Extent = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv3d(_LazyConvMixin, Conv3d):
    """A Conv3d whose `in_channels` comes from its first input.

    Args:
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between positions of the kernel.
        padding: Number of elements to add on both sides, or ``same`` or ``valid``.
        dilation: Step between the kernel's elements.
        groups: Number of groups that input and output channels are divided into.
        bias: If False, leave out the bias.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, D, H, W) or (in_channels, D, H, W).
        - Output: as of Conv3d.

    Example:
        >>> nn.LazyConv3d(4, kernel_size=3)(torch.zeros(2, 3, 8, 8, 8)).shape
        torch.Size([2, 4, 6, 6, 6])
    """

    cls_to_become = Conv3d

    def __init__(
        self,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent = 1,
        padding: Extent | str = 0,
        dilation: Extent = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvMixin, ConvTranspose1d):
    """A ConvTranspose1d whose `in_channels` comes from its first input.

    Args:
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
        - Input: (N, in_channels, L) or (in_channels, L).
        - Output: as of ConvTranspose1d.

    Example:
        >>> nn.LazyConvTranspose1d(4, kernel_size=3)(torch.zeros(2, 3, 6)).shape
        torch.Size([2, 4, 8])
    """

    cls_to_become = ConvTranspose1d

    def __init__(
        self,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent = 1,
        padding: Extent = 0,
        output_padding: Extent = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Extent = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation,
            padding_mode, device, dtype,
        )  # fmt: skip
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConvTranspose2d(_LazyConvMixin, ConvTranspose2d):
    """A ConvTranspose2d whose `in_channels` comes from its first input.

    Args:
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
        - Input: (N, in_channels, H, W) or (in_channels, H, W).
        - Output: as of ConvTranspose2d.

    Example:
        >>> nn.LazyConvTranspose2d(4, kernel_size=3)(torch.zeros(2, 3, 6, 6)).shape
        torch.Size([2, 4, 8, 8])
    """

    cls_to_become = ConvTranspose2d

    def __init__(
        self,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent = 1,
        padding: Extent = 0,
        output_padding: Extent = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Extent = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation,
            padding_mode, device, dtype,
        )  # fmt: skip
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConvTranspose3d(_LazyConvMixin, ConvTranspose3d):
    """A ConvTranspose3d whose `in_channels` comes from its first input.

    Args:
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
        - Output: as of ConvTranspose3d.

    Example:
        >>> nn.LazyConvTranspose3d(4, kernel_size=3)(torch.zeros(2, 3, 6, 6, 6)).shape
        torch.Size([2, 4, 8, 8, 8])
    """

    cls_to_become = ConvTranspose3d

    def __init__(
        self,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent = 1,
        padding: Extent = 0,
        output_padding: Extent = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Extent = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation,
            padding_mode, device, dtype,
        )  # fmt: skip
        self._make_lazy(out_channels, bias, device, dtype)

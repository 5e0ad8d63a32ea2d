"""Layers that normalize each channel of each item."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    """Base class of the instance normalization modules."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def _apply_norm(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Normalize each channel of each item, or use running statistics in evaluation mode.

        Raises:
            ValueError: If the input has the wrong number of dimensions or channels.
        """
        self._check_input_dim(input)
        unbatched = input.dim() == self._input_dims[0]
        channels = input.size(0 if unbatched else 1)
        if channels != self.num_features:
            dim = 0 if unbatched else 1
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features "
                    f"({self.num_features}), but got: {channels}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this "
                "warning by not passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if unbatched:
            return self._apply_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_norm(input)


class InstanceNorm1d(_InstanceNorm):
    """Normalization of each channel of each item with its own statistics.

    The result is (x - mean) / sqrt(var + eps) * weight + bias; see Ulyanov et al. (2016).

    Args:
        num_features: Number of channels C.
        eps: Term added to the variance.
        momentum: Weight of the input in the running statistics.
        affine: If True, learn weight and bias.
        track_running_stats: If True, use running statistics in evaluation.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, C, L) or (C, L).

    Example:
        >>> nn.InstanceNorm1d(2)(torch.tensor([[1.0, 3.0], [10.0, 30.0]]))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """

    _input_dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalization of each channel of each image with its own statistics; see InstanceNorm1d.

    Args:
        num_features: Number of channels C.
        eps: Term added to the variance.
        momentum: Weight of the input in the running statistics.
        affine: If True, learn weight and bias.
        track_running_stats: If True, use running statistics in evaluation.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, C, H, W) or (C, H, W).

    Example:
        >>> nn.InstanceNorm2d(3)(torch.randn(2, 3, 4, 4)).shape
        torch.Size([2, 3, 4, 4])
    """

    _input_dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalization of each channel of each volume with its own statistics; see InstanceNorm1d.

    Args:
        num_features: Number of channels C.
        eps: Term added to the variance.
        momentum: Weight of the input in the running statistics.
        affine: If True, learn weight and bias.
        track_running_stats: If True, use running statistics in evaluation.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, C, D, H, W) or (C, D, H, W).

    Example:
        >>> nn.InstanceNorm3d(3)(torch.randn(2, 3, 4, 4, 4)).shape
        torch.Size([2, 3, 4, 4, 4])
    """

    _input_dims = (4, 5)


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)

"""Normalizations that take the number of channels from their first input."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from torch.nn.modules.instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter


class _LazyNormMixin(LazyModuleMixin):
    """The sizes of the normalizations."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        options = {"device": device, "dtype": dtype}
        super().__init__(0, eps, momentum, False, False, **options)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**options)
            if bias:
                self.bias = UninitializedParameter(**options)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**options)
            self.running_var = UninitializedBuffer(**options)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)

    def reset_parameters(self) -> None:
        """Set the parameters and statistics, once they have a size."""
        if self.num_features != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Give the parameters and statistics their sizes."""
        if not self.has_uninitialized_params():
            return
        unbatched = len(self._input_dims) == 2 and input.dim() == self._input_dims[0]
        self.num_features = input.shape[0 if unbatched and self._unbatched_first else 1]
        for name in ("weight", "bias", "running_mean", "running_var"):
            value = getattr(self, name)
            if value is not None:
                value.materialize((self.num_features,))
        self.reset_parameters()

    _unbatched_first = False


class LazyBatchNorm1d(_LazyNormMixin, BatchNorm1d):
    """A BatchNorm1d whose `num_features` comes from its first input.

    Args:
        eps: Term added to the variance.
        momentum: Weight of the batch in the running statistics.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, keep no running statistics.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, num_features, L).

    Example:
        >>> nn.LazyBatchNorm1d()(torch.rand(2, 3, 4)).shape
        torch.Size([2, 3, 4])
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormMixin, BatchNorm2d):
    """A BatchNorm2d whose `num_features` comes from its first input.

    Args:
        eps: Term added to the variance.
        momentum: Weight of the batch in the running statistics.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, keep no running statistics.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, num_features, H, W).

    Example:
        >>> nn.LazyBatchNorm2d()(torch.rand(2, 3, 4, 4)).shape
        torch.Size([2, 3, 4, 4])
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormMixin, BatchNorm3d):
    """A BatchNorm3d whose `num_features` comes from its first input.

    Args:
        eps: Term added to the variance.
        momentum: Weight of the batch in the running statistics.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, keep no running statistics.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, num_features, D, H, W).

    Example:
        >>> nn.LazyBatchNorm3d()(torch.rand(2, 3, 4, 4, 4)).shape
        torch.Size([2, 3, 4, 4, 4])
    """

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNormMixin, InstanceNorm1d):
    """An InstanceNorm1d whose `num_features` comes from its first input.

    Args:
        eps: Term added to the variance.
        momentum: Weight of the input in the running statistics.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, keep no running statistics.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, num_features, L).

    Example:
        >>> nn.LazyInstanceNorm1d()(torch.rand(2, 3, 4)).shape
        torch.Size([2, 3, 4])
    """

    cls_to_become = InstanceNorm1d
    _unbatched_first = True


class LazyInstanceNorm2d(_LazyNormMixin, InstanceNorm2d):
    """An InstanceNorm2d whose `num_features` comes from its first input.

    Args:
        eps: Term added to the variance.
        momentum: Weight of the input in the running statistics.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, keep no running statistics.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, num_features, H, W).

    Example:
        >>> nn.LazyInstanceNorm2d()(torch.rand(2, 3, 4, 4)).shape
        torch.Size([2, 3, 4, 4])
    """

    cls_to_become = InstanceNorm2d
    _unbatched_first = True


class LazyInstanceNorm3d(_LazyNormMixin, InstanceNorm3d):
    """An InstanceNorm3d whose `num_features` comes from its first input.

    Args:
        eps: Term added to the variance.
        momentum: Weight of the input in the running statistics.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, keep no running statistics.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, num_features, D, H, W).

    Example:
        >>> nn.LazyInstanceNorm3d()(torch.rand(2, 3, 4, 4, 4)).shape
        torch.Size([2, 3, 4, 4, 4])
    """

    cls_to_become = InstanceNorm3d
    _unbatched_first = True

"""Batch and instance normalization, with running statistics."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class _NormBase(Module):
    """Base class of batch and instance normalization: parameters and running statistics."""

    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        options = {"device": device, "dtype": dtype}
        self.weight = Parameter(torch.empty(num_features, **options)) if affine else None
        self.bias = Parameter(torch.empty(num_features, **options)) if affine and bias else None
        for name in ("weight", "bias"):
            if name not in self._parameters:
                del self.__dict__[name]
                self.register_parameter(name, None)
        tracked = track_running_stats
        self.register_buffer(
            "running_mean", torch.zeros(num_features, **options) if tracked else None
        )
        self.register_buffer(
            "running_var", torch.ones(num_features, **options) if tracked else None
        )
        count = torch.tensor(0, dtype=torch.long, device=device) if tracked else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the running means to 0, the running variances to 1, and the batch count to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0, and reset the running statistics."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._input_dims:
            expected = " or ".join(f"{dim}D" for dim in self._input_dims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        """Load the state. Version 1 has no batch count."""
        version = local_metadata.get("version", None)
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            count = self.num_batches_tracked
            keep = count is not None and not count.is_meta
            state_dict[key] = count if keep else torch.tensor(0, dtype=torch.long)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class _BatchNorm(_NormBase):
    """Base class of the batch normalization modules."""

    def forward(self, input: Tensor) -> Tensor:
        """Normalize with the batch's statistics in training mode, otherwise with the running ones.

        Raises:
            ValueError: If the input has the wrong number of dimensions.
        """
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # average all batches equally
                factor = 1.0 / float(self.num_batches_tracked)
        use_batch = self.training or (self.running_mean is None and self.running_var is None)
        update = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if update else None,
            self.running_var if update else None,
            self.weight,
            self.bias,
            use_batch,
            factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalization of each channel with statistics of the batch. See Ioffe and Szegedy (2015).

    The result is (x - mean) / sqrt(var + eps) * weight + bias. In evaluation mode, mean and
    variance are the running ones.

    Args:
        num_features: Number of channels C.
        eps: Term added to the variance.
        momentum: Weight of the batch in the running statistics. None averages all batches.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, use the batch's statistics in evaluation too.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, C) or (N, C, L).

    Example:
        >>> norm = nn.BatchNorm1d(2, affine=False)
        >>> norm(torch.tensor([[1.0, 10.0], [3.0, 30.0]]))
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])
        >>> norm.running_mean
        tensor([0.2000, 2.0000])
    """

    _input_dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalization of each channel of images with statistics of the batch; see BatchNorm1d.

    Args:
        num_features: Number of channels C.
        eps: Term added to the variance.
        momentum: Weight of the batch in the running statistics. None averages all batches.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, use the batch's statistics in evaluation too.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, C, H, W).

    Example:
        >>> norm = nn.BatchNorm2d(3)
        >>> norm(torch.randn(2, 3, 4, 4)).shape
        torch.Size([2, 3, 4, 4])
    """

    _input_dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalization of each channel of volumes with statistics of the batch; see BatchNorm1d.

    Args:
        num_features: Number of channels C.
        eps: Term added to the variance.
        momentum: Weight of the batch in the running statistics. None averages all batches.
        affine: If False, leave out weight and bias.
        track_running_stats: If False, use the batch's statistics in evaluation too.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, C, D, H, W).

    Example:
        >>> norm = nn.BatchNorm3d(3)
        >>> norm(torch.randn(2, 3, 4, 4, 4)).shape
        torch.Size([2, 3, 4, 4, 4])
    """

    _input_dims = (5,)


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)

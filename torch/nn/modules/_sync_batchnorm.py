"""Batch normalization over the batches of all processes, of which this build has one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.module import Module


class SyncBatchNorm(_BatchNorm):
    """Normalize each channel over the batches of all processes of a group.

    Without torch.distributed the group is this process, and the layer gives the results of
    `nn.BatchNorm1d` to `nn.BatchNorm3d`.

    Args:
        num_features: Number of channels.
        eps: Added to the variance.
        momentum: The weight of a batch in the running statistics; None for a plain average.
        affine: If True, learn a weight and a bias for each channel.
        track_running_stats: If True, keep running statistics for evaluation.
        process_group: The group; only None, which means all processes.
        device: Device of the parameters.
        dtype: Data type of the parameters.

    Shape:
        Input and output: ``(N, C, *)``.

    Raises:
        ValueError: If the input has fewer than two dimensions.

    Example:
        >>> nn.SyncBatchNorm(3)(torch.ones(2, 3, 4)).sum()
        tensor(0., grad_fn=<SumBackward0>)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError(
                "SyncBatchNorm number of input channels should be non-zero and non-negative"
            )

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Return a module whose batch normalization layers are SyncBatchNorm layers.

        Args:
            module: A model, which is changed, or a batch normalization layer.
            process_group: The group of the new layers.

        Example:
            >>> nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(2)))
            Sequential(
              (0): SyncBatchNorm(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
            )
        """
        converted = module
        if isinstance(module, _BatchNorm):
            converted = _synchronized(cls, module, process_group)
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted


def _synchronized(cls: type[SyncBatchNorm], layer: _BatchNorm, process_group: Any) -> SyncBatchNorm:
    made = cls(
        layer.num_features,
        layer.eps,
        layer.momentum,
        layer.affine,
        layer.track_running_stats,
        process_group,
        bias=layer.bias is not None,
    )
    made.weight, made.bias = layer.weight, layer.bias
    made.running_mean, made.running_var = layer.running_mean, layer.running_var
    made.num_batches_tracked = layer.num_batches_tracked
    made.training = layer.training
    if hasattr(layer, "qconfig"):
        made.qconfig = layer.qconfig
    return made

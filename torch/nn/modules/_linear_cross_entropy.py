"""The loss layer that holds the linear layer before it."""

from __future__ import annotations

import math
from typing import Any

import torch.nn.functional as F
from torch import Tensor
from torch.nn.modules.linear import Linear
from torch.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions
from torch.nn.modules.loss import _WeightedLoss

__all__ = ["LinearCrossEntropyLoss"]


class LinearCrossEntropyLoss(_WeightedLoss):
    """Cross entropy of a linear layer's outputs relative to classes or class probabilities.

    Args:
        in_features: The size of a sample.
        num_classes: The number of classes, C.
        out_features: (d_1, ..., d_K), if each sample has that many targets.
        bias: Whether the linear layer has a bias.
        device: The device of the linear layer.
        dtype: The dtype of the linear layer.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        weight: Weight of each class, (C).
        ignore_index: Class index that does not count; None means -100 for class indices.
        label_smoothing: Fraction of the target, between 0 and 1, that is spread over all classes.
        options: How to divide the batch into chunks, which saves memory; None computes it at once.

    Shape:
        - Input: (N, in_features) or (in_features).
        - Target: (N, d_1, ..., d_K) or a scalar, class indices; or (N, C, d_1, ..., d_K) or (C), probabilities.
        - Output: a scalar, or (N, d_1, ..., d_K) with ``reduction="none"``.

    Example:
        >>> loss = nn.LinearCrossEntropyLoss(5, 10, out_features=(4,))
        >>> loss(torch.ones(2, 5), torch.zeros(2, 4, dtype=torch.int64)).shape
        torch.Size([])
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(
                f"expected weight shape to be ({num_classes},), got {tuple(weight.shape)}"
            )
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(
                f"expected label_smoothing to be in range [0, 1], got {label_smoothing}"
            )
        super().__init__(weight, reduction=reduction)
        self.in_features = in_features
        self.num_classes = num_classes
        self.out_features = tuple(out_features)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        outputs = num_classes * math.prod(self.out_features)
        self.linear = Linear(in_features, outputs, bias, device, dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        outputs = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.view(*outputs, self.in_features),
            target,
            linear_bias=None if bias is None else bias.view(outputs),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """Return the arguments that print shows."""
        return (
            f"in_features={self.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )

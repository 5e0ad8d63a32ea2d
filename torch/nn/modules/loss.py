"""Losses as modules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.nn import functional as F
from torch.nn.functional import _reduction
from torch.nn.modules.module import Module


class _Loss(Module):
    """Base class of the losses, which stores the reduction."""

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.reduction = _reduction.resolve_legacy(reduction, size_average, reduce)


class _WeightedLoss(_Loss):
    """Base class of the losses with a `weight` buffer."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class _ElementwiseLoss(_Loss):
    """Base class of the losses of two equally shaped tensors that have no settings."""

    _operator: Callable[..., Tensor]

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return self._operator(input, target, reduction=self.reduction)


class L1Loss(_ElementwiseLoss):
    """Mean absolute error: abs(input - target).

    Args:
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> nn.L1Loss()(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))
        tensor(1.)
    """

    _operator = property(lambda _: F.l1_loss)


class MSELoss(_ElementwiseLoss):
    """Mean squared error: (input - target)^2.

    Args:
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> nn.MSELoss()(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))
        tensor(2.)
    """

    _operator = property(lambda _: F.mse_loss)


class SoftMarginLoss(_ElementwiseLoss):
    """Logistic loss of labels 1 and -1: log(1 + exp(-target * input)).

    Args:
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> loss = nn.SoftMarginLoss(reduction="none")
        >>> loss(torch.tensor([0.0, 2.0]), torch.tensor([1.0, -1.0]))
        tensor([0.6931, 2.1269])
    """

    _operator = property(lambda _: F.soft_margin_loss)


class SmoothL1Loss(_Loss):
    """A loss that is quadratic for small errors and linear for large ones.

    With d = abs(input - target), it is d^2 / (2 beta) where d < beta, and d - beta / 2 elsewhere.

    Args:
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        beta: Error at which the loss becomes linear.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> loss = nn.SmoothL1Loss(reduction="none")
        >>> loss(torch.tensor([0.5, 3.0]), torch.zeros(2))
        tensor([0.1250, 2.5000])
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """A loss that is quadratic for small errors and linear for large ones.

    With d = abs(input - target), it is d^2 / 2 where d < delta, and delta (d - delta / 2)
    elsewhere. See Huber (1964).

    Args:
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        delta: Error at which the loss becomes linear.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> loss = nn.HuberLoss(reduction="none", delta=2.0)
        >>> loss(torch.tensor([0.5, 3.0]), torch.zeros(2))
        tensor([0.1250, 4.0000])
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(_WeightedLoss):
    """Negative log likelihood of classes.

    Args:
        weight: Weight of each class, (C). The mean divides by the sum of the targets' weights.
        size_average: Deprecated. Use `reduction`.
        ignore_index: Class index that does not count.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Input: (N, C, ...) or (C), log-probabilities.
        - Target: (N, ...) or a scalar, class indices.
        - Output: a scalar, or the target's shape with ``reduction="none"``.

    Example:
        >>> log_probabilities = torch.tensor([[0.5, 0.5], [0.75, 0.25]]).log()
        >>> nn.NLLLoss(reduction="none")(log_probabilities, torch.tensor([0, 1]))
        tensor([0.6931, 1.3863])
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.nll_loss(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )


class NLLLoss2d(NLLLoss):
    """Deprecated name of `NLLLoss`, which takes the same arguments.

    Example:
        >>> issubclass(nn.NLLLoss2d, nn.NLLLoss)
        True
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in "
            "replacement and see https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more "
            "details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(*args, **kwargs)


class CrossEntropyLoss(_WeightedLoss):
    """Cross entropy of logits relative to classes or class probabilities.

    Args:
        weight: Weight of each class, (C).
        size_average: Deprecated. Use `reduction`.
        ignore_index: Class index that does not count.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        label_smoothing: Fraction of the target, between 0 and 1, that is spread over all classes.

    Shape:
        - Input: (N, C, ...) or (C), logits.
        - Target: (N, ...) or a scalar, class indices; or the input's shape, probabilities.
        - Output: a scalar, or (N, ...) with ``reduction="none"``.

    Example:
        >>> logits = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
        >>> nn.CrossEntropyLoss(reduction="none")(logits, torch.tensor([0, 1]))
        tensor([0.1269, 0.6931])
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(_WeightedLoss):
    """Binary cross entropy: -(t log(p) + (1 - t) log(1 - p)) of probabilities p and targets t.

    Args:
        weight: Weight of each element, broadcast to the target's shape.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> nn.BCELoss()(torch.tensor([0.5, 0.9]), torch.tensor([1.0, 1.0]))
        tensor(0.3993)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss.

        Raises:
            ValueError: If the shapes differ.
        """
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of sigmoid(input), without overflow.

    Args:
        weight: Weight of each element, broadcast to the target's shape.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        pos_weight: Weight of the positive part of the target, broadcast to its shape.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> nn.BCEWithLogitsLoss()(torch.tensor([0.0, 2.0]), torch.tensor([1.0, 1.0]))
        tensor(0.4100)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss.

        Raises:
            ValueError: If the shapes differ.
        """
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """Kullback-Leibler divergence: target * (log(target) - input).

    Args:
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none``, ``batchmean`` (the sum divided by the batch size, which is the
            divergence), ``sum``, or ``mean`` (the mean over all elements).
        log_target: If True, the target holds log-probabilities.

    Shape:
        - Input: any shape, log-probabilities.
        - Target: the same shape, probabilities.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> input = torch.tensor([[0.5, 0.5]]).log()
        >>> nn.KLDivLoss(reduction="batchmean")(input, torch.tensor([[0.25, 0.75]]))
        tensor(0.1308)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """Negative log likelihood of counts under a Poisson distribution.

    It is exp(input) - target * input, or input - target * log(input + eps) if `log_input` is
    False.

    Args:
        log_input: Whether the input holds logarithms of the rates.
        full: If True, add Stirling's approximation of the constant term where the target exceeds 1.
        size_average: Deprecated. Use `reduction`.
        eps: Term added to the rates before taking their logarithm.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> loss = nn.PoissonNLLLoss(reduction="none")
        >>> loss(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
        tensor([1.0000, 0.7183])
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """Negative log likelihood of values under a normal distribution.

    It is (log(var) + (input - target)^2 / var) / 2.

    Args:
        full: If True, add the constant log(2 pi) / 2.
        eps: Smallest variance; lower ones are raised to it.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Input: any shape, means.
        - Target: the same shape, or one that broadcasts to it.
        - var: the input's shape, whose last dimension may be 1 or missing, or a number.
        - Output: a scalar, or the input's shape with ``reduction="none"``.

    Example:
        >>> loss = nn.GaussianNLLLoss(reduction="none")
        >>> loss(torch.zeros(2), torch.tensor([0.0, 2.0]), torch.ones(2))
        tensor([0., 2.])
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Compute the loss.

        Raises:
            ValueError: If a variance is negative or has the wrong shape.
        """
        return F.gaussian_nll_loss(
            input, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)

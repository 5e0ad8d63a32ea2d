"""The cross entropy of a linear layer's outputs, whole or in chunks that never hold all logits."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch._torch_function import handle_torch_function, has_torch_function
from torch.autograd.function import Function, once_differentiable
from torch.nn.functional import _reduction, cross_entropy, linear, nll_loss

if TYPE_CHECKING:
    from torch.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions

__all__ = ["linear_cross_entropy"]

_DEFAULT_IGNORED = -100


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """Compute the cross entropy of a linear layer's outputs relative to classes or class probabilities.

    It is ``cross_entropy(linear(input, linear_weight, linear_bias), target, ...)``. With `options`, the batch is
    computed in chunks, and the gradients during the call: then there are no second derivatives, no
    forward-mode derivatives and no transforms of torch.func.

    Args:
        input: Samples, (N, in_features) or (in_features).
        linear_weight: The layer's weight, (C, in_features) or (C, d_1, ..., d_K, in_features).
        target: Class indices, (N, d_1, ..., d_K) or a scalar, or probabilities, (N, C, d_1, ..., d_K) or (C).
        linear_bias: The layer's bias: `linear_weight`'s shape without in_features.
        weight: Weight of each class, (C).
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        ignore_index: Class index that does not count; None means -100 for class indices.
        label_smoothing: Fraction of the target, between 0 and 1, that is spread over all classes.
        options: How to divide the batch into chunks; None computes it at once. Chunks need class indices of
            dtype int64, no label smoothing and no d_1, ..., d_K; otherwise a warning says that they were ignored.

    Returns:
        The loss: a scalar, or a tensor of shape (N, d_1, ..., d_K) with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.
        RuntimeError: If a shape does not fit, or `ignore_index` is given for probabilities.

    Example:
        >>> x, w = torch.eye(3), torch.eye(3)
        >>> F.linear_cross_entropy(x, w, torch.arange(3))
        tensor(0.5514)
    """
    tensors = (input, linear_weight, target, linear_bias, weight)
    if has_torch_function(tensors):
        return handle_torch_function(
            linear_cross_entropy,
            tensors,
            input,
            linear_weight,
            target,
            linear_bias=linear_bias,
            weight=weight,
            reduction=reduction,
            ignore_index=ignore_index,
            label_smoothing=label_smoothing,
            options=options,
        )
    _check_shapes(input, linear_weight, linear_bias, weight)
    _reduction.code(reduction)
    if target.is_floating_point() and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignored = _DEFAULT_IGNORED if ignore_index is None else ignore_index
    if options is not None:
        if label_smoothing == 0 and target.dtype == torch.int64 and linear_weight.ndim == 2:
            return _chunked(
                input, linear_weight, linear_bias, target, weight, reduction, ignored, options
            )
        warnings.warn(
            "linear_cross_entropy: ``options`` ignored; the chunked path needs label_smoothing == 0, "
            "target.dtype == int64 and a linear_weight of two dimensions. Using the reference path.",
            stacklevel=2,
        )
    logits = _logits(input, linear_weight, linear_bias)
    return cross_entropy(
        logits,
        target,
        weight,
        ignore_index=ignored,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


def _check_shapes(
    input: Tensor, linear_weight: Tensor, linear_bias: Tensor | None, weight: Tensor | None
) -> None:
    if linear_weight.ndim < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}"
        )
    if input.ndim not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {input.shape[-1]} and {linear_weight.shape[-1]}, respectively"
        )
    if input.ndim == 1 and linear_weight.ndim > 2:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched "
            f"input, (N, {linear_weight.shape[-1]}), got unbatched input with shape {tuple(input.shape)}"
        )
    if linear_bias is not None and linear_bias.shape != linear_weight.shape[:-1]:
        raise RuntimeError(
            f"expected linear_bias shape {tuple(linear_weight.shape[:-1])}, got {tuple(linear_bias.shape)}"
        )
    if weight is not None and weight.shape != linear_weight.shape[:1]:
        raise RuntimeError(
            f"expected weight shape to be {tuple(linear_weight.shape[:1])}, got {tuple(weight.shape)}"
        )


def _logits(input: Tensor, linear_weight: Tensor, linear_bias: Tensor | None) -> Tensor:
    """Return the logits, (N, C, d_1, ..., d_K), or without N."""
    outputs = linear_weight.shape[:-1]
    bias = None if linear_bias is None else linear_bias.flatten()
    logits = linear(input, linear_weight.flatten(0, -2), bias)
    return logits.unflatten(-1, outputs) if len(outputs) > 1 else logits


def _chunked(
    input: Tensor,
    linear_weight: Tensor,
    linear_bias: Tensor | None,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    ignored: int,
    options: LinearCrossEntropyOptions,
) -> Tensor:
    is_batch = input.ndim == 2
    if not is_batch:
        input, target = input.unsqueeze(0), target.unsqueeze(0)
    if target.shape != input.shape[:1]:
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
        )
    problem = _Problem(target, weight, reduction, ignored, options)
    loss = _ChunkedLoss.apply(input, linear_weight, linear_bias, problem)
    return loss if is_batch or reduction != "none" else loss.squeeze(0)


@dataclass(frozen=True)
class _Problem:
    """The arguments of the loss other than the linear layer and its input."""

    target: Tensor
    weight: Tensor | None
    reduction: str
    ignored: int
    options: LinearCrossEntropyOptions

    def sample_weights(self, dtype: torch.dtype) -> Tensor:
        """Return the factor of each sample's loss: its class's weight, 0 if ignored, over the sum for a mean."""
        counted = self.target != self.ignored
        factors = counted.to(dtype)
        if self.weight is not None:
            classes = self.target.where(counted, 0)
            factors = factors * self.weight.detach().to(dtype)[classes]
        return factors / factors.sum() if self.reduction == "mean" else factors


class _Layer:
    """A linear layer on a batch, chunk by chunk, in the precision that the options ask for."""

    def __init__(
        self, input: Tensor, weight: Tensor, bias: Tensor | None, options: LinearCrossEntropyOptions
    ) -> None:
        self.accumulation = options.accumulation_dtype(input.dtype)
        product = self.accumulation if options.acc_policy == "accurate" else input.dtype
        self.is_compact = options.acc_policy in ("compact", "auto")
        self._input, self._weight = input, weight.to(product)
        self._bias = None if bias is None else bias.to(product)
        self._size = options.chunk_size(input.shape[0], input.shape[1], weight.shape[0])

    def chunks(self) -> Iterator[tuple[slice, Tensor]]:
        """Yield each chunk's place and the logarithms of its probabilities."""
        for start in range(0, self._input.shape[0], self._size):
            place = slice(start, start + self._size)
            logits = linear(self._input[place].to(self._weight.dtype), self._weight, self._bias)
            yield place, torch.log_softmax(logits, 1, dtype=self.accumulation)

    def gradients(self) -> _Gradients:
        """Return gradients of zero for the input, the weight and the bias."""
        dtype = self._input.dtype if self.is_compact else self.accumulation
        bias = None if self._bias is None else torch.zeros_like(self._bias, dtype=self.accumulation)
        return _Gradients(
            torch.zeros_like(self._input), torch.zeros_like(self._weight, dtype=dtype), bias
        )

    def add_gradients(self, total: _Gradients, place: slice, of_logits: Tensor) -> None:
        """Add what a chunk's logits, given the gradient of the loss by them, contribute."""
        narrow = of_logits.to(self._weight.dtype)
        total.input[place] = narrow @ self._weight
        chunk = self._input[place].to(narrow.dtype)
        if total.weight.dtype == narrow.dtype:
            total.weight.addmm_(narrow.mT, chunk)
        else:
            total.weight += of_logits.mT @ chunk.to(of_logits.dtype)
        if total.bias is not None:
            total.bias += of_logits.sum(0)


@dataclass
class _Gradients:
    input: Tensor
    weight: Tensor
    bias: Tensor | None


def _gradient_of_logits(log_probabilities: Tensor, target: Tensor, factors: Tensor) -> Tensor:
    """Return (p - onehot(target)) * factor for each sample, in the memory of the logarithms of p."""
    gradient = log_probabilities.exp_()
    counted = factors != 0
    rows = torch.arange(len(target), device=target.device)
    gradient[rows, target.where(counted, 0)] -= 1
    return gradient.mul_(factors.unsqueeze(1))


class _ChunkedLoss(Function):
    """Computes the gradients of a mean or a sum with the loss, and those of single losses in backward."""

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None, problem: _Problem
    ) -> Tensor:
        layer = _Layer(input, weight, bias, problem.options)
        factors = problem.sample_weights(layer.accumulation)
        eager = problem.reduction != "none" and any(ctx.needs_input_grad)
        total = layer.gradients() if eager else None
        losses = torch.empty(len(input), dtype=layer.accumulation, device=input.device)
        for place, log_probabilities in layer.chunks():
            target, factor = problem.target[place], factors[place]
            losses[place] = factor * nll_loss(
                log_probabilities, target, ignore_index=problem.ignored, reduction="none"
            )
            if total is not None:
                layer.add_gradients(
                    total, place, _gradient_of_logits(log_probabilities, target, factor)
                )
        ctx.problem, ctx.total = problem, total
        if problem.reduction == "none":
            ctx.save_for_backward(input, weight, bias)
            return losses.to(input.dtype)
        ctx.dtypes = weight.dtype, None if bias is None else bias.dtype
        return losses.sum().to(input.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        if ctx.problem.reduction == "none":
            return (*_recomputed_gradients(*ctx.saved_tensors, ctx.problem, grad), None)
        total = ctx.total
        if total is None:
            raise RuntimeError(
                "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward "
                "are not supported. LinearCrossEntropyOptions(allow_retain_graph=True) allows it."
            )
        gradients = (total.input, total.weight, total.bias)
        if ctx.problem.options.allow_retain_graph:
            scaled = [None if g is None else g * grad for g in gradients]
        else:
            ctx.total = None
            scaled = [None if g is None else g.mul_(grad) for g in gradients]
        dtypes = (scaled[0].dtype, *ctx.dtypes)
        typed = (None if g is None else g.to(d) for g, d in zip(scaled, dtypes, strict=True))
        return (*typed, None)


def _recomputed_gradients(
    input: Tensor, weight: Tensor, bias: Tensor | None, problem: _Problem, grad: Tensor
) -> tuple[Tensor | None, ...]:
    layer = _Layer(input, weight, bias, problem.options)
    factors = problem.sample_weights(layer.accumulation) * grad
    total = layer.gradients()
    for place, log_probabilities in layer.chunks():
        of_logits = _gradient_of_logits(log_probabilities, problem.target[place], factors[place])
        layer.add_gradients(total, place, of_logits)
    of_bias = None if total.bias is None or bias is None else total.bias.to(bias.dtype)
    return total.input, total.weight.to(weight.dtype), of_bias

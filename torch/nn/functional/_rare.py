"""Functions that few programs use; loaded at first use."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional._embedding import _renormalize
from torch.nn.functional._overridable import overridable
from torch.nn.functional._resize import interpolate

_BAG_MODES = {"sum": 0, "mean": 1, "max": 2}


def _as_rows(
    input: Tensor, offsets: Tensor | None, weights: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return indices, offsets and weights of bags that are given as a matrix or with offsets."""
    if weights is not None and input.size() != weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({weights.shape}) is not None, then it must "
            f"have the same shape as the input ({input.shape})"
        )
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        rows, width = input.shape
        offsets = torch.arange(rows, dtype=input.dtype, device=input.device) * width
        return input.reshape(-1), offsets, None if weights is None else weights.reshape(-1)
    if input.dim() != 1:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}"
        )
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return input, offsets, weights


@overridable
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Compute sums, means or maxima of rows of a table.

    Args:
        input: Row numbers: (B, N) for B bags of N rows, or all bags in one row.
        weight: Table, (V, D).
        offsets: Where each bag begins in a one-dimensional input.
        max_norm: If given, rows with a larger norm are first scaled down to it, in place.
        norm_type: Order p of the p-norm that `max_norm` limits.
        scale_grad_by_freq: If True, divide each row's gradient by the row's count in the input.
        mode: ``sum``, ``mean`` or ``max``.
        sparse: If True, the gradient of `weight` is a sparse tensor; not for mode ``max``.
        per_sample_weights: A factor for each row, for mode ``sum``.
        include_last_offset: If True, the last offset is the end of the last bag.
        padding_idx: Row that counts nothing and receives no gradient.

    Returns:
        One vector for each bag, (B, D).

    Raises:
        ValueError: If the arguments do not fit together.

    Example:
        >>> table = torch.tensor([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
        >>> F.embedding_bag(torch.tensor([[0, 2], [1, 1]]), table, mode="sum")
        tensor([[2., 3.],
                [2., 3.]])
    """
    if weight.dtype == torch.long and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage "
            "`embedding_bag(weight, input, ...)` is deprecated, and should now be "
            "`embedding_bag(input, weight, ...)`.",
            stacklevel=3,
        )
        input, weight = weight, input
    input, offsets, weights = _as_rows(input, offsets, per_sample_weights)
    if mode not in _BAG_MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    if max_norm is not None:
        _renormalize(weight, input, max_norm, norm_type)
    if sparse and weight.requires_grad and torch.is_grad_enabled():
        from torch.sparse._embedding import embedding_bag as with_sparse_gradient

        return with_sparse_gradient(
            weight,
            input,
            offsets,
            _BAG_MODES[mode],
            weights,
            include_last_offset,
            padding_idx,
            scale_grad_by_freq,
        )
    return torch.embedding_bag(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        _BAG_MODES[mode],
        sparse,
        weights,
        include_last_offset,
        padding_idx,
    )[0]


@overridable
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Multiply negative values by slopes: random ones in training, otherwise their mean.

    Args:
        input: Tensor of any shape.
        lower: Smallest slope.
        upper: Largest slope.
        training: Whether to draw the slopes.
        inplace: Whether to change the input.

    Returns:
        A tensor of the same shape.

    Example:
        >>> F.rrelu(torch.tensor([-2.0, 1.0]), 0.25, 0.75)
        tensor([-1.,  1.])
    """
    return (torch.rrelu_ if inplace else torch.rrelu)(input, lower, upper, training)


@overridable
def upsample_nearest(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """Call interpolate with mode ``nearest`` and warn that this name is deprecated.

    Args:
        input: See interpolate().
        size: See interpolate().
        scale_factor: See interpolate().

    Returns:
        The resampled tensor.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     F.upsample_nearest(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
    """
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=3,
    )
    return interpolate(input, size, scale_factor, mode="nearest")


@overridable
def upsample_bilinear(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """Call interpolate with mode ``bilinear`` and warn that this name is deprecated.

    Args:
        input: See interpolate().
        size: See interpolate().
        scale_factor: See interpolate().

    Returns:
        The resampled tensor.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     F.upsample_bilinear(torch.tensor([[[[1.0, 2.0]]]]), size=(1, 3))
        tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=3,
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)

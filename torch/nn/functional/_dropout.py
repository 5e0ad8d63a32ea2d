"""Dropout."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor
from torch._torch_function import handle_torch_function, has_torch_function_unary


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set random elements to zero and scale the others by 1 / (1 - p).

    Args:
        input: Tensor of any shape.
        p: Probability of dropping, between 0 and 1.
        training: If False, return the input unchanged.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> result = F.dropout(torch.ones(1000), p=0.5)
        >>> sorted(set(result.tolist()))
        [0.0, 2.0]
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            dropout, (input,), input, p=p, training=training, inplace=inplace
        )
    _check_probability(p)
    operator = torch.dropout_ if inplace else torch.dropout
    return operator(input, p, training)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Apply dropout that preserves the mean and variance of SELU activations.

    See Klambauer et al. (2017).

    Args:
        input: Tensor of any shape.
        p: Probability of dropping, between 0 and 1.
        training: If False, return the input unchanged.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> x = torch.randn(4, 4)
        >>> torch.equal(F.alpha_dropout(x, training=False), x)
        True
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            alpha_dropout, (input,), input, p=p, training=training, inplace=inplace
        )
    _check_probability(p)
    operator = torch.alpha_dropout_ if inplace else torch.alpha_dropout
    return operator(input, p, training)


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    operator = torch.feature_dropout_ if inplace else torch.feature_dropout
    return operator(input, p, training)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set random channels of one-dimensional data to zero and scale the others by 1 / (1 - p).

    Args:
        input: Tensor of shape (N, C, L) or (C, L).
        p: Probability of dropping, between 0 and 1.
        training: If False, return the input unchanged.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `p` is not between 0 and 1.
        RuntimeError: If the input does not have two or three dimensions.

    Example:
        >>> result = F.dropout1d(torch.ones(1, 8, 3))
        >>> bool((result == result[:, :, :1]).all())  # channels are kept or dropped whole
        True
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            dropout1d, (input,), input, p=p, training=training, inplace=inplace
        )
    _check_probability(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that "
            "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, a "
            "channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    if input.dim() == 3:
        return _drop_channels(input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _drop_channels(batch, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set random channels of two-dimensional data to zero and scale the others by 1 / (1 - p).

    Args:
        input: Tensor of shape (N, C, H, W). A three-dimensional tensor is taken as (N, C, L), with
            a warning.
        p: Probability of dropping, between 0 and 1.
        training: If False, return the input unchanged.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> result = F.dropout2d(torch.ones(1, 8, 2, 2))
        >>> bool((result == result[:, :, :1, :1]).all())  # channels are kept or dropped whole
        True
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            dropout2d, (input,), input, p=p, training=training, inplace=inplace
        )
    _check_probability(p)
    if input.dim() not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is deprecated and "
            "will result in an error in a future release. To retain the behavior and silence this "
            "warning, please use dropout instead. Note that dropout2d exists to provide "
            "channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an "
            "optional batch dimension (i.e. 3D or 4D inputs).",
            stacklevel=2,
        )
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. This behavior will change in a future release to interpret the input as one "
            "without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _drop_channels(input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set random channels of three-dimensional data to zero and scale the others by 1 / (1 - p).

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        p: Probability of dropping, between 0 and 1.
        training: If False, return the input unchanged.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> result = F.dropout3d(torch.ones(1, 8, 2, 2, 2))
        >>> bool((result == result[:, :, :1, :1, :1]).all())  # channels are kept or dropped whole
        True
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            dropout3d, (input,), input, p=p, training=training, inplace=inplace
        )
    _check_probability(p)
    if input.dim() not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {input.dim()}-D input to dropout3d, which is deprecated and "
            "will result in an error in a future release. To retain the behavior and silence this "
            "warning, please use dropout instead. Note that dropout3d exists to provide "
            "channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and an "
            "optional batch dimension (i.e. 4D or 5D inputs).",
            stacklevel=2,
        )
    if input.dim() == 5:
        return _drop_channels(input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _drop_channels(batch, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Apply alpha dropout to whole channels.

    Args:
        input: Tensor of shape (N, C, ...).
        p: Probability of dropping, between 0 and 1.
        training: If False, return the input unchanged.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> result = F.feature_alpha_dropout(torch.ones(1, 8, 3), training=True)
        >>> bool((result == result[:, :, :1]).all())  # channels are kept or dropped whole
        True
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            feature_alpha_dropout, (input,), input, p=p, training=training, inplace=inplace
        )
    _check_probability(p)
    operator = torch.feature_alpha_dropout_ if inplace else torch.feature_alpha_dropout
    return operator(input, p, training)

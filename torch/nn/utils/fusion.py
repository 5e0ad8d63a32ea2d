"""Batch normalization in evaluation mode, folded into the layer before it."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor
from torch.nn.parameter import Parameter


def _fused(
    weight: Tensor,
    bias: Tensor | None,
    mean: Tensor,
    var: Tensor,
    eps: float,
    norm_weight: Tensor | None,
    norm_bias: Tensor | None,
    shape: list[int],
) -> tuple[Parameter, Parameter]:
    offset = torch.zeros_like(mean) if bias is None else bias
    scale = torch.rsqrt(var + eps)
    if norm_weight is not None:
        scale = scale * norm_weight
    shift = torch.zeros_like(mean) if norm_bias is None else norm_bias
    new_weight = (weight * scale.reshape(shape)).to(weight.dtype)
    bias_dtype = weight.dtype if bias is None else bias.dtype
    new_bias = ((offset - mean) * scale + shift).to(bias_dtype)
    return (
        Parameter(new_weight, weight.requires_grad),
        Parameter(new_bias, offset.requires_grad),
    )


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of a convolution that includes a batch normalization.

    Args:
        conv_w: Weight of the convolution.
        conv_b: Its bias.
        bn_rm: Running mean of the normalization.
        bn_rv: Its running variance.
        bn_eps: The term added to the variance.
        bn_w: Its weight.
        bn_b: Its bias.
        transpose: Whether the convolution is transposed.

    Returns:
        The weight and the bias.

    Example:
        >>> one, zero = torch.ones(1), torch.zeros(1)
        >>> weight, _ = torch.nn.utils.fuse_conv_bn_weights(
        ...     torch.ones(1, 1, 1), None, zero, one * 4, 0.0, one, zero
        ... )
        >>> weight.item()
        0.5
    """
    rest = [1] * (conv_w.dim() - 2)
    shape = [1, -1, *rest] if transpose else [-1, 1, *rest]
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of a linear layer that includes a batch normalization.

    Args:
        linear_w: Weight of the layer.
        linear_b: Its bias.
        bn_rm: Running mean of the normalization.
        bn_rv: Its running variance.
        bn_eps: The term added to the variance.
        bn_w: Its weight.
        bn_b: Its bias.

    Returns:
        The weight and the bias.

    Example:
        >>> one, zero = torch.ones(1), torch.zeros(1)
        >>> weight, _ = torch.nn.utils.fuse_linear_bn_weights(
        ...     torch.ones(1, 1), None, zero, one * 4, 0.0, one, zero
        ... )
        >>> weight.item()
        0.5
    """
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _fused_parameters(
    layer: Any, norm: Any, transpose: bool = False
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of a layer that includes a batch normalization, in any mode."""
    return fuse_conv_bn_weights(
        layer.weight, layer.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight,
        norm.bias, transpose,
    )  # fmt: skip


def _check_evaluation(layer: Any, norm: Any) -> None:
    if layer.training or norm.training:
        raise AssertionError("Fusion only for eval!")
    if norm.running_mean is None or norm.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """Return a convolution that includes a batch normalization, both in evaluation mode.

    Args:
        conv: The convolution.
        bn: The normalization after it.
        transpose: Whether the convolution is transposed.

    Returns:
        A copy of the convolution with other parameters.

    Raises:
        AssertionError: If one of both is in training mode.

    Example:
        >>> conv, norm = nn.Conv2d(3, 4, 1).eval(), nn.BatchNorm2d(4).eval()
        >>> torch.nn.utils.fuse_conv_bn_eval(conv, norm)
        Conv2d(3, 4, kernel_size=(1, 1), stride=(1, 1))
    """
    _check_evaluation(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = _fused_parameters(fused, bn, transpose)
    return fused


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """Return a linear layer that includes a batch normalization, both in evaluation mode.

    Args:
        linear: The layer.
        bn: The normalization after it, of as many features or of one.

    Returns:
        A copy of the layer with other parameters.

    Raises:
        AssertionError: If one of both is in training mode, or the features do not fit.

    Example:
        >>> layer, norm = nn.Linear(3, 4).eval(), nn.BatchNorm1d(4).eval()
        >>> torch.nn.utils.fuse_linear_bn_eval(layer, norm)
        Linear(in_features=3, out_features=4, bias=True)
    """
    _check_evaluation(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1"
        )
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = _fused_parameters(fused, bn)
    return fused

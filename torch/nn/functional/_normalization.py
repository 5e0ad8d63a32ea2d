"""Normalization."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch._C import _nn
from torch._torch_function import (
    handle_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)


def _verify_batch_size(size: Sequence[int]) -> None:
    """Raise ValueError if a channel has only one value, which has no variance."""
    values = size[0]
    for extent in size[2:]:
        values *= extent
    if values == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size}"
        )


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel with statistics of the batch or with running statistics.

    The result is (x - mean) / sqrt(var + eps) * weight + bias; see Ioffe and Szegedy (2015).

    Args:
        input: Tensor of shape (N, C, ...).
        running_mean: Running mean of each channel, (C), updated in place in training.
        running_var: Running variance of each channel, (C), updated in place in training.
        weight: Scale of each channel, (C), or None.
        bias: Shift of each channel, (C), or None.
        training: If True, use the statistics of the batch, otherwise the running ones.
        momentum: Weight of the batch in the running statistics.
        eps: Term added to the variance.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `training` is set and a channel has only one value, or `eps` is not positive.

    Example:
        >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
        >>> F.batch_norm(x, None, None, training=True)
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])
    """
    if has_torch_function_variadic(input, running_mean, running_var, weight, bias):
        return handle_torch_function(
            batch_norm,
            (input, running_mean, running_var, weight, bias),
            input,
            running_mean,
            running_var,
            weight=weight,
            bias=bias,
            training=training,
            momentum=momentum,
            eps=eps,
        )
    if training:
        _verify_batch_size(input.size())
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    return torch.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, False
    )


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of each item with its own statistics.

    The result is (x - mean) / sqrt(var + eps) * weight + bias; see Ulyanov et al. (2016).

    Args:
        input: Tensor of shape (N, C, ...).
        running_mean: Running mean of each channel, (C), or None.
        running_var: Running variance of each channel, (C), or None.
        weight: Scale of each channel, (C), or None.
        bias: Shift of each channel, (C), or None.
        use_input_stats: If False, use the running statistics.
        momentum: Weight of the input in the running statistics.
        eps: Term added to the variance.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `use_input_stats` is set and a channel of an item has only one value.

    Example:
        >>> F.instance_norm(torch.tensor([[[1.0, 3.0], [10.0, 30.0]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """
    if has_torch_function_variadic(input, running_mean, running_var, weight, bias):
        return handle_torch_function(
            instance_norm,
            (input, running_mean, running_var, weight, bias),
            input,
            running_mean=running_mean,
            running_var=running_var,
            weight=weight,
            bias=bias,
            use_input_stats=use_input_stats,
            momentum=momentum,
            eps=eps,
        )
    if use_input_stats:
        elements = 1
        for extent in input.size()[2:]:
            elements *= extent
        if elements == 1:
            raise ValueError(
                f"Expected more than 1 spatial element when training, got input size {input.size()}"
            )
    return torch.instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False
    )


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize over the last dimensions.

    The result is (x - mean) / sqrt(var + eps) * weight + bias; see Ba et al. (2016).

    Args:
        input: Tensor of shape (*, normalized_shape).
        normalized_shape: Sizes of the dimensions to normalize over.
        weight: Scale of the shape `normalized_shape`, or None.
        bias: Shift of the shape `normalized_shape`, or None.
        eps: Term added to the variance.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.layer_norm(torch.tensor([[1.0, 3.0], [10.0, 30.0]]), [2])
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """
    if has_torch_function_variadic(input, weight, bias):
        return handle_torch_function(
            layer_norm,
            (input, weight, bias),
            input,
            normalized_shape,
            weight=weight,
            bias=bias,
            eps=eps,
        )
    return torch.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Divide by the root mean square over the last dimensions.

    The result is x / sqrt(mean(x^2) + eps) * weight; see Zhang and Sennrich (2019).

    Args:
        input: Tensor of shape (*, normalized_shape).
        normalized_shape: Sizes of the dimensions to normalize over.
        weight: Scale of the shape `normalized_shape`, or None.
        eps: Term added to the mean square. The default is the dtype's machine epsilon.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.rms_norm(torch.tensor([[3.0, 4.0, 0.0, 0.0]]), [4])
        tensor([[1.2000, 1.6000, 0.0000, 0.0000]])
    """
    if has_torch_function_variadic(input, weight):
        return handle_torch_function(
            rms_norm, (input, weight), input, normalized_shape, weight=weight, eps=eps
        )
    return torch.rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize groups of channels together.

    The result is (x - mean) / sqrt(var + eps) * weight + bias; see Wu and He (2018).

    Args:
        input: Tensor of shape (N, C, ...).
        num_groups: Number of groups, a divisor of C.
        weight: Scale of each channel, (C), or None.
        bias: Shift of each channel, (C), or None.
        eps: Term added to the variance.

    Returns:
        A tensor of the input's shape.

    Raises:
        RuntimeError: If the input has fewer than two dimensions.
        ValueError: If a group has only one value.

    Example:
        >>> F.group_norm(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), num_groups=2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if has_torch_function_variadic(input, weight, bias):
        return handle_torch_function(
            group_norm, (input, weight, bias), input, num_groups, weight=weight, bias=bias, eps=eps
        )
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    size = input.size()
    _verify_batch_size([size[0] * size[1] // num_groups, num_groups, *size[2:]])
    return torch.group_norm(input, num_groups, weight, bias, eps)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide each element by a power of the mean square of neighboring channels.

    The result is x / (k + alpha * mean(x^2))^beta, with the mean over `size` channels; see
    Krizhevsky et al. (2012).

    Args:
        input: Tensor of shape (N, C, ...).
        size: Number of neighboring channels.
        alpha: Factor of the mean.
        beta: Exponent.
        k: Term added to the mean.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If the input has fewer than three dimensions.

    Example:
        >>> F.local_response_norm(torch.ones(1, 3, 1), size=3, alpha=3.0, beta=1.0).flatten()
        tensor([0.3333, 0.2500, 0.3333])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            local_response_norm, (input,), input, size, alpha=alpha, beta=beta, k=k
        )
    if input.dim() < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)"
        )
    if input.numel() == 0:
        return input
    squares = input.mul(input)
    before, after = size // 2, (size - 1) // 2
    if input.dim() == 3:
        padded = _nn.pad(squares.unsqueeze(1), (0, 0, before, after))
        means = _nn.avg_pool2d(padded, (size, 1), 1).squeeze(1)
    else:
        volume = squares.view(input.size(0), 1, input.size(1), input.size(2), -1)
        padded = _nn.pad(volume, (0, 0, 0, 0, before, after))
        means = _nn.avg_pool3d(padded, (size, 1, 1), 1).view(input.shape)
    return input / (means * alpha + k).pow(beta)


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Divide vectors along a dimension by their norm.

    The result is x / max(norm, eps).

    Args:
        input: Tensor of any shape.
        p: Order of the p-norm.
        dim: Dimension of the vectors.
        eps: Smallest divisor.
        out: Tensor to write the result to.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.normalize(torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 1.0000]])
    """
    if has_torch_function_variadic(input, out):
        return handle_torch_function(normalize, (input, out), input, p=p, dim=dim, eps=eps, out=out)
    norms = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return torch.div(input, norms) if out is None else torch.div(input, norms, out=out)

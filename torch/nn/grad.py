"""Functions that compute the gradients of convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

__all__ = [
    "conv1d_input",
    "conv1d_weight",
    "conv2d_input",
    "conv2d_weight",
    "conv3d_input",
    "conv3d_weight",
]

_Sizes = int | Sequence[int]


def _spread(sizes: _Sizes, count: int) -> list[int]:
    return [sizes] * count if isinstance(sizes, int) else list(sizes)


def _gradients(
    input: Tensor,
    weight: Tensor,
    grad_output: Tensor,
    sizes: tuple[_Sizes, _Sizes, _Sizes],
    groups: int,
    wanted: list[bool],
) -> Sequence[Tensor]:
    spatial = weight.dim() - 2
    stride, padding, dilation = (_spread(each, spatial) for each in sizes)
    return torch.ops.aten.convolution_backward(
        grad_output, input, weight, None, stride, padding, dilation, False, [0], groups, wanted
    )


def _of_input(spatial: int) -> Callable[..., Tensor]:
    def function(
        input_size: Sequence[int],
        weight: Tensor,
        grad_output: Tensor,
        stride: _Sizes = 1,
        padding: _Sizes = 0,
        dilation: _Sizes = 1,
        groups: int = 1,
    ) -> Tensor:
        input = grad_output.new_empty(1).expand(tuple(input_size))
        sizes = (stride, padding, dilation)
        return _gradients(input, weight, grad_output, sizes, groups, [True, False, False])[0]

    function.__name__ = function.__qualname__ = f"conv{spatial}d_input"
    function.__doc__ = f"""Return the gradient of a sum over conv{spatial}d's outputs by its input.

    Args:
        input_size: The shape of the input.
        weight: The convolution's weight.
        grad_output: The factor of each output in the sum.
        stride: As for `nn.functional.conv{spatial}d`, like the following.
        padding: Zeros around the input.
        dilation: The distance between the weight's elements.
        groups: The number of groups of channels.

    Example:
        >>> w = torch.ones(1, 1, {", ".join("1" * spatial)})
        >>> torch.nn.grad.conv{spatial}d_input(w.shape, 2 * w, 3 * w).item()
        6.0
    """
    return function


def _of_weight(spatial: int) -> Callable[..., Tensor]:
    def function(
        input: Tensor,
        weight_size: Sequence[int],
        grad_output: Tensor,
        stride: _Sizes = 1,
        padding: _Sizes = 0,
        dilation: _Sizes = 1,
        groups: int = 1,
    ) -> Tensor:
        weight = grad_output.new_empty(1).expand(tuple(weight_size))
        sizes = (stride, padding, dilation)
        return _gradients(input, weight, grad_output, sizes, groups, [False, True, False])[1]

    function.__name__ = function.__qualname__ = f"conv{spatial}d_weight"
    function.__doc__ = f"""Return the gradient of a sum over conv{spatial}d's outputs by its weight.

    Args:
        input: The convolution's input.
        weight_size: The shape of the weight.
        grad_output: The factor of each output in the sum.
        stride: As for `nn.functional.conv{spatial}d`, like the following.
        padding: Zeros around the input.
        dilation: The distance between the weight's elements.
        groups: The number of groups of channels.

    Example:
        >>> x = torch.ones(1, 1, {", ".join("1" * spatial)})
        >>> torch.nn.grad.conv{spatial}d_weight(2 * x, x.shape, 3 * x).item()
        6.0
    """
    return function


conv1d_input, conv2d_input, conv3d_input = map(_of_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(_of_weight, (1, 2, 3))

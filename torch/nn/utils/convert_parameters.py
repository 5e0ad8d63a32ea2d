"""Conversion between parameters and one flat vector."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Concatenate the elements of all parameters.

    Args:
        parameters: Parameters of any shapes.

    Returns:
        A vector with as many elements as all parameters together.

    Example:
        >>> nn.utils.parameters_to_vector([torch.tensor([[1.0], [2.0]]), torch.tensor([3.0])])
        tensor([1., 2., 3.])
    """
    return torch.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Turn parameters into views of consecutive parts of a vector.

    Args:
        vec: Vector with as many elements as all parameters together.
        parameters: Parameters whose data is replaced.

    Raises:
        TypeError: If `vec` is not a tensor.

    Example:
        >>> weight, bias = nn.Parameter(torch.zeros(2, 1)), nn.Parameter(torch.zeros(1))
        >>> nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), [weight, bias])
        >>> weight.tolist(), bias.tolist()
        ([[1.0], [2.0]], [3.0])
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[start : start + count].view_as(parameter).data
        start += count

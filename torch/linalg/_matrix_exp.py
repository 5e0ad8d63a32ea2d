"""The exponential of matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch.linalg._checks import check_square

if TYPE_CHECKING:
    from torch import Tensor

# The degree of the Taylor polynomial, and the norm up to which it is exact to double precision.
_DEGREE, _RADIUS = 18, 1.09


def matrix_exp(input: Tensor) -> Tensor:
    """Compute the exponential of square matrices, by scaling and squaring a Taylor polynomial.

    Args:
        input: A tensor of shape (..., n, n).

    Raises:
        RuntimeError: If the last two dimensions differ, or the numbers are integers.

    Example:
        >>> torch.matrix_exp(torch.zeros(2, 2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    if not (input.is_floating_point() or input.is_complex()):
        kind = input.type().rpartition(".")[2].removesuffix("Tensor")
        raise RuntimeError(
            f"linalg.matrix_exp: Expected a floating point or complex tensor as input. Got {kind}"
        )
    check_square(input, "linalg.matrix_exp")
    if input.numel() == 0:
        return input.clone()
    with torch.no_grad():
        norms = torch.linalg.matrix_norm(input, 1)
        if type(norms) is not torch.Tensor:  # all elements of a vmap share the scale
            norms = torch.func.debug_unwrap(norms)
        norm = float(norms.max())
        squarings = max(0, math.ceil(math.log2(norm / _RADIUS))) if norm > _RADIUS else 0
    scaled = input / 2**squarings
    result = identity = torch.eye(input.shape[-1], dtype=input.dtype, device=input.device)
    for degree in range(_DEGREE, 0, -1):
        result = identity + scaled @ result / degree
    for _ in range(squarings):
        result = result @ result
    return result

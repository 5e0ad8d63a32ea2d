"""Operators that compute in another dtype than that of their arguments."""

from __future__ import annotations

from typing import Any

import torch

_ALLOWED = (
    "aten.linear.default",
    "aten.mm.default",
    "aten.conv2d.default",
    "aten.convolution.default",
    "aten.mul.Tensor",
    "aten.mul.Scalar",
    "aten.div.Tensor",
    "aten.div.Scalar",
)


def out_dtype(op: Any, output_dtype: torch.dtype, *args: Any) -> Any:
    """Run an operator with its tensors in another dtype, so that sums of products do not overflow.

    Args:
        op: An overload: of a matrix product, a convolution, a product or a quotient.
        output_dtype: The dtype of the computation and the result.
        *args: The arguments of the overload.

    Raises:
        ValueError: If the operator is not one of these.

    Example:
        >>> from torch._higher_order_ops.out_dtype import out_dtype
        >>> ones = torch.full((1, 2), 100, dtype=torch.int8)
        >>> out_dtype(torch.ops.aten.mm.default, torch.int32, ones, ones.t())
        tensor([[20000]], dtype=torch.int32)
    """
    if str(op) not in _ALLOWED:
        raise ValueError(f"out_dtype only allows the following operators: {list(_ALLOWED)}.")
    if (
        op is torch.ops.aten.mm.default
        and output_dtype is torch.int32
        and all(arg.dtype is torch.int8 for arg in args)
    ):
        return torch._int_mm(*args)
    return op(*(a.to(output_dtype) if isinstance(a, torch.Tensor) else a for a in args))

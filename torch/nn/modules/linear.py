"""Linear and bilinear maps."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

_linear = torch._C._nn.linear


class Identity(Module):
    """A module that returns its input. It accepts and ignores any arguments.

    Args:
        *args: Ignored.
        **kwargs: Ignored.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Identity(64, bias=False)(torch.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class Linear(Module):
    """Linear map: x W^T + b.

    Args:
        in_features: Size of each input vector.
        out_features: Size of each output vector.
        bias: If False, leave out b.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (*, in_features).
        - Output: (*, out_features).
        - weight: (out_features, in_features); bias: (out_features).

    Example:
        >>> layer = nn.Linear(3, 2)
        >>> layer(torch.randn(4, 3)).shape
        torch.Size([4, 2])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        shape = (out_features, in_features)
        self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly between -k and k, where k = 1 / sqrt(in_features)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the linear map to the last dimension."""
        return _linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection of MultiheadAttention: a Linear with the class name that PyTorch uses.

    Example:
        >>> type(nn.MultiheadAttention(4, 2).out_proj).__name__
        'NonDynamicallyQuantizableLinear'
    """


class Bilinear(Module):
    """Bilinear map of two inputs: x1^T W x2 + b.

    Args:
        in1_features: Size of each first input vector.
        in2_features: Size of each second input vector.
        out_features: Size of each output vector.
        bias: If False, leave out b.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Inputs: (*, in1_features) and (*, in2_features).
        - Output: (*, out_features).
        - weight: (out_features, in1_features, in2_features); bias: (out_features).

    Raises:
        ValueError: If `in1_features` is not positive.

    Example:
        >>> layer = nn.Bilinear(3, 4, 2)
        >>> layer(torch.randn(5, 3), torch.randn(5, 4)).shape
        torch.Size([5, 2])
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly between -k and k, where k = 1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Apply the bilinear map to the last dimensions."""
        return torch.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)

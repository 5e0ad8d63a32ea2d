"""Activation functions of quantized tensors."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import nn
from torch.ao.nn.quantized.modules._conversion import OutputBuffers, output_parameters

__all__ = ["ELU", "Hardswish", "LeakyReLU", "PReLU", "ReLU6", "Sigmoid", "Softmax"]

Tensor = torch.Tensor
_ops = torch.ops.quantized


class ReLU6(nn.ReLU):
    """Bounds a quantized tensor by 0 and 6; see `torch.nn.ReLU6`.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 9.0]), 1.0, 2, torch.quint8)
        >>> torch.ao.nn.quantized.ReLU6()(x).dequantize()
        tensor([0., 6.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the bounded tensor."""
        return _ops.relu6(input, self.inplace)  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return "QuantizedReLU6"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> ReLU6:
        """Return the layer for one of floating point."""
        return ReLU6(mod.inplace)


class Hardswish(OutputBuffers, nn.Hardswish):
    """The function of `torch.nn.Hardswish` of a quantized tensor.

    Args:
        scale: The scale of the results.
        zero_point: The zero point of the results.
        device: The device of these numbers.
        dtype: Ignored.

    Example:
        >>> torch.ao.nn.quantized.Hardswish(0.1, 3)
        QuantizedHardswish()
    """

    def __init__(
        self, scale: float, zero_point: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self._set_output(scale, zero_point, device)

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of a tensor."""
        return _ops.hardswish(input, *self._output())  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return "QuantizedHardswish"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Hardswish:
        """Return the layer for an observed one of floating point."""
        return Hardswish(*output_parameters(mod.activation_post_process))


class LeakyReLU(OutputBuffers, nn.LeakyReLU):
    """The function of `torch.nn.LeakyReLU` of a quantized tensor.

    Args:
        scale: The scale of the results.
        zero_point: The zero point of the results.
        negative_slope: The slope below zero.
        inplace: Ignored.
        device: The device of scale and zero point.
        dtype: Ignored.

    Example:
        >>> torch.ao.nn.quantized.LeakyReLU(0.1, 3)
        QuantizedLeakyReLU(negative_slope=0.01)
    """

    def __init__(
        self,
        scale: float,
        zero_point: int,
        negative_slope: float = 1e-2,
        inplace: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(negative_slope, inplace)
        self._set_output(scale, zero_point, device)

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of a tensor."""
        return _ops.leaky_relu(input, self.negative_slope, self.inplace, *self._output())  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return "QuantizedLeakyReLU"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> LeakyReLU:
        """Return the layer for an observed one of floating point."""
        parameters = output_parameters(mod.activation_post_process)
        return cls(*parameters, mod.negative_slope, mod.inplace)


class ELU(nn.ELU):
    """The exponential linear unit of a quantized tensor; see `torch.nn.ELU`.

    Args:
        scale: The scale of the results.
        zero_point: The zero point of the results.
        alpha: The factor below zero.

    Example:
        >>> torch.ao.nn.quantized.ELU(0.1, 3)
        QuantizedELU(alpha=1.0)
    """

    def __init__(self, scale: float, zero_point: int, alpha: float = 1.0) -> None:
        super().__init__(alpha)
        self.scale, self.zero_point = scale, zero_point

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of a tensor."""
        return _ops.elu(input, self.scale, self.zero_point, self.alpha)  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return "QuantizedELU"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> ELU:
        """Return the layer for an observed one of floating point."""
        return ELU(*output_parameters(mod.activation_post_process), mod.alpha)


class Sigmoid(nn.Sigmoid):
    """The logistic function of a quantized tensor.

    Args:
        output_scale: The scale of the results.
        output_zero_point: The zero point of the results.

    Example:
        >>> x = torch.quantize_per_tensor(torch.zeros(1), 1.0, 0, torch.quint8)
        >>> torch.ao.nn.quantized.Sigmoid(0.25, 0)(x).dequantize()
        tensor([0.5000])
    """

    def __init__(self, output_scale: float, output_zero_point: int) -> None:
        super().__init__()
        self.output_scale, self.output_zero_point = output_scale, output_zero_point

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of a tensor."""
        return _ops.sigmoid(input, self.output_scale, self.output_zero_point)  # type: ignore[no-any-return]

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Sigmoid:
        """Return the layer for an observed one of floating point."""
        return cls(*output_parameters(mod.activation_post_process))


class Softmax(nn.Softmax):
    """The softmax of a quantized tensor; see `torch.nn.Softmax`.

    Args:
        dim: The dimension; a default that depends on the input where it is None.
        scale: The scale of the results.
        zero_point: The zero point of the results.

    Example:
        >>> torch.ao.nn.quantized.Softmax(1)
        QuantizedSoftmax(dim=1)
    """

    def __init__(self, dim: int | None = None, scale: float = 1.0, zero_point: int = 0) -> None:
        super().__init__()
        self.dim, self.scale, self.zero_point = dim, scale, zero_point

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of a tensor."""
        dim = self.dim
        if dim is None:
            dim = 0 if input.dim() in (0, 1, 3) else 1
        return _ops.softmax(input, dim, self.scale, self.zero_point)  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return "QuantizedSoftmax"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Softmax:
        """Return the layer for an observed one of floating point."""
        return Softmax(mod.dim, *output_parameters(mod.activation_post_process))


class PReLU(nn.Module):
    """The function of `torch.nn.PReLU` of a quantized tensor, with quantized slopes.

    Args:
        output_scale: The scale of the results.
        output_zero_point: The zero point of the results.
        num_parameters: The number of slopes.

    Example:
        >>> torch.ao.nn.quantized.PReLU(0.1, 3)
        QuantizedPReLU()
    """

    def __init__(
        self, output_scale: float, output_zero_point: int, num_parameters: int = 1
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.scale, self.zero_point = output_scale, output_zero_point
        slopes = torch.randn(num_parameters)
        self.weight = torch.quantize_per_tensor(slopes, 1.0, 0, torch.quint8)

    def set_weight(self, w: Tensor) -> None:
        """Set the quantized slopes."""
        self.weight = w

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of a tensor."""
        return _ops.prelu(input, self.weight, self.scale, self.zero_point)  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return "QuantizedPReLU"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> PReLU:
        """Return the layer for an observed one of floating point."""
        made = cls(*output_parameters(mod.activation_post_process), mod.num_parameters)
        slopes = mod.weight.detach().float()
        observer = mod.qconfig.weight()
        observer(slopes)
        if observer.dtype != torch.quint8:
            warnings.warn(
                f"PReLU's weight observer should have dtype quint8 but got {observer.dtype}",
                stacklevel=2,
            )
        parameters = output_parameters(observer)
        made.set_weight(torch.quantize_per_tensor(slopes, *parameters, torch.quint8))
        return made

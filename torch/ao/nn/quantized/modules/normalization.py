"""Normalization of quantized tensors with their own statistics."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.ao.nn.quantized.modules._conversion import OutputBuffers, output_parameters

__all__ = ["GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LayerNorm"]

Tensor = torch.Tensor
_ops = torch.ops.quantized


class _Observed(OutputBuffers):
    """What the classes share: parameters that are given."""

    weight: Any
    bias: Any

    def _set(self, weight: Any, bias: Any, scale: Any, zero_point: Any, device: Any) -> None:
        self.weight, self.bias = weight, bias
        self._set_output(scale, zero_point, device)

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"


class LayerNorm(_Observed, nn.LayerNorm):
    """Layer normalization of a quantized tensor; see `torch.nn.LayerNorm`.

    Args:
        normalized_shape: The sizes of the last dimensions.
        weight: The factors, a parameter or None.
        bias: The numbers to add, a parameter or None.
        scale: The scale of the results.
        zero_point: The zero point of the results.
        eps: A number to add to the variance.
        elementwise_affine: Whether there are a weight and a bias.
        device: The device of the parameters.
        dtype: Their dtype.

    Example:
        >>> weight, bias = nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2))
        >>> torch.ao.nn.quantized.LayerNorm(2, weight, bias, 0.1, 3)
        QuantizedLayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True)
    """

    def __init__(
        self,
        normalized_shape: Any,
        weight: Any,
        bias: Any,
        scale: float,
        zero_point: int,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine, device=device, dtype=dtype)
        self._set(weight, bias, scale, zero_point, device)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized tensor."""
        settings = (self.normalized_shape, self.weight, self.bias, self.eps)
        return _ops.layer_norm(input, *settings, *self._output())  # type: ignore[no-any-return]

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> LayerNorm:
        """Return the layer for an observed one of floating point."""
        parameters = output_parameters(mod.activation_post_process)
        settings = (mod.eps, mod.elementwise_affine)
        return cls(mod.normalized_shape, mod.weight, mod.bias, *parameters, *settings)


class GroupNorm(_Observed, nn.GroupNorm):
    """Group normalization of a quantized tensor; see `torch.nn.GroupNorm` and LayerNorm.

    Example:
        >>> weight, bias = nn.Parameter(torch.ones(4)), nn.Parameter(torch.zeros(4))
        >>> torch.ao.nn.quantized.GroupNorm(2, 4, weight, bias, 0.1, 3).scale
        tensor(0.1000)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        weight: Any,
        bias: Any,
        scale: float,
        zero_point: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_groups, num_channels, eps, affine, device=device, dtype=dtype)
        self._set(weight, bias, scale, zero_point, device)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized tensor, (N, C, ...)."""
        settings = (self.num_groups, self.weight, self.bias, self.eps)
        return _ops.group_norm(input, *settings, *self._output())  # type: ignore[no-any-return]

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> GroupNorm:
        """Return the layer for an observed one of floating point."""
        parameters = output_parameters(mod.activation_post_process)
        sizes = (mod.num_groups, mod.num_channels)
        return cls(*sizes, mod.weight, mod.bias, *parameters, mod.eps, mod.affine)


class _InstanceNorm(_Observed):
    """What the classes of instance normalization share."""

    eps: float

    def __init__(
        self,
        num_features: int,
        weight: Any,
        bias: Any,
        scale: float,
        zero_point: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        settings: Any = (num_features, eps, momentum, affine, track_running_stats, device, dtype)
        super().__init__(*settings)
        self._set(weight, bias, scale, zero_point, device)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized tensor, (N, C, ...)."""
        settings = (self.weight, self.bias, self.eps)
        return _ops.instance_norm(input, *settings, *self._output())  # type: ignore[no-any-return]

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for an observed one of floating point."""
        parameters = output_parameters(mod.activation_post_process)
        return cls(mod.num_features, mod.weight, mod.bias, *parameters, mod.eps, affine=mod.affine)


def _instance_norm(dims: int) -> Any:
    name = f"InstanceNorm{dims}d"
    text = (
        f"Instance normalization of a quantized tensor; see `torch.nn.{name}` and LayerNorm.\n\n"
        f"    Example:\n        >>> torch.ao.nn.quantized.{name}(4, None, None, 0.1, 3).scale\n"
        "        tensor(0.1000)\n    "
    )
    bases = (_InstanceNorm, getattr(nn, name))
    return type(name, bases, {"__doc__": text, "__module__": __name__})


InstanceNorm1d, InstanceNorm2d, InstanceNorm3d = (_instance_norm(dims) for dims in (1, 2, 3))

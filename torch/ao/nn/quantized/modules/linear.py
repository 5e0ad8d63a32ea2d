"""Linear layers whose inputs, weights and results are quantized."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.ao.nn.intrinsic.modules.fused import LinearReLU
from torch.ao.nn.quantized.modules._conversion import (
    OutputParameters,
    WeightedQuantizedModule,
    _hide_packed_params_repr,
    observed_layer,
    output_parameters,
    take,
)

__all__ = ["Linear"]

Tensor = torch.Tensor
_ops = torch.ops.quantized


class LinearPackedParams(nn.Module):
    """The packed weight and bias of a linear layer.

    Args:
        dtype: torch.qint8 or torch.float16.
    """

    _version = 3

    def __init__(self, dtype: Any = torch.qint8) -> None:
        super().__init__()
        self.dtype = dtype
        weight = torch.zeros(1, 1)
        if dtype == torch.qint8:
            weight = torch.quantize_per_tensor(weight, 1.0, 0, torch.qint8)
        self.set_weight_bias(weight, None)

    def set_weight_bias(self, weight: Any, bias: Tensor | None) -> None:
        """Pack a weight and a bias.

        Raises:
            RuntimeError: If the dtype is neither torch.qint8 nor torch.float16.
        """
        if self.dtype == torch.qint8:
            self._packed_params = _ops.linear_prepack(weight, bias)
        elif self.dtype == torch.float16:
            self._packed_params = _ops.linear_prepack_fp16(weight, bias)
        else:
            raise RuntimeError("Unsupported dtype on dynamic quantized linear!")

    def _weight_bias(self) -> tuple[Any, Tensor | None]:
        return self._packed_params.weight, self._packed_params.bias

    def forward(self, x: Any) -> Any:
        """Return the input."""
        return x

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[f"{prefix}dtype"] = self.dtype
        destination[f"{prefix}_packed_params"] = self._weight_bias()

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        if take(state_dict, f"{prefix}dtype", missing) is not None:
            self.dtype = state_dict.pop(f"{prefix}dtype")
        if take(state_dict, f"{prefix}_packed_params", missing) is not None:
            self.set_weight_bias(*state_dict.pop(f"{prefix}_packed_params"))
        super()._load_from_state_dict(state_dict, prefix, metadata, False, missing, *rest)

    def __repr__(self) -> str:
        return repr(self._weight_bias())


class Linear(OutputParameters, WeightedQuantizedModule):
    """The linear map of a quantized tensor; see `torch.nn.Linear`.

    Args:
        in_features: Size of each input vector.
        out_features: Size of each output vector.
        bias_: Whether to add a bias.
        dtype: The dtype of the weight.

    Example:
        >>> torch.ao.nn.quantized.Linear(4, 2)
        QuantizedLinear(in_features=4, out_features=2, scale=1.0, zero_point=0, qscheme=torch.per_tensor_affine)
    """

    _version = 3
    _FLOAT_MODULE: Any = (nn.Linear, nn.modules.linear.NonDynamicallyQuantizableLinear)
    _FUSED: Any = LinearReLU

    def __init__(
        self, in_features: int, out_features: int, bias_: bool = True, dtype: Any = torch.qint8
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        weight: Any = torch.zeros(out_features, in_features)
        if dtype == torch.qint8:
            weight = torch.quantize_per_tensor(weight, 1.0, 0, torch.qint8)
        elif dtype != torch.float16:
            raise RuntimeError("Unsupported dtype specified for quantized Linear!")
        self._packed_params = LinearPackedParams(dtype)
        self.set_weight_bias(weight, torch.zeros(out_features) if bias_ else None)
        self.scale, self.zero_point = 1.0, 0

    def _get_name(self) -> str:
        return "QuantizedLinear"

    def extra_repr(self) -> str:
        """Show sizes and parameters."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"scale={self.scale}, zero_point={self.zero_point}, qscheme={self.weight().qscheme()}"
        )

    def __repr__(self) -> str:
        return _hide_packed_params_repr(self, LinearPackedParams)

    def forward(self, x: Tensor) -> Tensor:
        """Return the quantized result for a quantized tensor, (*, in_features)."""
        return _ops.linear(x, self._packed_params._packed_params, self.scale, self.zero_point)  # type: ignore[no-any-return]

    def _weight_bias(self) -> tuple[Any, Tensor | None]:
        return self._packed_params._weight_bias()

    def weight(self) -> Any:
        """Return the weight, (out_features, in_features)."""
        return self._weight_bias()[0]

    def bias(self) -> Tensor | None:
        """Return the bias, or None."""
        return self._weight_bias()[1]

    def set_weight_bias(self, w: Any, b: Tensor | None) -> None:
        """Pack a weight and a bias."""
        self._packed_params.set_weight_bias(w, b)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for an observed one of floating point.

        Raises:
            AssertionError: If the module is not a linear layer, or has no qconfig.
        """
        layer, weight, bias = observed_layer(cls, mod, cls._FUSED, use_precomputed_fake_quant)
        made = cls(layer.in_features, layer.out_features)
        made.set_weight_bias(weight, bias)
        made.scale, made.zero_point = output_parameters(mod.activation_post_process)
        return made

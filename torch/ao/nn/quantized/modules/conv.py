"""Convolutions whose inputs, weights and results are quantized."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.nn.intrinsic.modules import fused
from torch.ao.nn.quantized.modules._conversion import (
    STEPS,
    OutputParameters,
    WeightedQuantizedModule,
    observed_layer,
    output_parameters,
    take,
)

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

Tensor = torch.Tensor
_ops = torch.ops.quantized
_SHAPES = {1: "`(N, C, L)`", 2: "`(N, C, H, W)`", 3: "`(N, C, D, H, W)`"}
_SETTINGS = (*STEPS, "padding_mode", "output_padding")


class _ConvNd(OutputParameters, WeightedQuantizedModule):
    """What the convolutions share: packed weights, state dictionaries and the conversion."""

    _FLOAT_MODULE: Any
    _NNI_CONV_RELU_MODULE: Any = None
    _OPERATOR: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._adopt(self._FLOAT_MODULE(*args, **kwargs))

    def _adopt(self, layer: Any) -> None:
        """Take the settings of a layer of floating point."""
        if layer.padding_mode not in ("zeros", "reflect"):
            raise ValueError(
                f"'{layer.padding_mode}' padding mode is not supported by quantized convolutions"
            )
        if isinstance(layer.padding, str):
            raise NotImplementedError("quantized convolutions need padding as numbers")
        for name in _SETTINGS:
            setattr(self, name, getattr(layer, name))
        self._reversed_padding_repeated_twice = layer._reversed_padding_repeated_twice
        self.transposed = layer.transposed
        zeros = torch.zeros(layer.weight.shape)
        weight = torch.quantize_per_tensor(zeros, 1.0, 0, torch.qint8)
        bias = None if layer.bias is None else torch.zeros(layer.bias.shape)
        self.set_weight_bias(weight, bias)
        self.scale, self.zero_point = 1.0, 0

    def set_weight_bias(self, w: Any, b: Tensor | None) -> None:
        """Pack a quantized weight and a bias."""
        padding = self.padding if self.padding_mode == "zeros" else (0,) * len(self.padding)
        ends = (self.output_padding,) if self.transposed else ()
        pack = getattr(_ops, f"{self._OPERATOR}_prepack")
        self._packed_params = pack(w, b, self.stride, padding, *ends, self.dilation, self.groups)

    def _weight_bias(self) -> tuple[Any, Tensor | None]:
        return self._packed_params.weight, self._packed_params.bias

    def weight(self) -> Any:
        """Return the quantized weight."""
        return self._weight_bias()[0]

    def bias(self) -> Tensor | None:
        """Return the bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input: Tensor) -> Tensor:
        """Return the quantized result for a quantized tensor, (N, C, ...).

        Raises:
            ValueError: If the input has another number of dimensions.
        """
        return self._convolve(input, self.scale, self.zero_point)

    def _convolve(self, input: Tensor, scale: float, zero_point: int) -> Tensor:
        if input.dim() != len(self.kernel_size) + 2:
            raise ValueError(f"Input shape must be {_SHAPES[len(self.kernel_size)]}!")
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        operator = getattr(_ops, self._operator_name())
        return operator(input, self._packed_params, scale, zero_point)  # type: ignore[no-any-return]

    def _operator_name(self) -> str:
        return self._OPERATOR

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        destination[f"{prefix}weight"], destination[f"{prefix}bias"] = self._weight_bias()
        super()._save_to_state_dict(destination, prefix, keep_vars)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        bias = state_dict.pop(f"{prefix}bias", None)
        if take(state_dict, f"{prefix}weight", missing) is not None:
            self.set_weight_bias(state_dict.pop(f"{prefix}weight"), bias)
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, *rest)

    @classmethod
    def _like(cls, layer: Any) -> Any:
        made = cls.__new__(cls)
        nn.Module.__init__(made)
        made._adopt(layer)
        return made

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for an observed one of floating point.

        Raises:
            AssertionError: If the module is not a convolution of this kind, or has no qconfig.
        """
        layer, weight, bias = observed_layer(
            cls, mod, cls._NNI_CONV_RELU_MODULE, use_precomputed_fake_quant
        )
        made = cls._like(layer)
        made.set_weight_bias(weight, bias)
        results = getattr(mod, "activation_post_process", None)
        if results is not None and results.dtype != torch.float:
            made.scale, made.zero_point = output_parameters(results)
        return made

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"

    def extra_repr(self) -> str:
        """Show sizes and parameters."""
        ones, zeros = (1,) * len(self.kernel_size), (0,) * len(self.kernel_size)
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, scale={self.scale}, zero_point={self.zero_point}"
        )
        shown = {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1}
        for name, usual in shown.items():
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text if self.bias() is not None else f"{text}, bias=False"


def _class(name: str, example: str, **attributes: Any) -> Any:
    text = (
        f"The convolution of a quantized tensor; see `torch.nn.{name}` for the arguments.\n\n"
        f"    Example:\n        >>> torch.ao.nn.quantized.{name}({example}).scale\n        1.0\n    "
    )
    body = {"__doc__": text, "__module__": __name__, "_FLOAT_MODULE": getattr(nn, name)}
    return type(name, (_ConvNd,), {**body, **attributes})


Conv1d, Conv2d, Conv3d = (
    _class(
        f"Conv{dims}d",
        "1, 2, 3",
        _OPERATOR=f"conv{dims}d",
        _NNI_CONV_RELU_MODULE=getattr(fused, f"ConvReLU{dims}d"),
    )
    for dims in (1, 2, 3)
)
ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = (
    _class(f"ConvTranspose{dims}d", "2, 4, 3", _OPERATOR=f"conv_transpose{dims}d")
    for dims in (1, 2, 3)
)

"""Convolutions with rounded weights, and the layers that follow them."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.nn.intrinsic.modules import fused
from torch.ao.nn.intrinsic.qat.modules._normalized import NormalizedLayer
from torch.ao.nn.qat.modules import conv
from torch.ao.nn.qat.modules._rounding import float_layer
from torch.ao.nn.quantized.modules._conversion import STEPS
from torch.nn.utils.fusion import _fused_parameters

__all__ = [
    "ConvBn1d",
    "ConvBn2d",
    "ConvBn3d",
    "ConvBnReLU1d",
    "ConvBnReLU2d",
    "ConvBnReLU3d",
    "ConvReLU1d",
    "ConvReLU2d",
    "ConvReLU3d",
    "freeze_bn_stats",
    "update_bn_stats",
]

Tensor = torch.Tensor


class _ConvBnNd(NormalizedLayer):
    """What convolutions with normalization share."""

    _FLOAT_MODULE: Any
    _FLOAT_CONV_MODULE: Any
    _FLOAT_BN_MODULE: Any
    _FLOAT_RELU_MODULE: Any = None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: Any = None,
        padding_mode: str = "zeros",
        eps: float = 1e-5,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
    ) -> None:
        steps: Any = (kernel_size, stride, padding, dilation, groups, bool(bias), padding_mode)
        super().__init__(in_channels, out_channels, *steps)  # type: ignore[call-arg]
        self._add_norm(self._FLOAT_BN_MODULE(out_channels, eps, momentum), qconfig, freeze_bn)

    def _apply_weight(self: Any, input: Tensor, weight: Tensor) -> Tensor:
        return self._conv_forward(input, weight, None)  # type: ignore[no-any-return]

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized convolution with the rounded weight."""
        result = self._normalized(input)
        return result if self._FLOAT_RELU_MODULE is None else F.relu(result)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for a sequence of floating point with a qconfig; it shares the parameters."""
        layer, norm = float_layer(cls, mod), mod[1]
        made: Any = cls(
            *(getattr(layer, name) for name in STEPS),
            layer.bias is not None,
            layer.padding_mode,
            norm.eps,
            norm.momentum,
            False,
            mod.qconfig,
        )
        made._share(layer, norm)
        return made

    def to_float(self: Any) -> Any:
        """Return a convolution of floating point that includes the normalization, and ReLU if there is one."""
        layer = conv.float_convolution(self)
        layer.weight, layer.bias = _fused_parameters(layer, self.bn)
        return layer if self._FLOAT_RELU_MODULE is None else _rectified(layer)


def _rectified(layer: Any) -> Any:
    """Return a convolution of floating point followed by ReLU."""
    return getattr(fused, f"ConvReLU{len(layer.kernel_size)}d")(layer, nn.ReLU())


def _text(name: str, what: str) -> str:
    return (
        f"{what}, with a rounded weight; see the convolution for the arguments.\n\n"
        "    Example:\n        >>> qconfig = torch.ao.quantization.get_default_qat_qconfig()\n"
        f"        >>> layer = torch.ao.nn.intrinsic.qat.{name}(1, 2, 3, qconfig=qconfig)\n    "
    )


def _with_norm(dims: int, relu: bool) -> Any:
    name = f"ConvBnReLU{dims}d" if relu else f"ConvBn{dims}d"
    layer = getattr(nn, f"Conv{dims}d")
    body = {
        "__doc__": _text(name, f"Conv{dims}d and BatchNorm{dims}d{' and ReLU' if relu else ''}"),
        "__module__": __name__,
        "_version": 2,
        "_FLOAT_MODULE": getattr(fused, name),
        "_FLOAT_CONV_MODULE": layer,
        "_FLOAT_BN_MODULE": getattr(nn, f"BatchNorm{dims}d"),
        "_FLOAT_RELU_MODULE": nn.ReLU if relu else None,
    }
    return type(name, (_ConvBnNd, layer, fused._FusedModule), body)


class _WithReLU:
    def forward(self: Any, input: Tensor) -> Tensor:
        """Return the rectified convolution with the rounded weight."""
        weight = self.weight_fake_quant(self.weight)
        return F.relu(self._conv_forward(input, weight, self.bias))

    def to_float(self: Any) -> Any:
        """Return a sequence of floating point with the same parameters."""
        return _rectified(conv.float_convolution(self))


def _with_relu(dims: int) -> Any:
    name, layer = f"ConvReLU{dims}d", getattr(conv, f"Conv{dims}d")
    text = _text(name, f"Conv{dims}d and ReLU")
    body = {"__doc__": text, "__module__": __name__, "_FLOAT_MODULE": getattr(fused, name)}
    return type(name, (_WithReLU, layer, fused._FusedModule), body)


ConvBn1d, ConvBn2d, ConvBn3d = (_with_norm(dims, relu=False) for dims in (1, 2, 3))
ConvBnReLU1d, ConvBnReLU2d, ConvBnReLU3d = (_with_norm(dims, relu=True) for dims in (1, 2, 3))
ConvReLU1d, ConvReLU2d, ConvReLU3d = (_with_relu(dims) for dims in (1, 2, 3))


def update_bn_stats(mod: nn.Module) -> None:
    """Let the normalization of a layer learn its statistics; for `Module.apply`.

    Example:
        >>> module = nn.Identity().apply(torch.ao.nn.intrinsic.qat.update_bn_stats)
    """
    if isinstance(mod, NormalizedLayer):
        mod.update_bn_stats()


def freeze_bn_stats(mod: nn.Module) -> None:
    """Keep the statistics of the normalization of a layer; for `Module.apply`.

    Example:
        >>> module = nn.Identity().apply(torch.ao.nn.intrinsic.qat.freeze_bn_stats)
    """
    if isinstance(mod, NormalizedLayer):
        mod.freeze_bn_stats()

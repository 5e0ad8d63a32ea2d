"""Linear layers that quantize their inputs for each call."""

from __future__ import annotations

from typing import Any

import torch
from torch.ao.nn.quantized.modules import linear
from torch.ao.nn.quantized.modules._conversion import (
    check_class,
    check_qconfig,
    dynamic_weight,
    type_of,
    weight_observer,
)

__all__ = ["Linear"]

Tensor = torch.Tensor
_ops = torch.ops.quantized


class Linear(linear.Linear):
    """The linear map of a floating-point tensor, with a quantized product.

    Args:
        in_features: Size of each input vector.
        out_features: Size of each output vector.
        bias_: Whether to add a bias.
        dtype: torch.qint8, or torch.float16 for a weight of that dtype.

    Example:
        >>> torch.ao.nn.quantized.dynamic.Linear(4, 2)(torch.ones(3, 4)).shape
        torch.Size([3, 2])
    """

    _version = 4

    def __init__(
        self, in_features: int, out_features: int, bias_: bool = True, dtype: Any = torch.qint8
    ) -> None:
        super().__init__(in_features, out_features, bias_, dtype)
        self.version = 4

    def forward(self, x: Tensor) -> Tensor:
        """Return the result for a floating-point tensor, (*, in_features), of its dtype."""
        packed = self._packed_params._packed_params
        if self._packed_params.dtype == torch.float16:
            return _ops.linear_dynamic_fp16(x, packed).to(x.dtype)  # type: ignore[no-any-return]
        reduce_range = self.version is not None and self.version >= 4
        return _ops.linear_dynamic(x, packed, reduce_range).to(x.dtype)  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return "DynamicQuantizedLinear"

    def extra_repr(self) -> str:
        """Show sizes and dtype."""
        dtype = self._packed_params.dtype
        text = f"in_features={self.in_features}, out_features={self.out_features}, dtype={dtype}"
        return f"{text}, qscheme={self.weight().qscheme()}" if dtype == torch.qint8 else text

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, *rest: Any
    ) -> None:
        self.version = metadata.get("version", None)
        super()._load_from_state_dict(state_dict, prefix, metadata, *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for one of floating point with a qconfig.

        Raises:
            AssertionError: If the module is not a linear layer, or has no qconfig.
            RuntimeError: If the qconfig asks for an unsupported dtype.
        """
        layer = mod[0] if type_of(mod) is cls._FUSED else mod
        observer = getattr(mod, "weight_fake_quant", None)
        if observer is None:
            if layer is mod:
                check_class(cls, mod, cls._FLOAT_MODULE)
            check_qconfig(mod)
            observer, use_precomputed_fake_quant = weight_observer(mod.qconfig), False
        if not use_precomputed_fake_quant:
            observer(layer.weight)
        weight = dynamic_weight(layer.weight, observer)
        made = cls(layer.in_features, layer.out_features, dtype=observer.dtype)
        made.set_weight_bias(weight, layer.bias)
        return made

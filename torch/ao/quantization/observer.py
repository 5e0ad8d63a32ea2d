"""Modules that look at the tensors passing through them and choose parameters of quantization."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch.ao.quantization._observer_base import ObserverBase
from torch.ao.quantization._qparams import (
    PER_CHANNEL,
    parameters_of_range,
    range_of_integers,
)
from torch.ao.quantization._simple_observers import (
    FixedQParamsObserver,
    NoopObserver,
    PlaceholderObserver,
    RecordingObserver,
    ReuseInputObserver,
)

__all__ = [
    "FixedQParamsObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "NoopObserver",
    "ObserverBase",
    "PerChannelMinMaxObserver",
    "PlaceholderObserver",
    "RecordingObserver",
    "ReuseInputObserver",
    "UniformQuantizationObserverBase",
    "default_affine_fixed_qparams_observer",
    "default_debug_observer",
    "default_dynamic_quant_observer",
    "default_fixed_qparams_range_0to1_observer",
    "default_fixed_qparams_range_neg1to1_observer",
    "default_float_qparams_observer",
    "default_float_qparams_observer_4bit",
    "default_observer",
    "default_per_channel_weight_observer",
    "default_placeholder_observer",
    "default_reuse_input_observer",
    "default_symmetric_fixed_qparams_observer",
    "default_weight_observer",
    "per_channel_weight_observer_range_neg_127_to_127",
    "weight_observer_range_neg_127_to_127",
]

Tensor = torch.Tensor
_EPS = torch.finfo(torch.float32).eps


class UniformQuantizationObserverBase(ObserverBase):
    """The base class of observers that keep the least and the greatest number.

    Args:
        dtype: The quantized dtype.
        qscheme: One of torch.per_tensor_affine, per_tensor_symmetric, per_channel_affine,
            per_channel_symmetric and per_channel_affine_float_qparams.
        reduce_range: Whether to use one bit less, so that sums of products do not overflow.
        quant_min: The least integer; that of the dtype by default.
        quant_max: The greatest integer.
        factory_kwargs: The device and dtype of the buffers.
        eps: The least scale.
        is_dynamic: Whether the parameters are chosen for each call anew.

    Example:
        >>> base = torch.ao.quantization.observer.UniformQuantizationObserverBase
        >>> issubclass(torch.ao.quantization.MinMaxObserver, base)
        True
    """

    _version = 3

    eps: Tensor
    min_val: Tensor
    max_val: Tensor

    def __init__(
        self,
        dtype: torch.dtype = torch.quint8,
        qscheme: torch.qscheme = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: dict[str, Any] | None = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(dtype=dtype, is_dynamic=is_dynamic)
        self.qscheme = qscheme
        self.reduce_range = reduce_range
        self._factory_kwargs = dict(factory_kwargs or {})
        self.register_buffer("eps", torch.tensor([eps], **self._factory_kwargs))
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        self.quant_min, self.quant_max = range_of_integers(
            dtype, reduce_range, quant_min, quant_max
        )

    def _calculate_qparams(self, min_val: Tensor, max_val: Tensor) -> tuple[Tensor, Tensor]:
        if min_val.numel() == 0 or max_val.numel() == 0 or bool((min_val > max_val).any()):
            warnings.warn(
                "must run observer before calling calculate_qparams. Returning default values.",
                stacklevel=3,
            )
            return torch.tensor([1.0], device=min_val.device), torch.tensor(
                [0], device=min_val.device
            )
        return parameters_of_range(
            min_val,
            max_val,
            (self.quant_min, self.quant_max),
            self.qscheme,
            self.dtype,
            self.eps,
            self.has_customized_qrange,
        )

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return the scale and the zero point for the numbers seen so far."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        """Show the range."""
        return f"min_val={self.min_val}, max_val={self.max_val}"


class MinMaxObserver(UniformQuantizationObserverBase):
    """Keeps the least and the greatest number of all tensors; see UniformQuantizationObserverBase.

    Example:
        >>> observer = torch.ao.quantization.MinMaxObserver()
        >>> observer(torch.tensor([-1.0, 4.0]))
        tensor([-1.,  4.])
        >>> observer.calculate_qparams()
        (tensor([0.0196]), tensor([51], dtype=torch.int32))
    """

    def __init__(
        self,
        dtype: torch.dtype = torch.quint8,
        qscheme: torch.qscheme = torch.per_tensor_affine,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if qscheme in PER_CHANNEL:
            raise NotImplementedError(
                "MinMaxObserver's qscheme only support torch.per_tensor_symmetric and "
                "torch.per_tensor_affine."
            )
        super().__init__(dtype, qscheme, *args, **kwargs)
        self.register_buffer("min_val", torch.tensor(float("inf"), **self._factory_kwargs))
        self.register_buffer("max_val", torch.tensor(float("-inf"), **self._factory_kwargs))

    def forward(self, x_orig: Tensor) -> Tensor:
        """Widen the range by a tensor and return it."""
        if x_orig.numel():
            low, high = torch.aminmax(x_orig.detach().to(self.min_val.dtype))
            self._update(low, high)
        return x_orig

    def _update(self, low: Tensor, high: Tensor) -> None:
        self.min_val.copy_(torch.min(low, self.min_val))
        self.max_val.copy_(torch.max(high, self.max_val))

    def reset_min_max_vals(self) -> None:
        """Forget all tensors."""
        self.min_val.copy_(torch.tensor(float("inf")))
        self.max_val.copy_(torch.tensor(float("-inf")))


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Keeps moving averages of the least and the greatest number of each tensor.

    Args:
        averaging_constant: The weight of a new tensor.
        dtype: See UniformQuantizationObserverBase, like the arguments that follow.

    Example:
        >>> observer = torch.ao.quantization.MovingAverageMinMaxObserver(averaging_constant=0.5)
        >>> _ = observer(torch.tensor([-1.0, 4.0])), observer(torch.tensor([0.0, 2.0]))
        >>> observer.min_val, observer.max_val
        (tensor(-0.5000), tensor(3.))
    """

    def __init__(self, averaging_constant: float = 0.01, *args: Any, **kwargs: Any) -> None:
        self.averaging_constant = averaging_constant
        super().__init__(*args, **kwargs)
        self.averaging_constant = averaging_constant

    def _update(self, low: Tensor, high: Tensor) -> None:
        if bool(self.min_val == float("inf")) and bool(self.max_val == float("-inf")):
            super()._update(low, high)
            return
        weight = self.averaging_constant
        self.min_val.copy_(self.min_val + weight * (low - self.min_val))
        self.max_val.copy_(self.max_val + weight * (high - self.max_val))


class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """Keeps the least and the greatest number of each index of one dimension.

    Args:
        ch_axis: The dimension of the channels.
        dtype: See UniformQuantizationObserverBase, like the arguments that follow.

    Example:
        >>> observer = torch.ao.quantization.PerChannelMinMaxObserver()
        >>> _ = observer(torch.tensor([[-1.0, 4.0], [0.0, 2.0]]))
        >>> observer.min_val, observer.max_val
        (tensor([-1.,  0.]), tensor([4., 2.]))
    """

    def __init__(
        self,
        ch_axis: int = 0,
        dtype: torch.dtype = torch.quint8,
        qscheme: torch.qscheme = torch.per_channel_affine,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if qscheme not in PER_CHANNEL:
            raise NotImplementedError(
                "PerChannelMinMaxObserver's qscheme only support torch.per_channel_symmetric, "
                "torch.per_channel_affine and torch.per_channel_affine_float_qparams."
            )
        super().__init__(dtype, qscheme, *args, **kwargs)
        self.ch_axis = ch_axis
        self.register_buffer("min_val", torch.tensor([], **self._factory_kwargs))
        self.register_buffer("max_val", torch.tensor([], **self._factory_kwargs))

    def forward(self, x_orig: Tensor) -> Tensor:
        """Widen the ranges by a tensor and return it."""
        if x_orig.numel():
            channels = x_orig.detach().movedim(self.ch_axis, 0).to(self.min_val.dtype)
            low, high = torch.aminmax(channels.flatten(1), dim=1)
            self._update(low, high)
        return x_orig

    def _update(self, low: Tensor, high: Tensor) -> None:
        if self.min_val.numel():
            low, high = self._combined(low, high)
        self.min_val.resize_(low.shape).copy_(low)
        self.max_val.resize_(high.shape).copy_(high)

    def _combined(self, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
        return torch.min(low, self.min_val), torch.max(high, self.max_val)

    def reset_min_max_vals(self) -> None:
        """Forget all tensors."""
        self.min_val, self.max_val = torch.rand(0), torch.rand(0)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        for name in ("min_val", "max_val"):  # which have no elements before the first tensor
            if f"{prefix}{name}" in state_dict:
                getattr(self, name).resize_(state_dict[f"{prefix}{name}"].shape)
        super()._load_from_state_dict(state_dict, prefix, *args)


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """Keeps moving averages of the ranges of each channel; see PerChannelMinMaxObserver.

    Args:
        averaging_constant: The weight of a new tensor.
        ch_axis: The dimension of the channels.

    Example:
        >>> observer = torch.ao.quantization.MovingAveragePerChannelMinMaxObserver(0.5)
        >>> _ = observer(torch.tensor([[0.0, 4.0]])), observer(torch.tensor([[0.0, 2.0]]))
        >>> observer.max_val
        tensor([3.])
    """

    def __init__(
        self, averaging_constant: float = 0.01, ch_axis: int = 0, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(ch_axis, *args, **kwargs)
        self.averaging_constant = averaging_constant

    def _combined(self, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
        weight = self.averaging_constant
        return (
            self.min_val + weight * (low - self.min_val),
            self.max_val + weight * (high - self.max_val),
        )


default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_weight_observer = MinMaxObserver.with_args(
    dtype=torch.qint8, qscheme=torch.per_tensor_symmetric
)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(
    dtype=torch.qint8,
    qscheme=torch.per_tensor_symmetric,
    quant_min=-127,
    quant_max=127,
    eps=2**-12,
)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(
    dtype=torch.qint8, qscheme=torch.per_channel_symmetric
)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    dtype=torch.qint8,
    qscheme=torch.per_channel_symmetric,
    quant_min=-127,
    quant_max=127,
    eps=2**-12,
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype=torch.quint8, quant_min=0, quant_max=255, is_dynamic=True
)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=torch.quint8, qscheme=torch.per_channel_affine_float_qparams, ch_axis=0
)
default_float_qparams_observer_4bit = PerChannelMinMaxObserver.with_args(
    dtype=torch.quint4x2, qscheme=torch.per_channel_affine_float_qparams, ch_axis=0
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2.0 / 256.0, zero_point=128, dtype=torch.quint8, quant_min=0, quant_max=255
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1.0 / 256.0, zero_point=0, dtype=torch.quint8, quant_min=0, quant_max=255
)
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer
default_reuse_input_observer = ReuseInputObserver

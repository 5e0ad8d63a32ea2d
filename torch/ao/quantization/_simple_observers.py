"""Observers that choose no range of their own."""

from __future__ import annotations

from typing import Any, NoReturn

import torch
from torch.ao.quantization._observer_base import ObserverBase

Tensor = torch.Tensor


class FixedQParamsObserver(ObserverBase):
    """Gives each tensor the same parameters, such as for the results of a sigmoid.

    Args:
        scale: The scale.
        zero_point: The zero point.
        dtype: The quantized dtype.
        qscheme: How integers stand for numbers.
        quant_min: The least integer.
        quant_max: The greatest integer.
        is_dynamic: Must be False.

    Example:
        >>> torch.ao.quantization.FixedQParamsObserver(0.5, 3).calculate_qparams()
        (tensor([0.5000]), tensor([3], dtype=torch.int32))
    """

    scale: Tensor
    zero_point: Tensor

    def __init__(
        self,
        scale: float,
        zero_point: int,
        dtype: torch.dtype = torch.quint8,
        qscheme: torch.qscheme = torch.per_tensor_affine,
        quant_min: int = 0,
        quant_max: int = 255,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if is_dynamic:
            raise NotImplementedError("FixedQParamsObserver doesn't support dynamic quantization")
        super().__init__(dtype=dtype, is_dynamic=is_dynamic)
        self.quant_min, self.quant_max = quant_min, quant_max
        self.register_buffer("scale", torch.tensor([scale], dtype=torch.float))
        self.register_buffer("zero_point", torch.tensor([zero_point], dtype=torch.int))
        self.qscheme = qscheme

    def forward(self, X: Any) -> Any:
        """Return the tensor."""
        return X

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return the scale and the zero point."""
        return self.scale, self.zero_point


class _WithoutParameters(ObserverBase):
    def forward(self, x: Any) -> Any:
        """Return the tensor."""
        return x

    def calculate_qparams(self, **kwargs: Any) -> NoReturn:
        """Raise an error: this observer chooses nothing."""
        raise RuntimeError(f"calculate_qparams should not be called for {type(self).__name__}")


class PlaceholderObserver(_WithoutParameters):
    """Keeps the settings of quantization whose parameters are chosen for each call.

    Args:
        dtype: The dtype of the quantized tensors.
        custom_op_name: A name for passes that look for it.
        compute_dtype: Deprecated: whether the parameters are chosen for each call.
        quant_min: The least integer.
        quant_max: The greatest integer.
        qscheme: How integers stand for numbers.
        eps: The least scale.
        is_dynamic: Whether the parameters are chosen for each call.

    Example:
        >>> torch.ao.quantization.PlaceholderObserver(dtype=torch.float16).dtype
        torch.float16
    """

    def __init__(
        self,
        dtype: torch.dtype = torch.float32,
        custom_op_name: str = "",
        compute_dtype: Any = None,
        quant_min: int | None = None,
        quant_max: int | None = None,
        qscheme: Any = None,
        eps: float | None = None,
        is_dynamic: bool = False,
    ) -> None:
        super().__init__(dtype=dtype, is_dynamic=is_dynamic or bool(compute_dtype))
        self.quant_min, self.quant_max = quant_min, quant_max
        self.qscheme = torch.per_tensor_affine if qscheme is None else qscheme
        self.eps = torch.finfo(torch.float32).eps if eps is None else eps
        self.custom_op = custom_op_name

    def extra_repr(self) -> str:
        """Show the settings."""
        return f"dtype={self.dtype}, is_dynamic={self.is_dynamic}"


class RecordingObserver(_WithoutParameters):
    """Keeps copies of all tensors.

    Args:
        dtype: The quantized dtype.

    Example:
        >>> observer = torch.ao.quantization.RecordingObserver()
        >>> _ = observer(torch.ones(2))
        >>> observer.get_tensor_value()
        [tensor([1., 1.])]
    """

    def __init__(self, dtype: torch.dtype = torch.quint8) -> None:
        super().__init__(dtype=dtype)
        self.tensor_val: list[Tensor] = []

    def forward(self, x: Any) -> Any:
        """Keep a copy of a tensor and return it."""
        self.tensor_val.append(x.clone())
        return x

    def get_tensor_value(self) -> list[Tensor]:
        """Return the copies."""
        return self.tensor_val


class NoopObserver(_WithoutParameters):
    """Does nothing; for tensors that are converted to torch.float16.

    Args:
        dtype: The dtype.
        custom_op_name: A name for passes that look for it.

    Example:
        >>> torch.ao.quantization.NoopObserver()(torch.ones(1))
        tensor([1.])
    """

    def __init__(self, dtype: torch.dtype = torch.float16, custom_op_name: str = "") -> None:
        super().__init__(dtype=dtype)
        self.custom_op = custom_op_name


class ReuseInputObserver(_WithoutParameters):
    """Marks operators whose results have the parameters of their input.

    Example:
        >>> torch.ao.quantization.ReuseInputObserver()(torch.ones(1))
        tensor([1.])
    """

    def __init__(self) -> None:
        super().__init__(torch.quint8, is_dynamic=False)

"""The class of quantized tensors: a wrapper of the integers, with rules for operators in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import _C
from torch._quantized import _packing
from torch._quantized._quantizers import PerChannel, PerTensor, Quantizer

Tensor = torch.Tensor


class QuantizedTensor(Tensor):
    """A tensor of integers that stand for numbers; `torch.quantize_per_tensor` creates it."""

    _integers: Tensor
    _quantizer: Quantizer
    _dtype: Any
    # Which rule an operator has: set by `torch._quantized._rules`, which knows all.
    _rule_of_operator: ClassVar[Callable[[Any], Callable[..., Any]]]

    is_quantized = True  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the rule of an operator."""
        return cls._rule_of_operator(func)(*args, **(kwargs or {}))

    @property
    def dtype(self) -> Any:
        """The quantized dtype."""
        return self._dtype

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Show the numbers and the parameters."""
        from torch._tensor_str import quantized_text

        return quantized_text(self, self._quantizer.described(), self.dequantize())

    def __deepcopy__(self, memo: Any) -> Any:
        """Copy the integers."""
        return memo.setdefault(id(self), self.clone())

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the storage of the integers and the parameters, as PyTorch does."""
        from collections import OrderedDict

        from torch import _utils

        packed = _packing.packed(self._integers, self.dtype)
        storage = torch.storage.TypedStorage(
            wrap_storage=packed.untyped_storage(), dtype=self.dtype, _internal=True
        )
        place = (packed.storage_offset(), tuple(self.shape), self._integers.stride())
        state = (storage, *place, self._quantizer.pickled(), False, OrderedDict())
        return _utils._rebuild_qtensor, state

    def dequantize(self) -> Tensor:
        """Return the numbers, of dtype float32."""
        return self._quantizer.dequantize(self._integers)

    def int_repr(self) -> Tensor:
        """Return a copy of the integers, channels last if they are; those of less than 8 bits are packed."""
        packed = _packing.packed(self._integers, self.dtype)
        kept = {4: torch.channels_last, 5: torch.channels_last_3d}.get(packed.ndim)
        if packed.is_contiguous() or not kept or not packed.is_contiguous(memory_format=kept):
            kept = torch.contiguous_format
        return packed.clone(memory_format=kept)

    def qscheme(self) -> torch.qscheme:
        """Return how the integers stand for numbers."""
        return self._quantizer.scheme

    def q_scale(self) -> float:
        """Return the scale of all elements."""
        return self._per_tensor().scale

    def q_zero_point(self) -> int:
        """Return the zero point of all elements."""
        return self._per_tensor().zero_point

    def q_per_channel_scales(self) -> Tensor:
        """Return the scale of each channel."""
        return self._per_channel().scales

    def q_per_channel_zero_points(self) -> Tensor:
        """Return the zero point of each channel."""
        return self._per_channel().zero_points

    def q_per_channel_axis(self) -> int:
        """Return the dimension of the channels."""
        return self._per_channel().axis

    def _per_tensor(self) -> PerTensor:
        if not isinstance(self._quantizer, PerTensor):
            raise RuntimeError(
                f"expected a tensor with one scale for all elements, got {self.qscheme()}"
            )
        return self._quantizer

    def _per_channel(self) -> PerChannel:
        if not isinstance(self._quantizer, PerChannel):
            raise RuntimeError(
                f"expected a tensor with a scale for each channel, got {self.qscheme()}"
            )
        return self._quantizer

    def _with_integers(self, integers: Tensor) -> QuantizedTensor:
        """Return a tensor of other integers with the same parameters."""
        return wrap(integers, self._quantizer, self.dtype)

    def is_signed(self) -> bool:
        """Raise an error, as PyTorch does."""
        return self.dtype.is_signed

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Raise an error: integers have no gradients."""
        if requires_grad:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        return self

    def data_ptr(self) -> int:
        """Return the address of the integers."""
        return self._integers.data_ptr()

    def untyped_storage(self) -> Any:
        """Return the storage of the integers."""
        return self._integers.untyped_storage()

    def _typed_storage(self) -> Any:
        return torch.storage.TypedStorage(
            wrap_storage=self.untyped_storage(), dtype=self.dtype, _internal=True
        )

    storage = _typed_storage

    def numpy(self, **options: Any) -> Any:
        """Raise an error: arrays have no parameters."""
        raise TypeError(f"Got unsupported ScalarType {self.dtype}. Use Tensor.dequantize() first.")

    def tolist(self) -> Any:
        """Return the numbers as nested lists."""
        return self.dequantize().tolist()


def wrap(integers: Tensor, quantizer: Quantizer, dtype: torch.dtype) -> QuantizedTensor:
    """Create a quantized tensor.

    Args:
        integers: The integers, one for each element, of the dtype that `dtype` stores.
        quantizer: The parameters.
        dtype: The quantized dtype.
    """
    return _C._wrapper_like(  # type: ignore[no-any-return]
        QuantizedTensor, integers, _integers=integers, _quantizer=quantizer, _dtype=dtype
    )

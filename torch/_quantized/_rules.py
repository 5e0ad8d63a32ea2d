"""What operators do with quantized tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch._quantized import _channels
from torch._quantized._quantizers import PerTensor
from torch._quantized._tensor import QuantizedTensor, wrap

Tensor = torch.Tensor
Rule = Callable[..., Any]
aten = torch.ops.aten

# Operators that only move elements: they do the same with the integers.
_MOVING = """alias as_strided clone contiguous detach expand flip index index_select permute repeat roll select slice
split split_with_sizes squeeze t transpose unbind unfold unsqueeze view _unsafe_view reshape _reshape_alias
reflection_pad1d reflection_pad2d reflection_pad3d upsample_nearest1d upsample_nearest2d upsample_nearest3d
pixel_shuffle pixel_unshuffle _upsample_nearest_exact1d _upsample_nearest_exact2d
_upsample_nearest_exact3d lift_fresh _to_copy""".split()  # noqa: SIM905
# Operators that select elements, whose order the integers have, too.
_SELECTING = "max min amax amin sort topk".split()  # noqa: SIM905
# Operators whose result is quantized or requantized with the parameters of the input.
_QUANTIZED = "constant_pad_nd masked_fill mean std".split()  # noqa: SIM905
_REQUANTIZED = "gelu grid_sampler_2d leaky_relu threshold upsample_bilinear2d".split()  # noqa: SIM905
# Averages, which are rounded to the nearest integer directly.
_AVERAGING = """adaptive_avg_pool2d _adaptive_avg_pool2d _adaptive_avg_pool3d avg_pool2d
avg_pool3d""".split()  # noqa: SIM905
_POOLING = ("max_pool2d_with_indices", "max_pool3d_with_indices")
# Operators that change the shape in place.
_TURNING = "as_strided_ resize_ squeeze_ t_ transpose_ unsqueeze_".split()  # noqa: SIM905
_COMPARING = "eq ne lt le gt ge".split()  # noqa: SIM905
# Operators whose results have a fixed range, and the scale of an integer of 8 bits for it.
_BOUNDED = {"sigmoid": 1 / 256, "hardsigmoid": 1 / 256, "tanh": 2 / 256}


def _numbers(value: Any) -> Any:
    return value.dequantize() if isinstance(value, QuantizedTensor) else value


def _moving(func: Any) -> Rule:
    name = func.name().partition("::")[2].partition(".")[0]

    def rule(self: Any, *args: Any, **kwargs: Any) -> Any:
        options = {key: value for key, value in kwargs.items() if key != "dtype"}
        result = func(self._integers, *args, **options)
        quantizer = _channels.moved(name, self, result, args)
        if isinstance(result, Tensor):
            return wrap(result, quantizer, self.dtype)
        return [wrap(part, quantizer, self.dtype) for part in result]

    return rule


def _selecting(func: Any) -> Rule:
    def rule(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._per_tensor()
        found = func(self._integers, *args, **kwargs)
        if isinstance(found, Tensor):
            return self._with_integers(found)
        return (self._with_integers(found[0]), *found[1:])

    return rule


def _rounded(method: Callable[..., Tensor]) -> Callable[[Any], Rule]:
    def of_operator(func: Any) -> Rule:
        def rule(self: Any, *args: Any, **kwargs: Any) -> Any:
            quantizer = self._per_tensor()
            values = func(self.dequantize(), *map(_numbers, args), **kwargs)
            return wrap(method(quantizer, values, self.dtype), quantizer, self.dtype)

        return rule

    return of_operator


def _averaging(func: Any) -> Rule:
    def rule(self: Any, *args: Any, **kwargs: Any) -> Any:
        point = self._per_tensor().zero_point
        average = func(self._integers.float() - point, *args, **kwargs) + point
        return self._with_integers(average.round().to(self._integers.dtype))

    return rule


def _comparing(func: Any) -> Rule:
    def rule(self: Any, other: Any) -> Any:
        return func(_numbers(self), _numbers(other))

    return rule


def _bounded(scale: float) -> Callable[[Any], Rule]:
    def of_function(func: Any) -> Rule:
        def rule(self: Any) -> Any:
            symmetric = func.name().startswith("aten::tanh")
            middle = {torch.qint8: 0, torch.quint8: 128}.get(self.dtype, 0)
            lowest = {torch.qint8: -128}.get(self.dtype, 0)
            quantizer = PerTensor(scale, middle if symmetric else lowest)
            values = func(self.dequantize())
            return wrap(quantizer.requantize(values, self.dtype), quantizer, self.dtype)

        return rule

    return of_function


def _integer(self: Any, number: Any) -> int | None:
    """Return the integer for a number with the parameters of a tensor."""
    if number is None:
        return None
    value = torch.tensor(float(number), dtype=torch.float32)
    return int(self._per_tensor().quantize(value, self.dtype))


def _clamp(self: Any, min: Any = None, max: Any = None) -> Any:
    return self._with_integers(self._integers.clamp(_integer(self, min), _integer(self, max)))


def _hardtanh(self: Any, min_val: Any = -1, max_val: Any = 1) -> Any:
    return _clamp(self, min_val, max_val)


def _max_pool_with_indices(func: Any) -> Rule:
    def rule(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._per_tensor()
        integers = self._integers.float()  # which holds 8-bit integers exactly
        values, indices = func(integers, *args, **kwargs)
        return self._with_integers(values.to(self._integers.dtype)), indices

    return rule


def _turning(func: Any) -> Rule:
    """Return the rule of an operator that changes the shape in place."""
    name = func.name().partition("::")[2].partition(".")[0].removesuffix("_")

    def rule(self: Any, *args: Any, **kwargs: Any) -> Any:
        integers = func(self._integers.detach(), *args, **kwargs)
        quantizer = _channels.moved(name, self, integers, args)
        self.data = wrap(integers, quantizer, self.dtype)
        self._integers, self._quantizer = integers, quantizer
        return self

    return rule


def _relu(self: Any) -> Any:
    return self._with_integers(self._integers.clamp(min=self._per_tensor().zero_point))


def _relu_(self: Any) -> Any:
    self._integers.clamp_(min=self._per_tensor().zero_point)
    return self


def _copy_(self: Any, source: Any, non_blocking: bool = False) -> Any:
    if not isinstance(self, QuantizedTensor):
        raise RuntimeError(
            "Copying from quantized Tensor to non-quantized Tensor is not allowed, please use dequantize to get a float Tensor from a quantized Tensor"
        )
    if isinstance(source, QuantizedTensor):
        if source.dtype != self.dtype:
            raise RuntimeError("Quantized Copy only works with same dtype")
        self._integers.copy_(source._integers)
        self._quantizer = source._quantizer
        return self
    if source.dtype != torch.float32:
        raise RuntimeError("Quantized copy only works with kFloat as source Tensor")
    self._integers.copy_(self._quantizer.quantize(source.expand(self.shape), self.dtype))
    return self


def _fill_(self: Any, value: Any) -> Any:
    values = torch.full(self.shape, float(value), device=self.device)
    self._integers.copy_(self._quantizer.quantize(values, self.dtype))
    return self


def _index_put_(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    quantizer = self._per_tensor()
    if accumulate:
        raise RuntimeError(
            "index_put for quantized tensors is currently only supported for accumulate=False"
        )
    if isinstance(values, QuantizedTensor):
        raise RuntimeError("Value argument for quantized input_put should not be quantized")
    integers = quantizer.quantize(values.float(), self.dtype)
    self._integers.index_put_(indices, integers)
    return self


def _index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    return _index_put_(self.clone(), indices, values, accumulate)


def _ones_like(self: Any, **options: Any) -> Any:
    return _fill_(_empty_like(self, **options), 1)


def _masked_fill_(self: Any, mask: Tensor, value: Any) -> Any:
    self._integers.masked_fill_(mask, _integer(self, value))
    return self


def _equal(self: Any, other: Any) -> bool:
    if not isinstance(self, QuantizedTensor) or not isinstance(other, QuantizedTensor):
        return False
    return (
        self.dtype == other.dtype
        and self._quantizer.same_as(other._quantizer)
        and torch.equal(self._integers, other._integers)
    )


def concatenated(tensors: Iterable[Any], dim: int, quantizer: PerTensor, dtype: Any) -> Any:
    """Return the elements of several tensors with common parameters."""
    parts = [
        each._integers
        if each._quantizer == quantizer
        else quantizer.quantize(each.dequantize(), dtype)
        for each in tensors
    ]
    return wrap(torch.cat(parts, dim), quantizer, dtype)


def _cat(tensors: Any, dim: int = 0) -> Any:
    first = tensors[0]
    return concatenated(tensors, dim, first._per_tensor(), first.dtype)


def _stack(tensors: Any, dim: int = 0) -> Any:
    return _cat([each.unsqueeze(dim) for each in tensors], dim)


def _item(self: Any) -> Any:
    return self.dequantize().item()


def _empty_like(self: Any, **options: Any) -> Any:
    dtype = options.pop("dtype", None)
    if dtype not in (None, self.dtype):
        raise RuntimeError(
            "It looks like you called empty_like with another dtype on a quantized tensor"
        )
    return self._with_integers(torch.empty_like(self._integers, **options))


def _new_empty(self: Any, size: Any, **options: Any) -> Any:
    return self._with_integers(self._integers.new_empty(size))


def _is_same_size(self: Any, other: Any) -> bool:
    return self.shape == other.shape


_OWN: dict[str, Rule] = {
    "clamp": _clamp,
    "hardtanh": _hardtanh,
    "relu": _relu,
    "relu_": _relu_,
    "copy_": _copy_,
    "fill_": _fill_,
    "index_put": _index_put,
    "index_put_": _index_put_,
    "ones_like": _ones_like,
    "masked_fill_": _masked_fill_,
    "equal": _equal,
    "cat": _cat,
    "stack": _stack,
    "_local_scalar_dense": _item,
    "item": _item,
    "empty_like": _empty_like,
    "new_empty": _new_empty,
    "is_same_size": _is_same_size,
}
_FAMILIES: dict[str, Callable[[Any], Rule]] = {
    **dict.fromkeys(_MOVING, _moving),
    **dict.fromkeys(_SELECTING, _selecting),
    **dict.fromkeys(_QUANTIZED, _rounded(PerTensor.quantize)),
    **dict.fromkeys(_REQUANTIZED, _rounded(PerTensor.requantize)),
    **dict.fromkeys(_AVERAGING, _averaging),
    **dict.fromkeys(_COMPARING, _comparing),
    **dict.fromkeys(_POOLING, _max_pool_with_indices),
    **dict.fromkeys(_TURNING, _turning),
    **{name: _bounded(scale) for name, scale in _BOUNDED.items()},
}


def of_operator(func: Any) -> Rule:
    """Return the rule of an operator.

    Raises:
        NotImplementedError: If there is none.
    """
    name = func.name().partition("::")[2].partition(".")[0]
    if name in _OWN:
        return _OWN[name]
    if name in _FAMILIES:
        return _FAMILIES[name](func)
    raise NotImplementedError(
        f"Could not run '{func.name()}' with arguments from the 'QuantizedCPU' backend: quantized tensors "
        "do not support it. Use Tensor.dequantize() first."
    )


QuantizedTensor._rule_of_operator = staticmethod(of_operator)

"""The rules by which integers stand for numbers: q stands for (q - zero_point) * scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch

Tensor = torch.Tensor


@dataclass(frozen=True)
class QuantizedDtype:
    """The integers of a quantized dtype."""

    dtype: torch.dtype
    integers: torch.dtype
    low: int
    high: int
    per_byte: int = 1
    """How many integers a byte of storage holds."""


DTYPES = {
    each.dtype: each
    for each in (
        QuantizedDtype(torch.qint8, torch.int8, -128, 127),
        QuantizedDtype(torch.quint8, torch.uint8, 0, 255),
        QuantizedDtype(torch.qint32, torch.int32, -(2**31), 2**31 - 1),
        QuantizedDtype(torch.quint4x2, torch.uint8, 0, 15, per_byte=2),
        QuantizedDtype(torch.quint2x4, torch.uint8, 0, 3, per_byte=4),
    )
}
BY_INTEGERS = {each.integers: each for each in DTYPES.values() if each.per_byte == 1}


def quantized_dtype(dtype: torch.dtype) -> QuantizedDtype:
    """Return what integers a quantized dtype has.

    Raises:
        RuntimeError: If the dtype is not a quantized one.
    """
    found = DTYPES.get(dtype)
    if found is None:
        raise RuntimeError(f"expected a quantized dtype such as torch.quint8, got {dtype}")
    return found


def check_zero_point(low: int, high: int, kind: QuantizedDtype, name: str) -> None:
    """Refuse zero points from `low` to `high` that the integers of a dtype can't represent.

    Raises:
        RuntimeError: If one is out of bounds; the message starts with `name`, PyTorch's kernel.
    """
    if low < kind.low:
        raise RuntimeError(f"{name} zero_point {low} is below lower bound.")
    if high > kind.high:
        raise RuntimeError(f"{name} zero_point {high} is above upper bound.")


def _nearest(numbers: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the nearest integers that a quantized dtype has."""
    kind = quantized_dtype(dtype)
    rounded = numbers.round().nan_to_num_(nan=kind.high)
    if kind.integers == torch.int32:  # float has too few bits for the limits
        rounded = rounded.double()
    return rounded.clamp_(kind.low, kind.high).to(kind.integers)


def _has_kernel(values: Tensor, dtype: torch.dtype) -> bool:
    return dtype is torch.quint8 and values.dtype is torch.float32 and values.is_cpu


@dataclass(slots=True)  # created by every operator: frozen instances take twice as long
class PerTensor:
    """One scale and one zero point for all elements, which do not change."""

    scale: float
    zero_point: int

    scheme = torch.per_tensor_affine

    def quantize(self, values: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the integers for numbers, of the dtype that `dtype` stores.

        They are the nearest to values * (1 / scale) + zero_point, which 8-bit kernels round once.
        """
        if _has_kernel(values, dtype):
            return torch._quantize_to_bytes_for_cpu(values, self.scale, self.zero_point)  # type: ignore[no-any-return]
        values, inverse = values.detach(), self._inverse()
        if quantized_dtype(dtype).integers == torch.int32:
            return _nearest(values * inverse + self.zero_point, dtype)
        exact = values.double() * inverse.double() + self.zero_point
        return _nearest(exact.float(), dtype)

    def requantize(self, values: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the integers for the results of arithmetic, which are rounded without the zero point."""
        if _has_kernel(values, dtype):
            return torch._quantize_to_bytes_for_cpu(values, self.scale, self.zero_point, True)  # type: ignore[no-any-return]
        rounded = (values.detach() * self._inverse()).round_()
        return _nearest(rounded.add_(self.zero_point), dtype)

    def _inverse(self) -> Tensor:
        return torch.tensor(1.0) / torch.tensor(self.scale, dtype=torch.float32)

    def dequantize(self, integers: Tensor) -> Tensor:
        """Return the numbers that integers stand for, of dtype float32."""
        point = self.zero_point
        check_zero_point(
            point, point, BY_INTEGERS[integers.dtype], "dequantize_tensor_per_tensor_affine"
        )
        if integers.is_cpu and integers.dtype is not torch.int32:
            return torch._dequantize_for_cpu(integers, self.scale, point)  # type: ignore[no-any-return]
        return _differences(integers, point).mul_(self.scale)

    def described(self) -> list[str]:
        """Return the parameters as the repr of a tensor shows them."""
        return [f"scale={self.scale}", f"zero_point={self.zero_point}"]

    def same_as(self, other: Any) -> bool:
        """Return whether another rule has the same parameters."""
        return self == other

    def pickled(self) -> tuple[Any, ...]:
        """Return the parameters in the form of PyTorch's files."""
        return self.scheme, self.scale, self.zero_point

    def moved(self, integers: Tensor) -> PerTensor:
        """Return the rule for integers on another device."""
        return self


@dataclass(frozen=True, eq=False)
class PerChannel:
    """A scale and a zero point for each index of one dimension."""

    scales: Tensor
    zero_points: Tensor
    axis: int

    @property
    def scheme(self) -> torch.qscheme:
        """Whether the zero points are integers."""
        if self.zero_points.is_floating_point():
            return torch.per_channel_affine_float_qparams  # type: ignore[no-any-return]
        return torch.per_channel_affine  # type: ignore[no-any-return]

    def check_zero_points(self, kind: QuantizedDtype, name: str) -> None:
        """Refuse zero points that the integers of a dtype can't represent; see check_zero_point."""
        points = self.zero_points
        if points.numel() and not points.is_floating_point():
            low, high = (int(each) for each in torch.aminmax(points))
            check_zero_point(low, high, kind, name)

    def _along_axis(self, parameters: Tensor, like: Tensor) -> Tensor:
        return parameters.reshape([-1 if dim == self.axis else 1 for dim in range(like.dim())])

    def quantize(self, values: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the integers nearest to numbers, of the dtype that `dtype` stores."""
        values = values.detach()
        scales = self._along_axis(self.scales, values).float()
        points = self._along_axis(self.zero_points, values).float()
        if self.zero_points.is_floating_point():
            return _nearest(values / scales + points, dtype)
        return _nearest(values * scales.reciprocal() + points, dtype)

    def dequantize(self, integers: Tensor) -> Tensor:
        """Return the numbers that integers stand for, of dtype float32."""
        self.check_zero_points(BY_INTEGERS[integers.dtype], "dequantize_tensor_per_channel_affine")
        scales = self._along_axis(self.scales, integers).float()
        return _differences(integers, self._along_axis(self.zero_points, integers)) * scales

    def described(self) -> list[str]:
        """Return the parameters as the repr of a tensor shows them."""
        return [
            f"scale={self.scales}",
            f"zero_point={self.zero_points}",
            f"axis={self.axis}",
        ]

    def same_as(self, other: Any) -> bool:
        """Return whether another rule has the same parameters."""
        return (
            isinstance(other, PerChannel)
            and self.axis == other.axis
            and torch.equal(self.scales, other.scales)
            and torch.equal(self.zero_points, other.zero_points)
        )

    def pickled(self) -> tuple[Any, ...]:
        """Return the parameters in the form of PyTorch's files."""
        return self.scheme, self.scales, self.zero_points, self.axis

    def of_channel(self, index: int) -> PerTensor:
        """Return the rule of one index of the axis."""
        return PerTensor(self.scales[index].item(), int(self.zero_points[index].item()))

    def with_axis(self, axis: int) -> PerChannel:
        """Return the same parameters for another dimension."""
        return replace(self, axis=axis)

    def moved(self, integers: Tensor) -> PerChannel:
        """Return the rule for integers on another device."""
        device = integers.device
        return replace(self, scales=self.scales.to(device), zero_points=self.zero_points.to(device))


Quantizer = PerTensor | PerChannel


def _differences(integers: Tensor, zero_point: Any) -> Tensor:
    """Return integers less their zero points, exactly where float32 can represent it."""
    if integers.dtype == torch.int32:
        return (integers.double() - zero_point).float()
    return integers.float().sub_(zero_point)


def from_pickled(parameters: tuple[Any, ...]) -> Quantizer:
    """Return the rule that a file describes.

    Raises:
        RuntimeError: If the scheme is not one of tensors.
    """
    scheme, *rest = parameters
    if scheme == torch.per_tensor_affine:
        return PerTensor(*rest)
    if scheme in (torch.per_channel_affine, torch.per_channel_affine_float_qparams):
        scales, zero_points, axis = rest
        if not isinstance(scales, Tensor):
            scales = torch.tensor(scales, dtype=torch.float64)
            zero_points = torch.tensor(zero_points, dtype=torch.int64)
        return PerChannel(scales, zero_points, axis)
    raise RuntimeError(f"Can't deserialize quantized tensor with qscheme {scheme}")

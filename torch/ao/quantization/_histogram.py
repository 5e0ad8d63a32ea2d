"""The observer that leaves out rare numbers where that lowers the error of quantization."""

from __future__ import annotations

import warnings
from array import array
from bisect import bisect_left, bisect_right
from typing import Any

import torch
from torch.ao.quantization.observer import UniformQuantizationObserverBase

Tensor = torch.Tensor
_STEP = 1e-5  # the share of the numbers that a step of the search leaves out
_PARTS = 16  # the equal parts into which a bin is divided when its histogram is widened


class HistogramObserver(UniformQuantizationObserverBase):
    """Keeps a histogram, and chooses the range with the least expected squared error.

    Args:
        bins: The number of bins.
        dtype: See UniformQuantizationObserverBase, like the arguments that follow.

    Example:
        >>> observer = torch.ao.quantization.HistogramObserver()
        >>> _ = observer(torch.tensor([0.0, 1.0, 2.0, 255.0]))
        >>> observer.min_val, observer.max_val
        (tensor(0.), tensor(255.))
    """

    __module__ = "torch.ao.quantization.observer"  # which exports it, and repr() shows
    histogram: Tensor

    def __init__(
        self,
        bins: int = 2048,
        dtype: torch.dtype = torch.quint8,
        qscheme: torch.qscheme = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: dict[str, Any] | None = None,
        eps: float = torch.finfo(torch.float32).eps,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if qscheme not in (torch.per_tensor_affine, torch.per_tensor_symmetric):
            raise NotImplementedError(
                "HistogramObserver's qscheme only support torch.per_tensor_symmetric and "
                "torch.per_tensor_affine."
            )
        if is_dynamic:
            raise NotImplementedError(
                "HistogramObserver doesn't support dynamic quantization. This observer doesn't "
                "support dynamic quantization"
            )
        super().__init__(
            dtype,
            qscheme,
            reduce_range,
            quant_min,
            quant_max,
            factory_kwargs,
            eps,
            is_dynamic,
            **kwargs,
        )
        self.bins = bins
        self.register_buffer("histogram", torch.zeros(bins, **self._factory_kwargs))
        self.register_buffer("min_val", torch.tensor(float("inf"), **self._factory_kwargs))
        self.register_buffer("max_val", torch.tensor(float("-inf"), **self._factory_kwargs))
        self.dst_nbins = 2 ** (8 * dtype.itemsize)  # also where the range is reduced

    def forward(self, x_orig: Tensor) -> Tensor:
        """Add a tensor to the histogram and return it."""
        if not x_orig.numel():
            return x_orig
        x = x_orig.detach()
        low, high = torch.aminmax(x)
        if low.isinf() or high.isinf():
            warnings.warn("torch.inf detected in input tensor, ignoring input", stacklevel=2)
            x = x[~x.isinf()]
            if not x.numel():
                return x_orig
            low, high = torch.aminmax(x)
        if not bool(self.min_val.isinf()):
            low, high = torch.min(low, self.min_val), torch.max(high, self.max_val)
        added = torch.histc(x, self.bins, min=low.item(), max=high.item())
        is_first = bool(self.min_val.isinf())
        histogram = added if is_first else self._widened(low, high) + added
        self.histogram.resize_(histogram.shape).copy_(histogram)
        self.min_val.copy_(low)
        self.max_val.copy_(high)
        return x_orig

    def _widened(self, low: Tensor, high: Tensor) -> Tensor:
        """Return the histogram with the bins of a range that contains the present one."""
        if bool(low == self.min_val) and bool(high == self.max_val):
            return self.histogram
        if bool(self.min_val == self.max_val):
            place = torch.histc(self.min_val, self.bins, min=low.item(), max=high.item())
            return place * self.histogram.sum()
        parts = self.histogram.repeat_interleave(_PARTS) / _PARTS
        width = (self.max_val - self.min_val) / parts.numel()
        start, end = self.min_val.item(), self.max_val.item()
        edges = torch.linspace(start, end, parts.numel() + 1, device=parts.device)
        middles = edges[:-1] + 0.5 * width
        bounds = torch.linspace(low.item(), high.item(), self.bins + 1, device=parts.device)
        places = (torch.bucketize(middles, bounds, right=True) - 1).clamp(0, self.bins - 1)
        return torch.bincount(places, weights=parts, minlength=self.bins)

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return the scale and the zero point of the range with the least error."""
        if bool(self.min_val == float("inf")) and bool(self.max_val == float("-inf")):
            warnings.warn(
                "must run observer before calling calculate_qparams. Returning default scale and "
                "zero point ",
                stacklevel=2,
            )
            return torch.tensor([1.0], device=self.min_val.device), torch.tensor(
                [0], device=self.min_val.device
            )
        if self.bins != len(self.histogram):
            raise AssertionError(
                "The number of bins in histogram should be equal to the number of bins supplied "
                "while making this observer"
            )
        first, last = self._least_error_bins()
        width = (self.max_val - self.min_val) / self.bins
        return self._calculate_qparams(
            self.min_val + width * first, self.min_val + width * (last + 1)
        )

    def _least_error_bins(self) -> tuple[int, int]:
        """Return the first and the last bin of the range with the least error.

        Rare numbers are left out at one end after the other, until the error grows.
        """
        sums = torch.cumsum(self.histogram, 0).tolist()
        total = self.histogram.sum().item()
        first, last = 0, self.bins - 1
        below, above = 0.0, 1.0
        least = float("inf")
        while below < above:
            next_below, next_above = below + _STEP, above - _STEP
            left = bisect_left(sums, _float32(next_below * total), first, last)
            right = bisect_right(sums, _float32(next_above * total), first + 1, last + 1) - 1
            if left - first > last - right:
                chosen, below = (left, last), next_below
            else:
                chosen, above = (first, right), next_above
            if chosen == (first, last):
                continue
            error = self._error(*chosen)
            if error > least:
                break
            least, (first, last) = error, chosen
        return first, last

    def _error(self, first: int, last: int) -> float:
        """Return the expected squared error if the integers cover the bins from `first` to `last`.

        The numbers of a bin have a constant density. An integer stands for the numbers of an
        interval, by the middle of it.
        """
        width = (self.max_val.item() - self.min_val.item()) / self.bins
        step = width * (last - first + 1) / self.dst_nbins
        if step == 0.0:
            return 0.0
        begin = (torch.arange(self.bins, device=self.histogram.device) - first) * width
        end = begin + width
        of_begin, of_end = (
            torch.clamp(torch.div(x, step, rounding_mode="floor"), 0, self.dst_nbins - 1)
            for x in (begin, end)
        )
        half = step / 2
        density = self.histogram / width
        start = _cubes(begin - (of_begin + 0.5) * step, torch.full_like(begin, half), density)
        whole = _cubes(torch.tensor(-half), torch.tensor(half), density)
        middle = (of_end - of_begin - 1) * whole
        finish = _cubes(torch.full_like(end, -half), end - (of_end * step + half), density)
        return (start + middle + finish).sum().item()

    def extra_repr(self) -> str:
        """Show the range."""
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        saved = state_dict.get(f"{prefix}histogram")
        if saved is not None:
            self.histogram.resize_(saved.shape)
        super()._load_from_state_dict(state_dict, prefix, *args)


def _cubes(begin: Tensor, end: Tensor, density: Tensor) -> Tensor:
    """Return the integrals of density * x**2."""
    return density * (end**3 - begin**3) / 3


def _float32(value: float) -> float:
    return array("f", [value])[0]


default_histogram_observer = HistogramObserver.with_args(quant_min=0, quant_max=127)

"""Convolutions with a quantized weight that quantize their inputs for each call."""

from __future__ import annotations

import warnings
from typing import Any

import torch
import torch.ao.nn.quantized as nnq

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

Tensor = torch.Tensor


class _Dynamic:
    """What these convolutions change: inputs and results are tensors of floating point."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"The current implementation of the {self._get_name()} module has poor numerical accuracy "
            "and its use is not recommended",
            stacklevel=2,
        )
        super().__init__(*args, **kwargs)

    def forward(self, input: Tensor, reduce_range: bool = True) -> Tensor:
        """Return the result for a tensor, (N, C, ...).

        As in PyTorch, the result is rounded to the scale and the zero point of the input.

        Args:
            input: The tensor.
            reduce_range: Whether the input is rounded to 7 bits instead of 8.
        """
        scale, point = torch._choose_qparams_per_tensor(input, reduce_range)
        rounded = torch.quantize_per_tensor(input, scale, point, torch.quint8)
        return self._convolve(rounded, scale, point).dequantize()  # type: ignore[attr-defined,no-any-return]

    def _get_name(self) -> str:
        return f"DynamicQuantized{type(self).__name__}"


def _class(name: str, example: str) -> Any:
    text = (
        "The convolution of a tensor with a quantized weight; see `torch.nn."
        f"{name}` for the arguments.\n\n"
        "    Example:\n"
        f"        >>> layer = torch.ao.nn.quantized.dynamic.{name}({example})  # doctest: +SKIP\n"
    )
    bases = (_Dynamic, getattr(nnq, name))
    return type(name, bases, {"__doc__": text, "__module__": __name__})


Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = (
    _class(name, "1, 2, 3") for name in __all__
)

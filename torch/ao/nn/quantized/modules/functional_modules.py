"""Arithmetic between tensors as modules, so that observers can look at the results."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.ao.nn.quantized.modules._conversion import OutputParameters, output_parameters

__all__ = ["FXFloatFunctional", "FloatFunctional", "QFunctional"]

Tensor = torch.Tensor
_ops = torch.ops.quantized


class FXFloatFunctional(nn.Module):
    """Sums, products and concatenations that no observer sees; for models that `torch.fx` has traced.

    Example:
        >>> torch.ao.nn.quantized.FXFloatFunctional().add(torch.ones(1), torch.ones(1))
        tensor([2.])
    """

    def forward(self, x: Any) -> Any:
        """Raise an error: one of the methods is meant.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            "FloatFunctional is not intended to use the 'forward'. Please use the underlying operation"
        )

    def _seen(self, result: Tensor) -> Tensor:
        return result

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of two tensors."""
        return self._seen(torch.add(x, y))

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        """Return the sum of a tensor and a number, which no observer sees."""
        return torch.add(x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the product of two tensors."""
        return self._seen(torch.mul(x, y))

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        """Return the product of a tensor and a number, which no observer sees."""
        return torch.mul(x, y)

    def cat(self, x: list[Tensor], dim: int = 0) -> Tensor:
        """Return tensors side by side."""
        return self._seen(torch.cat(x, dim=dim))

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of two tensors, zero where it is negative."""
        return self._seen(torch.relu(torch.add(x, y)))

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the matrix product of two tensors."""
        return self._seen(torch.matmul(x, y))


class FloatFunctional(FXFloatFunctional):
    """Sums, products and concatenations whose results an observer sees.

    Example:
        >>> torch.ao.nn.quantized.FloatFunctional().add(torch.ones(1), torch.ones(1))
        tensor([2.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process: Any = nn.Identity()

    def _seen(self, result: Tensor) -> Tensor:
        return self.activation_post_process(result)  # type: ignore[no-any-return]


class QFunctional(OutputParameters):
    """The arithmetic of FloatFunctional for quantized tensors.

    Example:
        >>> x = torch.quantize_per_tensor(torch.ones(1), 0.5, 0, torch.quint8)
        >>> torch.ao.nn.quantized.QFunctional().add(x, x).dequantize()
        tensor([2.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.scale, self.zero_point = 1.0, 0
        self.activation_post_process: Any = nn.Identity()

    def _get_name(self) -> str:
        return "QFunctional"

    def extra_repr(self) -> str:
        """Show the parameters."""
        return f"scale={self.scale}, zero_point={self.zero_point}"

    def forward(self, x: Any) -> Any:
        """Raise an error: one of the methods is meant.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            "Functional is not intended to use the 'forward'. Please use the underlying operation"
        )

    def _seen(self, name: str, *args: Any) -> Tensor:
        result = getattr(_ops, name)(*args, self.scale, self.zero_point)
        return self.activation_post_process(result)  # type: ignore[no-any-return]

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of two tensors."""
        return self._seen("add", x, y)

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        """Return the sum of a tensor and a number."""
        return _ops.add_scalar(x, y)  # type: ignore[no-any-return]

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the product of two tensors."""
        return self._seen("mul", x, y)

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        """Return the product of a tensor and a number."""
        return _ops.mul_scalar(x, y)  # type: ignore[no-any-return]

    def cat(self, x: list[Tensor], dim: int = 0) -> Tensor:
        """Return tensors side by side."""
        result = _ops.cat(x, dim=dim, scale=self.scale, zero_point=self.zero_point)
        return self.activation_post_process(result)  # type: ignore[no-any-return]

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of two tensors, zero where it is negative."""
        return self._seen("add_relu", x, y)

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the matrix product of two tensors."""
        return self._seen("matmul", x, y)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> QFunctional:
        """Return the module for an observed FloatFunctional.

        Raises:
            AssertionError: If the module is another.
        """
        if type(mod) is not FloatFunctional:
            raise AssertionError("QFunctional.from_float expects an instance of FloatFunctional")
        made = cls()
        made.scale, made.zero_point = output_parameters(mod.activation_post_process)
        return made

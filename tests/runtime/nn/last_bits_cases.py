"""Calls whose results PyTorch rounds in a certain way: their bits are to be the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import both
import numpy as np

import torch

FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
SIZE = 4096  # the last elements of other sizes and strided 16-bit sums round otherwise in PyTorch


def numbers(dtype: torch.dtype, seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(SIZE) * 2).to(dtype)


def arithmetic(dtype: torch.dtype) -> dict[str, Callable[[], Any]]:
    """Multiply and add, which vector units round once."""
    a, b, c = (numbers(dtype, seed) for seed in range(3))
    weight = numbers(dtype, 4).abs() / 8
    return {
        "add": lambda: torch.add(a, b, alpha=0.3),
        "add a number": lambda: torch.add(a, 0.3, alpha=0.7),
        "sub": lambda: torch.sub(a, b, alpha=0.3),
        "rsub": lambda: torch.rsub(a, b, alpha=0.3),
        "addcmul": lambda: torch.addcmul(a, b, c),
        "addcdiv": lambda: torch.addcdiv(a, b, c, value=0.3),
        "lerp by weights": lambda: torch.lerp(a, b, weight),
    }


def gradients(dtype: torch.dtype) -> dict[str, Callable[[], Any]]:
    """Gradients, by the order of their factors."""
    aten = torch.ops.aten
    a, b, grad = (numbers(dtype, seed) for seed in range(3))
    share, target = (numbers(dtype, seed).abs() / 16 for seed in (4, 5))
    return {
        "tanh": lambda: aten.tanh_backward(grad, share),
        "hardsigmoid": lambda: aten.hardsigmoid_backward(grad, a),
        "mse": lambda: aten.mse_loss_backward(grad[0], a, b, 1),
        "huber": lambda: aten.huber_loss_backward(grad[0], a, b, 1, 0.7),
        "smooth l1": lambda: aten.smooth_l1_loss_backward(grad[0], a, b, 1, 0.7),
        "cross entropy": lambda: aten.binary_cross_entropy_backward(
            grad[0], share, target, None, 1
        ),
    }


def ranges(dtype: torch.dtype) -> dict[str, Callable[[], Any]]:
    """Ranges. PyTorch's depend on the bytes of a vector, and on how many are left over."""
    return {
        "arange": lambda: torch.arange(-1.3, 77, 0.1, dtype=dtype),
        "short arange": lambda: torch.arange(0, 1, 0.1, dtype=dtype),
        "arange of many": lambda: torch.arange(1, 2, 0.001, dtype=dtype),
        "linspace": lambda: torch.linspace(-1.3, 2.7, 1001, dtype=dtype),
        "linspace of hundreds": lambda: torch.linspace(0, 300, 301, dtype=dtype),
    }


def steps(name: str, **settings: Any) -> torch.Tensor:
    """Return a parameter after some steps of an optimizer."""
    parameter = torch.nn.Parameter(numbers(torch.float32, 0))
    optimizer = getattr(torch.optim, name)([parameter], **settings)
    for seed in range(1, 6):
        parameter.grad = numbers(torch.float32, seed)
        optimizer.step()
    return parameter.detach()


# Gradients in float32: PyTorch multiplies doubles by 1/6 as a float (hardsigmoid).
CASES: dict[str, Callable[[], Any]] = {
    f"{name}, {dtype}": case
    for dtype in FLOATS
    for name, case in {**arithmetic(dtype), **ranges(dtype)}.items()
} | {f"gradient of {name}": case for name, case in gradients(torch.float32).items()}
CASES |= {
    "lerp, float": lambda: torch.lerp(numbers(torch.float32, 0), numbers(torch.float32, 1), 0.3),
    "addcmul, float": lambda: torch.addcmul(
        *(numbers(torch.float32, seed) for seed in range(3)), value=0.3
    ),
    "logspace": lambda: torch.logspace(-1.3, 2.7, 101),
    "SGD": lambda: steps("SGD", lr=0.1),
    "SGD with momentum": lambda: steps(
        "SGD", lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01
    ),
    "fused SGD": lambda: steps("SGD", lr=0.1, momentum=0.9, fused=True),
    "fused Adam": lambda: steps("Adam", lr=0.01, fused=True),
    "logspace of integers": lambda: torch.logspace(-1.3, 2.7, 9, dtype=torch.int64),
}


def bits(case: Callable[[], torch.Tensor]) -> Any:
    """Return the result in a dtype that NumPy has, which changes no bit."""
    result = case()
    return result.double() if result.is_floating_point() else result


if __name__ == "__main__":
    both.record({name: partial(bits, case) for name, case in CASES.items()})

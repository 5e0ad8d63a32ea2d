"""Calls of torch._foreach_*, whose outcomes both libraries agree on; errors by their first lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import both

import torch

_EXPRESSIONS = """
add_(a, 1) is a
abs_(a) is a
pow_(a, 2) is a
addcmul_(a, a, a) is a
lerp_(a, a, 0.5) is a
zero_(a) is a
copy_(a, b) is a
abs(())
abs([torch.ones(2), 1])
add(a, b)
add(a, [1, 2])
add(a, [1])
add(a, [])
add([], [])
add([], 1)
add(a, b[:1])
add(a, torch.ones(2))
add(a, torch.tensor(2.0))
add(a, torch.tensor(2.0), alpha=2)
add(a, "x")
add(a, [b[0], 1])
add(a, b, alpha=2)
add(a, 2, alpha=2)
add(a, [2, 3], alpha=2)
add(self=a, other=b)
add(self=a, scalar=2)
add(self=a, scalars=[2, 3])
add_(self=a, scalars=[2, 3])
sub(a, b, alpha=3)
mul(a, torch.tensor([2.0, 1.0]))
mul(a, b, alpha=2)
div_([torch.ones(2).int()], 2)
maximum(a, torch.tensor(3.0))
clamp_min([torch.ones(2).int()], 2.5)
clamp_max(a, [1, 0.5])
clamp_max_([torch.ones(2).int()], 2.5)
maximum_([torch.ones(2).int()], [torch.ones(2)])
minimum_([torch.ones(2).int()], [2.5])
addcmul(a, a, b, [1])
addcmul(a, a, b, [1, 2])
addcmul(a, a, b, 2)
addcmul(a, a, b, torch.tensor([1.0, 2.0]))
addcmul(a, a, b, torch.tensor([1.0]))
addcmul(a, a, b, torch.ones(2, 2))
addcmul(a, a, b, torch.ones(4)[::2])
addcmul(a, a, b, torch.tensor(2.0))
addcmul(a, a, b, value=torch.tensor(2.0))
addcmul(a, a, b[:1], 1)
addcdiv(self=a, tensor1=a, tensor2=b, value=2)
addcdiv(self=a, tensor1=a, tensor2=b, scalars=[2, 2])
addcdiv_(self=a, tensor1=a, tensor2=b, scalars=torch.ones(2))
lerp(a, b, [0.5])
lerp(a, b[:1], 0.5)
lerp(a, b, [0.5, 0.2])
lerp(a, b, b)
lerp(self=a, tensors1=b, weights=b)
lerp(a, b, b[:1])
pow(2, a)
pow(a, [1])
pow(self=a, exponent=b)
copy_(a, b[:1])
norm([torch.ones(0)], float("inf"))
norm(a, 1, torch.float64)
max([torch.ones(0)])
max([])
max(b)
"""


def _outcome(expression: str) -> Any:
    names = {
        "a": [torch.arange(2.0), torch.arange(3.0)],
        "b": [torch.ones(2), torch.full((3,), 2.0)],
        "torch": torch,
    }
    try:
        return eval(f"torch._foreach_{expression}", names)
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0]]


CASES: dict[str, Callable[[], Any]] = {
    each: lambda each=each: _outcome(each) for each in _EXPRESSIONS.split("\n") if each
}
if __name__ == "__main__":
    both.record(CASES)

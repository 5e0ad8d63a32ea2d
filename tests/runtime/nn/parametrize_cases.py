"""Parametrizations with and without inverses: values, originals, and what is refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import both

import torch
from torch import nn
from torch.nn.utils import parametrize


class Function(nn.Module):
    """A parametrization made of two functions, of which the inverse may be missing."""

    def __init__(
        self, function: Callable[..., Any], inverse: Callable[..., Any] | None = None
    ) -> None:
        super().__init__()
        self.function = function
        if inverse is not None:
            self.right_inverse = inverse

    def forward(self, *originals: Any) -> Any:
        return self.function(*originals)


def linear() -> nn.Linear:
    module = nn.Linear(2, 2)
    nn.init.constant_(module.weight, 3.0)
    nn.init.constant_(module.bias, 5.0)
    return module


DOUBLED = (lambda w: w * 2, lambda w: w / 2)
SUM = lambda a, b: a + b  # noqa: E731


def one(
    function: Callable[..., Any],
    inverse: Callable[..., Any] | None = None,
    value: torch.Tensor | None = None,
    unsafe: bool = False,
    name: str = "weight",
) -> list[Any]:
    """Return the tensor, the names of the state, and the tensor after an assignment."""
    module = linear()
    parametrize.register_parametrization(module, name, Function(function, inverse), unsafe=unsafe)
    found = [getattr(module, name).clone(), list(module.state_dict())]
    if value is not None:
        setattr(module, name, value)
        found.append(getattr(module, name))
    return found


def second(
    function: Callable[..., Any],
    inverse: Callable[..., Any] | None = None,
    first: tuple[Callable[..., Any], ...] = DOUBLED,
    unsafe: bool = False,
) -> list[torch.Tensor]:
    """Add a parametrization to another one."""
    module = linear()
    parametrize.register_parametrization(module, "weight", Function(*first))
    added = Function(function, inverse)
    parametrize.register_parametrization(module, "weight", added, unsafe=unsafe)
    return [module.weight, module.parametrizations.weight.original]


def refuse(value: torch.Tensor) -> Any:
    raise NotImplementedError("this value has no original")


def removed(leave: bool, *functions: Callable[..., Any]) -> list[Any]:
    module = linear()
    parametrize.register_parametrization(module, "weight", Function(*functions))
    parametrize.remove_parametrizations(module, "weight", leave_parametrized=leave)
    return [module.weight, module.weight.requires_grad, list(module.state_dict())]


def copied() -> list[Any]:
    module = linear()
    parametrize.register_parametrization(module, "weight", Function(*DOUBLED))
    other = copy.deepcopy(module)
    other.parametrizations.weight.original.data.fill_(0)
    return [module.weight, other.weight, str(other.half().weight.dtype)]


ONES = torch.ones(2, 2)
CASES: dict[str, Callable[[], Any]] = {
    "without an inverse": lambda: one(lambda w: w * 2),
    "with an inverse": lambda: one(*DOUBLED, ONES),
    "inverse that refuses": lambda: one(lambda w: w * 2, refuse),
    "several originals": lambda: one(SUM, lambda w: (w / 3, w * 2 / 3), ONES),
    "one original in a list": lambda: one(lambda w: w * 2, lambda w: [w]),
    "unsafe": lambda: one(lambda w: w[:1], unsafe=True),
    "bias": lambda: one(lambda w: w + 1, name="bias"),
    "second": lambda: second(lambda w: w + 1),
    "second with an inverse": lambda: second(lambda w: w + 1, lambda w: w - 1),
    "second after one without": lambda: second(lambda w: w + 1, first=(lambda w: w * 2,)),
    "second that is unsafe": lambda: second(lambda w: w[:1], unsafe=True),
    "removed": lambda: [removed(leave, *DOUBLED) for leave in (True, False)],
    "removed without an inverse": lambda: removed(True, lambda w: w * 2),
    "removed of several": lambda: removed(True, SUM, lambda w: (w, w)),
    "copied": copied,
    "error: removed of several": lambda: removed(False, SUM, lambda w: (w, w)),
    "error: assigned without an inverse": lambda: one(lambda w: w * 2, None, ONES),
    "error: assigned to an inverse that refuses": lambda: one(lambda w: w * 2, refuse, ONES),
    "error: assigned dtype": lambda: one(*DOUBLED, ONES.double()),
    "error: dtype": lambda: one(lambda w: w.double()),
    "error: shape": lambda: one(lambda w: w[:1]),
    "error: no tensor": lambda: one(lambda w: 1),
    "error: dtype of the inverse": lambda: one(lambda w: w.float(), lambda w: w.double()),
    "error: text as original": lambda: one(lambda w: w, lambda w: "a"),
    "error: number in originals": lambda: one(SUM, lambda w: [w, 1]),
    "error: set of originals": lambda: one(SUM, lambda w: {w}),
    "error: second dtype": lambda: second(lambda w: w.double()),
    "error: second shape": lambda: second(lambda w: w[:1]),
    "error: second without a tensor": lambda: second(lambda w: 1),
    "error: second inverse's dtype": lambda: second(lambda w: w.float(), lambda w: w.double()),
    "error: second inverse's shape": lambda: second(lambda w: w[:1].expand(2, 2), lambda w: w[:1]),
    "error: second inverse without a tensor": lambda: second(lambda w: w, lambda w: (w, w)),
}

if __name__ == "__main__":
    both.record(CASES)

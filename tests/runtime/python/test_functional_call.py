"""torch.func.functional_call: which tensors of a module it replaces, and what it leaves."""

from __future__ import annotations

import pytest

import torch
from torch import Tensor, nn


class _Holder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(1, 1, bias=False)
        self.plain = torch.ones(1)
        self.number = 0.0

    def forward(self, x: Tensor) -> Tensor:
        extra = self.extra if hasattr(self, "extra") else 0
        return self.layer(x) + self.plain + extra


def test_functional_call_replaces_all_tensors_of_modules() -> None:
    holder, x = _Holder(), torch.ones(1)
    names = {"layer.weight": torch.ones(1, 1), "plain": x * 10, "extra": x * 100}
    assert torch.func.functional_call(holder, names, x).tolist() == [111]
    assert holder.plain.tolist() == [1] and not hasattr(holder, "extra")
    holder.layer.outer = holder  # a cycle
    names = {"layer.outer.layer.weight": torch.zeros(1, 1), "plain": x * 10}
    found = torch.func.functional_call(holder, names, x, tie_weights=False)
    assert found.tolist() == [10]


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("number", TypeError, "attribute `number`: 0.0 is not an instance of torch.Tensor"),
        ("other.weight", AttributeError, "_Holder has no attribute `other`"),
        ("number.weight", TypeError, "submodule `number`: 0.0 is not an instance of"),
        ("", KeyError, "be empty string"),
    ],
)
def test_functional_call_leaves_the_module_after_an_error(
    name: str, error: type[Exception], message: str
) -> None:
    holder, x = _Holder(), torch.ones(1)
    weight = holder.layer.weight
    with pytest.raises(error, match=message):
        torch.func.functional_call(holder, {"layer.weight": torch.zeros(1, 1), name: x}, x)
    assert holder.layer.weight is weight


def test_strict_calls_count_tied_names() -> None:
    holder, x = _Holder(), torch.ones(1)
    holder.tied = holder.layer.weight
    given = {"layer.weight": torch.zeros(1, 1)}
    assert torch.func.functional_call(holder, given, x, strict=True).tolist() == [1]
    with pytest.raises(RuntimeError, match=r"Missing key.s.: 'tied'"):
        torch.func.functional_call(holder, given, x, strict=True, tie_weights=False)


def test_the_old_functional_call_warns() -> None:
    from torch.nn.utils.stateless import functional_call

    with pytest.warns(FutureWarning, match="use `torch.func.functional_call` instead"):
        functional_call(nn.Identity(), {}, torch.ones(1))


def test_models_to_stack_require_the_same_gradients() -> None:
    frozen = nn.Linear(2, 2)
    frozen.bias.requires_grad_(False)
    with pytest.raises(RuntimeError, match="Expected bias from each model to have the same"):
        torch.func.stack_module_state([nn.Linear(2, 2), frozen])

"""Tensors saved for backward: hooks that pack them, copies on the CPU, and versions."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

import torch
from torch.autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    increment_version,
    save_on_cpu,
    saved_tensors_hooks,
)


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def test_hooks_pack_and_unpack() -> None:
    packed: list[torch.Tensor] = []
    unpacked: list[int] = []

    def pack(tensor: torch.Tensor) -> int:
        packed.append(tensor.detach())
        return len(packed) - 1

    def unpack(index: int) -> torch.Tensor:
        unpacked.append(index)
        return packed[index] * 10

    x, y = leaf(2.0), leaf(3.0)
    with saved_tensors_hooks(pack, unpack):
        z = x * y
    assert sorted(t.item() for t in packed) == [2.0, 3.0]
    z.backward()
    assert x.grad.item() == 30.0
    assert sorted(unpacked) == [0, 1]


def test_the_innermost_hooks_apply() -> None:
    x = leaf(2.0)
    seen: list[str] = []
    with (
        saved_tensors_hooks(lambda t: seen.append("outer") or t, lambda t: t),
        saved_tensors_hooks(lambda t: seen.append("inner") or t, lambda t: t),
    ):
        x.exp()
    assert seen == ["inner"]


def test_a_saved_output_keeps_its_history() -> None:
    x = leaf(1.0)
    with saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x.exp()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert second.item() == pytest.approx(2.7182818)


def test_hooks_of_one_saved_tensor() -> None:
    x = leaf(3.0)
    y = x * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 2, lambda t: t)
    y.backward()
    assert x.grad.item() == 9.0
    with pytest.raises(RuntimeError, match="after it has been freed"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)


def test_hooks_of_a_functions_saved_tensor() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x, None)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            x, nothing = ctx.saved_tensors
            assert nothing is None
            return g * 2 * x

    x = leaf(3.0)
    with saved_tensors_hooks(lambda t: t, lambda t: t * 5):
        y = Square.apply(x)
    (raw, _) = y.grad_fn._raw_saved_tensors
    y.backward()
    assert x.grad.item() == 30.0
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor"):
        raw.register_hooks(lambda t: t, lambda t: t)


@pytest.mark.parametrize(
    ("unpack", "error"),
    [(lambda t: 3, TypeError), (lambda t: 1 / 0, ZeroDivisionError)],
)
def test_errors_in_hooks_propagate(unpack: Any, error: type[Exception]) -> None:
    x = leaf(1.0)
    with saved_tensors_hooks(lambda t: t, unpack):
        y = x.exp()
    with pytest.raises(error):
        y.backward()
    with saved_tensors_hooks(lambda t: 1 / 0, lambda t: t), pytest.raises(ZeroDivisionError):
        x.exp()
    assert x.exp().requires_grad


def test_pack_hooks_may_not_change_their_argument() -> None:
    x = leaf(1.0)
    with (
        saved_tensors_hooks(lambda t: t.add_(1), lambda t: t),
        pytest.raises(RuntimeError, match="modifying its input in place"),
    ):
        (x * 1).exp()


def test_disabled_hooks() -> None:
    with disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"), saved_tensors_hooks(id, id):
            pass
        with disable_saved_tensors_hooks("nor here"):
            pass
        with pytest.raises(RuntimeError, match="not here"), saved_tensors_hooks(id, id):
            pass
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        leaf(1.0).exp().backward()


def test_save_on_cpu() -> None:
    x = leaf(2.0)
    with save_on_cpu():
        y = x * x
    y.backward()
    assert x.grad.item() == 4.0


def test_mutation_of_saved_tensors_can_be_allowed() -> None:
    x = leaf(1.0)
    with allow_mutation_on_saved_tensors():
        y = x * 1
        z = y.sin()
        y.add_(2)
        z.backward()
    assert x.grad.item() == pytest.approx(0.5403023)


def test_versions_can_be_raised_by_hand() -> None:
    x = leaf(1.0)
    y = x * 1
    z = y * y
    increment_version(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
    before = x._version
    increment_version([x, x])
    assert x._version == before + 2


def test_hooks_are_given_the_inputs_themselves() -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    x = torch.ones(2, requires_grad=True) * 2
    given: list[torch.Tensor] = []
    with saved_tensors_hooks(lambda t: given.append(t) or t, lambda t: t):
        y = x * weight
    assert {id(t) for t in given} == {id(x), id(weight)}
    y.sum().backward()
    assert weight.grad is not None and weight.grad.tolist() == [2.0, 2.0]


def test_a_hook_that_keeps_an_output_does_not_keep_its_node() -> None:
    class Marker:
        pass

    x = torch.ones(2, requires_grad=True)
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x.exp()
    marker = Marker()
    y.grad_fn.metadata["marker"] = marker
    alive = weakref.ref(marker)
    del marker, y
    assert alive() is None


def test_blocks_of_mutation_do_not_nest_and_hold_their_graphs() -> None:
    allow = torch.autograd.graph.allow_mutation_on_saved_tensors
    x = torch.ones(2, requires_grad=True)
    with allow() as block:
        assert block is not None
        with pytest.raises(RuntimeError, match="contexts cannot be nested"), allow():
            pass
        y = (x * x).sum()
    with pytest.raises(AssertionError, match="backward outside of the 'allow_mutation"):
        y.backward()
    with allow(), pytest.raises(AssertionError):
        y.backward()


@pytest.mark.parametrize(
    "change", [torch.relu_, torch.tanh_, torch.sigmoid_, torch.exp_, torch.nn.functional.elu_]
)
def test_second_derivatives_outlive_the_changed_view(change: Any) -> None:
    def changed(root: torch.Tensor) -> torch.Tensor:
        base = root.clone()
        change(base.narrow(0, 1, 2))
        return base

    root = torch.tensor([1.0, -1.5, 0.5, -1.0], dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(changed, [root])
    assert torch.autograd.gradgradcheck(changed, [root])

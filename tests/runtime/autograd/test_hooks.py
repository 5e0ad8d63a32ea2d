"""Hooks on tensors, on nodes, and on leaves after accumulation."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import torch
from torch.autograd.graph import register_multi_grad_hook


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def test_hooks_see_and_replace_gradients() -> None:
    x = leaf(1.0, 2.0)
    y = x * 3
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g + 1)
    y.sum().backward()
    assert seen == [[1.0, 1.0]]
    assert x.grad.tolist() == [7.0, 7.0]


def test_hooks_run_in_order_and_can_be_removed() -> None:
    x = leaf(1.0)
    order: list[int] = []
    first = x.register_hook(lambda g: order.append(1))
    with x.register_hook(lambda g: order.append(2)):
        (x * 1).backward()
    first.remove()
    first.remove()
    (x * 1).backward()
    assert order == [1, 2]


def test_a_hook_may_remove_itself() -> None:
    x = leaf(1.0)
    handles: list[Any] = []
    calls: list[int] = []

    def hook(g: torch.Tensor) -> None:
        calls.append(1)
        handles[0].remove()

    handles.append(x.register_hook(hook))
    (x * 1).backward()
    (x * 1).backward()
    assert calls == [1]


def test_retained_gradients_are_those_after_the_hooks() -> None:
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 5)
    y.backward()
    assert y.grad.item() == 5.0
    assert x.grad.item() == 10.0


def test_hooks_registered_before_an_in_place_change_keep_their_node() -> None:
    x = leaf(1.0)
    y = x * 2
    seen: list[float] = []
    y.register_hook(lambda g: seen.append(g.item()))
    y.mul_(3)
    y.backward()
    assert seen == [3.0]


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (3, TypeError),
        (torch.ones(3), RuntimeError),
        (torch.ones(1, dtype=torch.float64), RuntimeError),
    ],
)
def test_results_of_hooks_are_checked(result: Any, error: type[Exception]) -> None:
    x = leaf(1.0)
    x.register_hook(lambda g: result)
    with pytest.raises(error, match="hook"):
        (x * 1).backward()


def test_errors_in_hooks_propagate() -> None:
    x = leaf(1.0)
    x.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (x * 1).backward()


def test_hooks_need_a_gradient() -> None:
    for register in (
        torch.ones(1).register_hook,
        torch.ones(1).register_post_accumulate_grad_hook,
    ):
        with pytest.raises(RuntimeError, match="doesn't require gradient"):
            register(lambda g: g)
    with pytest.raises(RuntimeError, match="non-leaf"):
        (leaf(1.0) * 1).register_post_accumulate_grad_hook(lambda p: None)


def test_post_accumulate_hooks_get_the_leaf() -> None:
    x = leaf(1.0)
    seen: list[float] = []

    def step(p: torch.Tensor) -> None:
        assert p is x
        seen.append(p.grad.item())
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * 2).backward()
    (x * 3).backward()
    assert seen == [2.0, 3.0]
    handle.remove()
    (x * 3).backward()
    assert x.grad.item() == 3.0
    x.register_post_accumulate_grad_hook(lambda p: 3)
    with pytest.raises((RuntimeError, TypeError)):
        (x * 3).backward()


def test_node_hooks() -> None:
    x = leaf(1.0)
    y = x * torch.tensor([2.0])
    seen: list[Any] = []

    def after(grad_inputs: Any, grad_outputs: Any) -> Any:
        seen.append((grad_inputs[0].item(), grad_outputs[0].item()))
        return (grad_inputs[0] * 10, None)

    handle = y.grad_fn.register_hook(after)
    y.grad_fn.register_prehook(lambda grad_outputs: (grad_outputs[0] * 7,))
    y.backward(retain_graph=True)
    assert seen == [(14.0, 7.0)]
    assert x.grad.item() == 140.0
    handle.remove()
    x.grad = None
    y.backward()
    assert x.grad.item() == 14.0


def test_node_hooks_of_leaves() -> None:
    x = leaf(1.0)
    y = x * 2
    accumulate = y.grad_fn.next_functions[0][0]
    seen: list[Any] = []
    accumulate.register_prehook(lambda grads: seen.append(grads[0].item()))
    accumulate.register_hook(lambda inputs, outputs: seen.append((inputs, outputs[0].item())))
    y.backward()
    assert seen == [2.0, ((), 2.0)]


def test_hooks_of_a_leaf_run_before_and_after_its_gradient_is_added() -> None:
    leaf = torch.ones(2, requires_grad=True)
    node = leaf.view_as(leaf).grad_fn.next_functions[0][0]
    seen = []

    def changed(_: Any) -> None:
        leaf.grad.add_(0.5)

    def after(_: Any, grads: Any) -> None:
        seen.extend(grads[0].tolist())

    leaf.register_hook(lambda grad: grad - 2)
    node.register_prehook(lambda grads: (grads[0] / 5,))
    leaf.register_post_accumulate_grad_hook(changed)
    node.register_hook(after)
    leaf.sum().backward()
    # A hook of the node gets the memory that became .grad.
    assert leaf.grad.tolist() == seen == pytest.approx([0.3, 0.3])


def test_wrong_number_of_values() -> None:
    y = leaf(1.0) * leaf(2.0)
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0],))
    with pytest.raises(RuntimeError, match=r"\(got 1, but expected 2\)"):
        y.backward()


def test_hooks_do_not_keep_the_graph_alive() -> None:
    def hooked() -> weakref.ref[torch.Tensor]:
        y = leaf(1.0) * 2
        y.register_hook(lambda g: y.detach() * 0 + g)
        y.backward()
        return weakref.ref(y)

    alive = hooked()
    gc.collect()
    assert alive() is None


def test_multi_grad_hooks() -> None:
    a, b, c = leaf(1.0), leaf(2.0), leaf(3.0)
    seen: list[Any] = []
    handle = register_multi_grad_hook((a, b, c), seen.append)
    (a * b).backward()
    assert [g if g is None else g.item() for g in seen[0]] == [2.0, 1.0, None]
    (a * b * c).backward()
    assert [g.item() for g in seen[1]] == [6.0, 3.0, 2.0]
    handle.remove()
    (a * b).backward()
    assert len(seen) == 2
    calls: list[torch.Tensor] = []
    register_multi_grad_hook((a, b), calls.append, mode="any")
    (a * b).backward()
    assert len(calls) == 1
    with pytest.raises(ValueError, match="Expects mode"):
        register_multi_grad_hook((a,), print, mode="some")


def test_create_graph_reaches_hooks() -> None:
    x = leaf(2.0)
    y = x * x
    y.register_hook(lambda g: g * x)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    assert first.item() == 8.0
    assert torch.autograd.grad(first, x)[0].item() == 8.0


def test_a_hook_after_an_in_place_change_sees_the_new_gradient() -> None:
    seen = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: seen.append(("first", grad.tolist())))
    y.mul_(3)
    y.register_hook(lambda grad: seen.append(("second", grad.tolist())))
    y.sum().backward()
    assert seen == [("second", [1.0, 1.0]), ("first", [3.0, 3.0])]

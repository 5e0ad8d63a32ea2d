"""Backward passes: accumulation of gradients, lifetime of the graph, and errors."""

from __future__ import annotations

import threading

import pytest

import torch
from torch.autograd import backward, grad
from torch.autograd.graph import get_gradient_edge


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def test_gradients_add_up_in_leaves() -> None:
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]


def test_paths_through_a_diamond_add_up() -> None:
    x = leaf(3.0)
    y = x * x
    (y * y + y).backward(torch.ones(1))
    assert x.grad.tolist() == [4 * 27.0 + 6.0]


def test_only_leaves_that_require_it_get_a_gradient() -> None:
    x, y = leaf(1.0), torch.ones(1)
    z = x * y
    z.backward()
    assert y.grad is None
    with pytest.warns(UserWarning, match="not a leaf"):
        assert z.grad is None


def test_broadcast_gradients_are_summed() -> None:
    x, y = torch.ones(3, 1, requires_grad=True), torch.ones(1, 4, requires_grad=True)
    (x + y).sum().backward()
    assert x.grad.tolist() == [[4.0]] * 3
    assert y.grad.tolist() == [[3.0] * 4]


def test_a_python_number_as_operand() -> None:
    x = leaf(2.0)
    (1 / x - 3 * x).backward()
    assert x.grad.tolist() == [-3.25]


def test_the_graph_is_freed_unless_retained() -> None:
    x = leaf(2.0)
    y = x.exp()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_grad_returns_and_does_not_accumulate() -> None:
    x, y = leaf(2.0), leaf(5.0)
    dx, dy = grad((x * y).sum(), (x, y))
    assert (dx.item(), dy.item()) == (5.0, 2.0)
    assert x.grad is None
    assert y.grad is None


def test_grad_with_respect_to_an_intermediate_value() -> None:
    x = leaf(2.0)
    y = x * 3
    z = y * y
    assert grad(z, y, retain_graph=True)[0].item() == 12.0
    assert grad(z, [x, y])[0].item() == 36.0


def test_grad_accepts_a_dict() -> None:
    x = leaf(2.0)
    assert grad(x * x, {"x": x})["x"].item() == 4.0


def test_unused_inputs() -> None:
    x, y = leaf(1.0), leaf(1.0)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        grad(x * 2, [x, y])
    assert grad(x * 2, [x, y], allow_unused=True)[1] is None
    assert grad(x * 2, [x, y], materialize_grads=True)[1].tolist() == [0.0]
    with pytest.raises(ValueError, match="allow_unused"):
        grad(x * 2, [x, y], allow_unused=False, materialize_grads=True)


def test_backward_into_chosen_inputs() -> None:
    x, y = leaf(2.0), leaf(3.0)
    z = x * y
    (z * z).backward(inputs=[x, z])
    assert x.grad.item() == 36.0
    assert z.grad.item() == 12.0
    assert y.grad is None


def test_several_roots() -> None:
    x = leaf(1.0, 2.0)
    backward([x.sum(), x * 2], [None, torch.tensor([1.0, 10.0])])
    assert x.grad.tolist() == [3.0, 21.0]


def test_double_backward() -> None:
    x = leaf(3.0)
    first = grad(x**3, x, create_graph=True)[0]
    assert first.item() == 27.0
    second = grad(first, x, create_graph=True)[0]
    assert second.item() == 18.0
    assert grad(second, x)[0].item() == 6.0


def test_gradient_without_graph_has_no_history() -> None:
    x = leaf(3.0)
    (x * x).backward()
    assert not x.grad.requires_grad
    assert x.grad.is_leaf


def test_batches_of_gradients() -> None:
    x = leaf(1.0, 2.0)
    y = x * x
    (rows,) = grad(y, x, torch.eye(2), is_grads_batched=True, retain_graph=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    with pytest.raises(RuntimeError, match="first dimension of each grad_output"):
        grad(y, x, torch.ones(2), is_grads_batched=True)


def test_gradient_edges_replace_tensors() -> None:
    x = leaf(2.0)
    y = x * 3
    edge = get_gradient_edge(y)
    assert grad((y * y), edge, retain_graph=True)[0].item() == 12.0
    assert grad([edge], [x], [torch.ones(1)])[0].item() == 3.0
    with pytest.raises(RuntimeError, match="does not require"):
        get_gradient_edge(torch.ones(1))


def test_long_graphs_do_not_overflow_the_stack() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(50_000):
        y = y + 1
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_in_place_changes_are_part_of_the_graph() -> None:
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    y[1:].mul_(10)
    y[0] = 5.0
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 10.0, 10.0]


def test_changes_of_saved_tensors_are_noticed() -> None:
    x = leaf(1.0)
    y = x * 2
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"modified by an inplace.*version 1; expected"):
        z.backward()


def test_in_place_changes_of_recorded_leaves_are_refused() -> None:
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.add_(1)
    with torch.no_grad():
        x.add_(1)
    assert x.item() == 2.0


def test_backward_within_backward() -> None:
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                y = leaf(3.0)
                (y * y).backward()
            return g * y.grad

    x = leaf(1.0)
    Inner.apply(Inner.apply(x)).backward()
    assert x.grad.item() == 36.0


def test_deep_backward_within_backward() -> None:
    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            if ctx.depth:
                with torch.enable_grad():
                    y = leaf(1.0)
                    Nested.apply(y, ctx.depth - 1).backward()
                return g * y.grad + 1, None
            return g, None

    x = leaf(1.0)
    Nested.apply(x, 150).backward()
    assert x.grad.item() == 151.0


def test_threads_share_leaves() -> None:
    x = torch.zeros(4, requires_grad=True)

    def work() -> None:
        for _ in range(100):
            (x * 2).sum().backward()

    x.grad = torch.zeros(4)
    locals_ = [torch.zeros(4, requires_grad=True) for _ in range(4)]

    def own(i: int) -> None:
        for _ in range(100):
            (locals_[i] * 2).sum().backward()

    threads = [threading.Thread(target=own, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each.grad.tolist() == [200.0] * 4 for each in locals_)
    work()
    assert x.grad.tolist() == [200.0] * 4


def test_errors_in_backward_leave_the_thread_usable() -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise KeyError("from backward")

    x = leaf(1.0)
    for _ in range(3):
        with pytest.raises(KeyError, match="from backward"):
            Fails.apply(x).backward()
    (x * 2).backward()
    assert x.grad.item() == 2.0


def test_dtypes_of_gradients_follow_their_tensors() -> None:
    x = torch.ones(2, dtype=torch.float32, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (x * y).sum().backward()
    assert x.grad.dtype is torch.float32
    assert y.grad.dtype is torch.float64
    z = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    z.to(torch.float32).sum().backward()
    assert z.grad.dtype is torch.bfloat16


def test_callbacks_run_at_the_end() -> None:
    engine = torch.autograd.Variable._execution_engine
    order = []
    x = leaf(1.0)
    y = x * 2

    def hook(g: torch.Tensor) -> None:
        engine.queue_callback(lambda: order.append("callback"))
        order.append("hook")

    y.register_hook(hook)
    x.register_hook(lambda g: order.append("leaf"))
    y.backward()
    assert order == ["hook", "leaf", "callback"]


@pytest.mark.parametrize("name", ["scatter_reduce", "index_reduce"])
def test_second_derivative_of_a_product_with_several_zeros_is_refused(name: str) -> None:
    factors = torch.tensor([0.0, 0.0, 5.0], requires_grad=True)
    product = getattr(torch.ones(1), name)(0, torch.tensor([0, 0, 0]), factors, "prod")
    (first,) = torch.autograd.grad(product, factors, create_graph=True)
    assert first.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match=rf"{name}\(\): Double backward is unsupported"):
        torch.autograd.grad(first.sum(), factors)


def test_a_leaf_with_other_memory_is_another_leaf() -> None:
    x = torch.ones(3, requires_grad=True)
    for count in (2, 1):
        with torch.no_grad():
            x.set_(x[1:])
            x.grad = None
        pair = torch.cat((x, x))  # keeps the graph of the first round alive in the second
        pair.sum().backward()
        assert x.grad.tolist() == [2] * count
    y = x.clone()
    with torch.no_grad():
        x.set_(torch.zeros(1))
    with pytest.raises(RuntimeError, match="to not have been used in the graph"):
        grad(y.sum(), x)


def test_hooks_added_while_a_node_unpacks_run_after_it() -> None:
    x = torch.tensor([2.0], requires_grad=True)

    def unpack(tensor: torch.Tensor) -> torch.Tensor:
        node = torch._C._current_autograd_node()
        node.register_hook(lambda results, grads: (results[0] * 10,))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        y = x**2
    y.backward()
    assert x.grad.tolist() == [40]


def test_materialized_gradients_of_edges() -> None:
    x = torch.ones(2, requires_grad=True).clone()
    y = torch.ones(2, requires_grad=True).clone()
    edge = torch.autograd.graph.get_gradient_edge
    out = x.sum()
    grads = grad(out, (edge(x), y), materialize_grads=True, retain_graph=True)
    assert [g.tolist() for g in grads] == [[1, 1], [0, 0]]
    with pytest.raises(RuntimeError, match="when the given input is a GradientEdge"):
        grad(out, (x, edge(y)), materialize_grads=True)


def test_counts_of_binomial_have_no_gradient_yet() -> None:
    count = torch.ones(2, requires_grad=True)
    drawn = torch.binomial(count, torch.ones(2))
    assert drawn.requires_grad and drawn.tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="binomial: count"):
        drawn.sum().backward()

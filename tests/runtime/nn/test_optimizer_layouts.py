"""A fused optimizer step equals a step by single operators for tensors in any memory order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

import torch
from torch import Tensor, optim

ORDERS: dict[str, Callable[[Tensor], Tensor]] = {
    "contiguous": lambda t: t,
    "transposed": lambda t: t.t().contiguous().t(),
    "a part": lambda t: torch.cat([t, t], 1)[:, : t.size(1)],
}
KINDS: dict[str, Callable[..., optim.Optimizer]] = {
    "SGD": lambda p, **o: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, **o),
    "Adam": lambda p, **o: optim.Adam(p, lr=0.1, amsgrad=True, **o),
    "RMSprop": lambda p, **o: optim.RMSprop(p, lr=0.1, momentum=0.5, centered=True, **o),
    "Adagrad": lambda p, **o: optim.Adagrad(p, lr=0.1, **o),
    "Adadelta": lambda p, **o: optim.Adadelta(p, **o),
}


def trained(kind: str, values: str, gradients: str, **options: bool) -> Tensor:
    torch.manual_seed(0)
    parameter = ORDERS[values](torch.randn(5, 7, dtype=torch.float64)).requires_grad_()
    optimizer = KINDS[kind]([parameter], **options)
    for _ in range(4):
        parameter.grad = ORDERS[gradients](torch.randn(5, 7, dtype=torch.float64))
        optimizer.step()
    return parameter.detach()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("values", ORDERS)
@pytest.mark.parametrize("gradients", ORDERS)
def test_memory_order_does_not_matter(kind: str, values: str, gradients: str) -> None:
    fused = trained(kind, values, gradients)
    torch.testing.assert_close(fused, trained(kind, values, gradients, foreach=True))
    torch.testing.assert_close(fused, trained(kind, "contiguous", "contiguous"))


@pytest.mark.parametrize("kind", ["Adadelta", "Adam", "ASGD", "NAdam", "RMSprop", "Rprop"])
def test_steps_of_graphs_are_refused_on_the_cpu(kind: str) -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.ones(2)
    optimizer = getattr(torch.optim, kind)([weight], capturable=True)
    with pytest.raises(AssertionError, match=r"If capturable=True, params.* must be on supported"):
        optimizer.step()
    assert weight.tolist() == [1.0, 1.0]


def test_optimizers_that_wrap_another_run_their_hooks() -> None:
    """Wrappers such as Lookahead of pytorch-optimizer do not call `super().__init__`."""

    class Wrapper(optim.Optimizer):
        def __init__(self, inner: optim.Optimizer) -> None:
            self._optimizer_step_pre_hooks = OrderedDict()
            self._optimizer_step_post_hooks = OrderedDict()
            self._patch_step_function()
            self.inner = inner

        def step(self, closure: Callable[[], Tensor] | None = None) -> None:
            self.inner.step()

    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.ones(2)
    wrapper, seen = Wrapper(optim.SGD([weight], lr=0.5)), []
    wrapper.register_step_post_hook(lambda *_: seen.append(weight.tolist()))
    wrapper.step()
    assert seen == [[0.5, 0.5]]


def _stepped(optimizer: type[torch.optim.Optimizer], sparse: bool, **options: Any) -> torch.Tensor:
    """Return a parameter after three steps with the same gradients, sparse or dense."""
    parameter = torch.nn.Parameter(torch.arange(1.0, 7).reshape(3, 2))
    made = optimizer([parameter], lr=0.1, **options)  # type: ignore[call-arg]
    for i in range(3):
        values = torch.tensor([[1.0, 2], [3, 4], [0.5, 0.5]]) * (i + 1)
        gradient = torch.sparse_coo_tensor([[0, 2, 0]], values, (3, 2))
        parameter.grad = gradient if sparse else gradient.to_dense()
        made.step()
    return parameter.detach()


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        (torch.optim.Adagrad, {}),
        (torch.optim.Adagrad, {"lr_decay": 0.1, "maximize": True}),
        (torch.optim.SGD, {"momentum": 0.9}),
        (torch.optim.SGD, {"momentum": 0.9, "dampening": 0.5, "maximize": True}),
        (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
    ],
)
def test_sparse_gradients_change_what_dense_ones_do(optimizer: Any, options: Any) -> None:
    sparse, dense = (_stepped(optimizer, which, **options) for which in (True, False))
    torch.testing.assert_close(sparse, dense)


@pytest.mark.parametrize(
    ("optimizer", "options", "message"),
    [
        (torch.optim.Adagrad, {"weight_decay": 0.1}, "weight_decay option is not compatible"),
        (torch.optim.Adagrad, {"fused": True}, "`fused` does not support sparse grad"),
        (torch.optim.SGD, {"weight_decay": 0.1}, r"add\(sparse, dense\) is not supported"),
        (torch.optim.SGD, {"fused": True}, "`_fused_sgd` does not support sparse gradients"),
        (torch.optim.AdamW, {}, "Adam does not support sparse gradients, please consider Sparse"),
    ],
)
def test_sparse_gradients_that_are_refused(optimizer: Any, options: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        _stepped(optimizer, True, **options)

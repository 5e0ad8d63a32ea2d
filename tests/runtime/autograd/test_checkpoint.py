"""Activation checkpointing gives the same gradients as a plain call and uses less memory."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

import pytest

import torch
from torch.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)

BOTH = pytest.mark.parametrize("use_reentrant", [False, True])


def weights() -> list[torch.Tensor]:
    torch.manual_seed(0)
    return [torch.rand(3, 3, requires_grad=True) for _ in range(4)]


def block(w: torch.Tensor) -> Any:
    def run(x: torch.Tensor) -> torch.Tensor:
        return (x @ w).tanh() * (torch.rand(3) + 0.5)

    return run


def gradients(call: Any) -> list[list[list[float]]]:
    """Return the gradients of the weights and of the input when `call` runs the blocks."""
    ws = weights()
    x = torch.rand(2, 3, requires_grad=True)
    torch.manual_seed(1)
    y = x
    for w in ws:
        y = call(block(w), y)
    y.sum().backward()
    return [t.grad.tolist() for t in (*ws, x)]


@BOTH
def test_gradients_equal_those_of_the_plain_call(use_reentrant: bool) -> None:
    plain = gradients(lambda f, x: f(x))
    assert gradients(lambda f, x: checkpoint(f, x, use_reentrant=use_reentrant)) == plain


@BOTH
def test_recomputation_runs_in_the_precision_of_the_call(use_reentrant: bool) -> None:
    w = torch.rand(3, 3, requires_grad=True)
    dtypes = []

    def run(x: torch.Tensor) -> torch.Tensor:
        dtypes.append((x @ w).dtype)
        return (x @ w).tanh()

    x = torch.rand(2, 3, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = checkpoint(run, x, use_reentrant=use_reentrant)
    y.sum().backward()
    assert dtypes == [torch.bfloat16] * 2


@BOTH
def test_autocast_of_the_backward_pass_does_not_reach_the_recomputation(
    use_reentrant: bool,
) -> None:
    dtypes = []

    def run(x: torch.Tensor) -> torch.Tensor:
        dtypes.append((x @ x).dtype)
        return x @ x

    x = torch.rand(3, 3, requires_grad=True)
    y = checkpoint(run, x, use_reentrant=use_reentrant)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y.sum().backward()
    assert dtypes == [torch.float32] * 2


def test_checkpoints_nest() -> None:
    def nested(f: Any, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(lambda y: checkpoint(f, y, use_reentrant=False), x, use_reentrant=False)

    assert gradients(nested) == gradients(lambda f, x: f(x))


@BOTH
def test_sequential(use_reentrant: bool) -> None:
    ws = weights()
    chain = [lambda x, w=w: (x @ w).tanh() for w in ws]
    x = torch.rand(2, 3, requires_grad=True)
    checkpoint_sequential(chain, 2, x, use_reentrant=use_reentrant).sum().backward()
    first = x.grad.clone()
    x.grad = None
    y = x
    for f in chain:
        y = f(y)
    y.sum().backward()
    assert torch.equal(first, x.grad)


def test_intermediate_results_are_not_kept() -> None:
    inner: list[Any] = []

    def run(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        inner.append(weakref.ref(y))
        return y.exp().sum()

    x = torch.rand(3, requires_grad=True)
    y = checkpoint(run, x, use_reentrant=False)
    assert inner[0]() is None
    y.backward()
    assert len(inner) == 2


def test_double_backward() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        return (x.sin() * x).sum()

    x = torch.rand(3, requires_grad=True)
    first_order = [
        torch.autograd.grad(f(x), x, create_graph=True)[0]
        for f in (run, lambda x: checkpoint(run, x, use_reentrant=False))
    ]
    second_order = [torch.autograd.grad(first.sum(), x)[0] for first in first_order]
    assert torch.equal(*first_order)
    assert torch.equal(*second_order)


def test_backward_twice() -> None:
    calls: list[int] = []

    def run(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return x.exp()

    x = torch.ones(1, requires_grad=True)
    y = checkpoint(run, x, use_reentrant=False)
    y.backward(retain_graph=True)
    y.backward()
    assert len(calls) == 3


def test_recomputation_stops_early() -> None:
    recomputed: list[int] = []

    def run(x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        recomputed.append(1)
        return y

    x = torch.ones(1, requires_grad=True)
    checkpoint(run, x, use_reentrant=False).backward()
    assert len(recomputed) == 1
    with set_checkpoint_early_stop(False):
        y = checkpoint(run, x, use_reentrant=False)
    y.backward()
    assert len(recomputed) == 3


def test_a_different_recomputation_is_an_error() -> None:
    def changing(then: Any) -> Any:
        calls: list[int] = []

        def run(x: torch.Tensor) -> torch.Tensor:
            calls.append(1)
            return x.sin().exp() if len(calls) == 1 else then(x)

        return run

    x = torch.ones(2, requires_grad=True)
    fewer = checkpoint(changing(lambda x: x.sin()), x, use_reentrant=False).sum()
    with pytest.raises(CheckpointError, match="different number of tensors"):
        fewer.backward()
    other = checkpoint(changing(lambda x: x[:1].sin().exp()), x, use_reentrant=False).sum()
    with pytest.raises(CheckpointError, match="different metadata"):
        other.backward()
    unchecked = checkpoint(
        changing(lambda x: x[:1].sin().exp()), x, use_reentrant=False, determinism_check="none"
    ).sum()
    unchecked.backward()


def test_arguments() -> None:
    x = torch.ones(1, requires_grad=True)

    def run(x: torch.Tensor, factor: float, *, offset: float) -> torch.Tensor:
        return x * factor + offset

    y = checkpoint(run, x, 3.0, offset=1.0, use_reentrant=False)
    y.backward()
    assert (y.item(), x.grad.item()) == (4.0, 3.0)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: offset"):
        checkpoint(run, x, 3.0, offset=1.0, use_reentrant=True)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        checkpoint(run, x, use_reentrant=False, determinism_check="some")
    with pytest.warns(UserWarning, match="use_reentrant parameter"):
        checkpoint(torch.sin, x)


def test_reentrant_mode_needs_a_full_backward() -> None:
    x = torch.ones(1, requires_grad=True)
    y = checkpoint(torch.sin, x, use_reentrant=True)
    with pytest.raises(RuntimeError, match=r"incompatible with \.grad\(\)"):
        torch.autograd.grad(y, x)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(torch.sin, torch.ones(1), use_reentrant=True)


def test_without_gradients_the_function_runs_plainly() -> None:
    with torch.no_grad():
        y = checkpoint(torch.sin, torch.ones(1, requires_grad=True), use_reentrant=False)
    assert not y.requires_grad


def _selective(policy: Any, allow: bool = False) -> Any:
    contexts = torch.utils.checkpoint.create_selective_checkpoint_contexts
    return partial(contexts, policy, allow_cache_entry_mutation=allow)


def test_selective_checkpoints_keep_what_the_policy_names() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.checkpoint import CheckpointPolicy

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            called.append(str(func))
            return func(*args, **(kwargs or {}))

    def policy(context: Any, operator: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
        assert context.op_output is not None and not context.is_recompute
        is_product = operator is torch.ops.aten.mm.default
        return CheckpointPolicy.MUST_SAVE if is_product else CheckpointPolicy.PREFER_RECOMPUTE

    def block(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(torch.mm(x, weight)).sin()

    x, weight = torch.ones(2, 3), torch.ones(3, 3, requires_grad=True)
    (expected,) = torch.autograd.grad(block(x, weight).sum(), weight)
    for chosen in (policy, [torch.ops.aten.mm.default]):
        called: list[str] = []
        with Log():
            y = checkpoint(block, x, weight, use_reentrant=False, context_fn=_selective(chosen))
            called.clear()
            (gradient,) = torch.autograd.grad(y.sum(), weight)
        torch.testing.assert_close(gradient, expected)
        assert called.count("aten.mm.default") == 1  # the one in the backward pass
        assert called.count("aten.sigmoid.default") == 1


def test_results_kept_by_a_checkpoint_must_not_change() -> None:
    def block(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.mm(x, weight).add_(1).sin()

    x, weight = torch.ones(2, 3), torch.ones(3, 3, requires_grad=True)
    keep = [torch.ops.aten.mm.default]
    y = checkpoint(block, x, weight, use_reentrant=False, context_fn=_selective(keep))
    with pytest.raises(RuntimeError, match="has been mutated"):
        y.sum().backward()
    checkpoint(
        block, x, weight, use_reentrant=False, context_fn=_selective(keep, True)
    ).sum().backward()
    with pytest.raises(ValueError, match="to be an OpOverload but got: 1"):
        torch.utils.checkpoint.create_selective_checkpoint_contexts([1])


@pytest.mark.parametrize("early_stop", [True, False])
def test_a_checkpointed_function_may_run_backward_passes(early_stop: bool) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        a, b = x.sin().exp(), x.cos().exp()
        torch.autograd.grad(a, x)
        torch.autograd.grad(b, x)
        return x.sin()

    x = torch.tensor(0.5, requires_grad=True)
    with torch.utils.checkpoint.set_checkpoint_early_stop(early_stop):
        checkpoint(function, x, use_reentrant=False).backward()
    assert torch.equal(x.grad, x.detach().cos())


def test_recomputation_gives_constants_themselves() -> None:
    seen = []

    class Saving(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, constant: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(constant)
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            seen.extend(ctx.saved_tensors)
            return grad, None

    constant = torch.ones(1)
    checkpoint(
        Saving.apply, torch.ones(1, requires_grad=True), constant, use_reentrant=False
    ).backward()
    assert seen[0] is constant

"""linear_cross_entropy: chunks give the values of the whole batch and never hold all logits."""

from __future__ import annotations

from typing import Any

import pytest

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

N, IN, C = 11, 4, 50


def problem(dtype: torch.dtype = torch.float64) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    made = {
        "input": torch.randn(N, IN, generator=generator, dtype=torch.float64),
        "linear_weight": torch.randn(C, IN, generator=generator, dtype=torch.float64),
        "linear_bias": torch.randn(C, generator=generator, dtype=torch.float64),
    }
    made = {name: value.to(dtype).requires_grad_() for name, value in made.items()}
    target = torch.randint(0, C, (N,), generator=generator)
    target[3] = -100
    return {**made, "target": target}


def gradients(loss: torch.Tensor, made: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    """Return the gradients by the input, the weight and the bias of a weighted sum of losses."""
    factors = torch.arange(1, loss.numel() + 1, dtype=loss.dtype).view(loss.shape)
    return list(
        torch.autograd.grad((loss * factors).sum(), [v for v in made.values() if v.requires_grad])
    )


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("arguments", [{}, {"ignore_index": 7}, {"weight": True}])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_chunk_size": 4},
        {"batch_chunk_size": 100},
        {"chunking_method": None},
        {"chunking_method": "aspect_ratio:1", "allow_retain_graph": True},
    ],
)
def test_chunks_give_the_values_of_the_whole(
    reduction: str, arguments: dict[str, Any], options: dict[str, Any]
) -> None:
    made = problem()
    if arguments.get("weight"):
        weight = torch.linspace(0, 2, C, dtype=torch.float64)
        arguments = {"weight": weight}
    if "ignore_index" in arguments:
        made["target"] = made["target"].where(made["target"] >= 0, 7)
    logits = F.linear(made["input"], made["linear_weight"], made["linear_bias"])
    expected = F.cross_entropy(logits, made["target"], reduction=reduction, **arguments)
    chunks = nn.LinearCrossEntropyOptions(**options)
    found = F.linear_cross_entropy(**made, reduction=reduction, options=chunks, **arguments)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(gradients(found, made), gradients(expected, made))


def test_no_tensor_holds_all_logits() -> None:
    class Largest(TorchDispatchMode):
        elements = 0

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            sizes = [t.numel() for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
            self.elements = max(self.elements, *sizes, 0)
            return result

    made = problem()
    for reduction in ("mean", "none"):
        with Largest() as largest:
            options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
            F.linear_cross_entropy(**made, reduction=reduction, options=options).sum().backward()
        assert largest.elements == C * IN, "the weight and its gradient, not N * C logits"


@pytest.mark.parametrize("policy", ["compact", "balanced", "accurate"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_accumulates_in_single(policy: str, dtype: torch.dtype) -> None:
    made = problem(dtype)
    exact = {
        name: v.detach().double().requires_grad_(v.requires_grad)
        for name, v in made.items()
        if name != "target"
    }
    exact["target"] = made["target"]
    options = nn.LinearCrossEntropyOptions(acc_policy=policy, batch_chunk_size=3)
    found = F.linear_cross_entropy(**made, options=options)
    assert found.dtype == dtype
    expected = F.linear_cross_entropy(**exact)
    assert abs(found.double() - expected) < 0.02 * expected
    for value, reference in zip(gradients(found, made), gradients(expected, exact), strict=True):
        assert value.dtype == dtype
        assert (value - reference).abs().max() < 0.02 * reference.abs().max()


def test_several_targets_per_sample_and_probabilities() -> None:
    x, w = torch.randn(3, IN), torch.randn(C, 2, 5, IN)
    bias = torch.randn(C, 2, 5)
    target = torch.randint(0, C, (3, 2, 5))
    logits = torch.einsum("ni,cabi->ncab", x, w) + bias
    found = F.linear_cross_entropy(x, w, target, linear_bias=bias, label_smoothing=0.1)
    torch.testing.assert_close(found, F.cross_entropy(logits, target, label_smoothing=0.1))
    likely = torch.softmax(torch.randn(C), 0)
    single = F.linear_cross_entropy(x[0], w[:, 0, 0], likely)
    torch.testing.assert_close(single, F.cross_entropy(w[:, 0, 0] @ x[0], likely))


def test_options_that_cannot_be_met_are_ignored_with_a_warning() -> None:
    x, w, target = torch.randn(3, IN), torch.randn(C, IN), torch.tensor([1, 2, 3])
    with pytest.warns(UserWarning, match="``options`` ignored"):
        found = F.linear_cross_entropy(
            x, w, target, label_smoothing=0.1, options=nn.LinearCrossEntropyOptions()
        )
    torch.testing.assert_close(found, F.cross_entropy(x @ w.T, target, label_smoothing=0.1))


def test_a_second_backward_pass_must_be_asked_for() -> None:
    made = problem()
    loss = F.linear_cross_entropy(**made, options=nn.LinearCrossEntropyOptions())
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="allow_retain_graph=True"):
        loss.backward()
    lasting = nn.LinearCrossEntropyOptions(allow_retain_graph=True)
    loss = F.linear_cross_entropy(**made, options=lasting)
    x = made["input"]
    first, second = (torch.autograd.grad(loss, x, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(first, second)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"linear_weight": torch.ones(C, IN + 1)}, RuntimeError, "got 4 and 5, respectively"),
        ({"linear_weight": torch.ones(IN)}, RuntimeError, "dimensionality at least 2, got 1"),
        ({"input": torch.ones(2, N, IN)}, RuntimeError, "dimensionality 1 or 2, got 3"),
        (
            {"linear_bias": torch.ones(3)},
            RuntimeError,
            r"linear_bias shape \(50,\), got \(3,\)",
        ),
        ({"weight": torch.ones(4)}, RuntimeError, r"weight shape to be \(50,\), got \(4,\)"),
        ({"target": torch.zeros(5, dtype=torch.int64)}, ValueError, r"batch_size \(11\).*\(5\)"),
        ({"reduction": "most"}, ValueError, "most is not a valid value for reduction"),
        ({"target": torch.ones(N, C), "ignore_index": 1}, RuntimeError, "contains probabilities"),
    ],
)
def test_arguments_that_do_not_fit(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    for options in (None, nn.LinearCrossEntropyOptions()):
        with pytest.raises(error, match=message):
            F.linear_cross_entropy(**{**problem(), **change, "options": options})


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"batch_chunk_size": 0}, "must be positive int or None, got 0"),
        ({"chunking_method": "aspect_ratio:0"}, "invalid chunking_method"),
        ({"acc_policy": "best"}, "invalid acc_policy"),
        ({"acc_dtype": torch.int32}, "got torch.int32"),
    ],
)
def test_invalid_options(argument: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nn.LinearCrossEntropyOptions(**argument)


def test_the_layer_holds_the_linear_layer() -> None:
    torch.manual_seed(0)
    layer = nn.LinearCrossEntropyLoss(IN, 3, out_features=(2,), bias=True, label_smoothing=0.1)
    assert {name: tuple(p.shape) for name, p in layer.named_parameters()} == {
        "linear.weight": (6, IN),
        "linear.bias": (6,),
    }
    x, target = torch.randn(5, IN), torch.randint(0, 3, (5, 2))
    logits = layer.linear(x).view(5, 3, 2)
    torch.testing.assert_close(
        layer(x, target), F.cross_entropy(logits, target, label_smoothing=0.1)
    )
    assert "in_features=4, num_classes=3, out_features=(2,), bias=True" in repr(layer)


def test_transforms_ignore_chunks() -> None:
    x, w, target = torch.randn(6, 3), torch.randn(4, 3), torch.arange(6) % 4

    def loss(x: Any, options: Any = None) -> Any:
        return F.linear_cross_entropy(x, w, target, options=options)

    def chunked(x: Any) -> Any:
        return loss(x, nn.LinearCrossEntropyOptions())

    expected = torch.func.jvp(loss, (x,), (x,))
    torch.testing.assert_close(torch.func.jvp(chunked, (x,), (x,)), expected)
    torch.testing.assert_close(torch.func.vmap(chunked)(x[None])[0], loss(x))

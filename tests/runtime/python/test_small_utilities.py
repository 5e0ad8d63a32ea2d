"""Tensors that exchange contents, counts and fuzzers of benchmarks, replicas, and torch.func's helpers."""

from __future__ import annotations

import copy
import weakref
from typing import Any

import pytest

import torch
from torch import nn
from torch.utils import checkpoint as checkpoints
from torch.utils.benchmark import (
    CallgrindStats,
    CopyIfCallgrind,
    FunctionCount,
    FunctionCounts,
    FuzzedParameter,
    FuzzedTensor,
    Fuzzer,
    ParameterAlias,
    TaskSpec,
    Timer,
)


class Named(torch.Tensor):
    """A subclass with a slot of its own."""

    __slots__ = ("label",)


# ---- swap_tensors
def test_swapped_tensors_keep_their_identities() -> None:
    a, b = torch.zeros(2, requires_grad=True), torch.arange(3)
    known, a.note = [a, b], "of a"
    torch.utils.swap_tensors(a, b)
    assert known[0] is a and known[1] is b
    assert a.tolist() == [0, 1, 2] and b.tolist() == [0.0, 0.0]
    assert b.requires_grad and not a.requires_grad
    assert b.note == "of a" and not hasattr(a, "note")
    assert a.detach() is not a and (a + 1).tolist() == [1, 2, 3]


def test_swapped_parameters_stay_in_their_module() -> None:
    linear, new = nn.Linear(2, 2, bias=False), nn.Parameter(torch.ones(2, 2))
    optimizer = torch.optim.SGD(linear.parameters(), 0.5)
    torch.utils.swap_tensors(linear.weight, new)
    linear(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert linear.weight.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_tensors_that_others_refer_to_are_not_swapped() -> None:
    a, b = torch.zeros(2), torch.zeros(2)
    reference = weakref.ref(a)
    with pytest.raises(RuntimeError, match="t1 because it has weakref"):
        torch.utils.swap_tensors(a, b)
    assert reference() is a
    with pytest.raises(RuntimeError, match="different slots"):
        torch.utils.swap_tensors(torch.zeros(2), torch.zeros(2).as_subclass(Named))


def test_slots_are_swapped_if_one_is_empty() -> None:
    a, b = torch.zeros(2).as_subclass(Named), torch.ones(2).as_subclass(Named)
    a.label = "of a"
    torch.utils.swap_tensors(a, b)
    assert b.label == "of a" and not hasattr(a, "label")


def test_the_graph_of_a_swapped_leaf_is_refused() -> None:
    leaf = torch.ones(2, requires_grad=True)
    result = leaf * 2
    torch.utils.swap_tensors(leaf, torch.ones(3))
    with pytest.raises(RuntimeError, match="AccumulateGrad node that was poisoned by swap"):
        result.sum().backward()


# ---- benchmarks
def test_counts_are_added_subtracted_and_renamed() -> None:
    first = FunctionCounts((FunctionCount(5, "a/x.c:f"), FunctionCount(2, "b/x.c:f")), False)
    second = FunctionCounts((FunctionCount(5, "a/x.c:f"),), False)
    assert [tuple(row) for row in first - second] == [(2, "b/x.c:f")]
    assert (first + second).sum() == 12 and (first * 2).sum() == 14
    assert [tuple(row) for row in first.transform(lambda n: n.partition(":")[2])] == [(7, "f")]
    assert first[0] == FunctionCount(5, "a/x.c:f") and len(first[:1]) == 1
    assert "Total: 7" in repr(first)
    with pytest.raises(AssertionError, match="inclusive and exclusive"):
        first + FunctionCounts((), True)


def test_callgrind_counts_are_those_of_the_statement() -> None:
    none, base = FunctionCounts((), False), FunctionCounts((FunctionCount(4, "d/y.c:g"),), False)
    work = FunctionCounts((FunctionCount(10, "d/y.c:g"),), False)
    stats = CallgrindStats(TaskSpec("f()"), 3, True, none, base, work, work, None)
    assert stats.counts() == 10
    assert stats.delta(stats).sum() == 0
    assert stats.as_standardized().stats()[0] == FunctionCount(10, "y.c:g")
    assert "Instructions: 10" in repr(stats)


def test_a_timer_uses_marked_globals() -> None:
    timer = Timer("x.append(1)", globals={"x": CopyIfCallgrind([])})
    assert timer.timeit(3).number_per_run == 3


def test_a_fuzzer_repeats_its_draws_and_meets_its_constraints() -> None:
    def make() -> Fuzzer:
        return Fuzzer(
            [
                FuzzedParameter("k0", 2, 40, "loguniform"),
                FuzzedParameter("k1", distribution={ParameterAlias("k0"): 0.5, 1: 0.5}),
                [FuzzedParameter("s", 1, 3, "uniform")],
            ],
            [FuzzedTensor("x", ("k0", "k1"), ("s", 1), min_elements=4, max_elements=400)],
            [lambda **parameters: parameters["k0"] % 2 == 0],
            seed=3,
        )

    fuzzer = make()
    drawn, again = list(fuzzer.take(8)), list(make().take(8))
    assert [p for _, _, p in drawn] == [p for _, _, p in again]
    for tensors, facts, parameters in drawn:
        assert tensors["x"].shape == (parameters["k0"], parameters["k1"])
        assert parameters["k1"] in (1, parameters["k0"]) and parameters["k0"] % 2 == 0
        assert 4 <= facts["x"]["numel"] <= 400
    assert 0 < fuzzer.rejection_rate < 1
    with pytest.raises(ValueError, match="Collision in parameter"):
        Fuzzer([FuzzedParameter("k", 1, 2, "uniform")] * 2, [])
    with pytest.raises(RuntimeError, match="1000 draws"):
        next(Fuzzer([FuzzedParameter("k", 1, 2, "uniform")], [], [lambda k: False], 0).take(1))


# ---- checkpoints
def test_backward_passes_of_a_group_share_the_recomputation() -> None:
    calls = 0

    def parts(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        nonlocal calls
        calls += 1
        return x.sin(), x.cos()

    x = torch.ones(2, requires_grad=True)
    first, second = checkpoints.checkpoint(parts, x, use_reentrant=False)
    with checkpoints.GraphExecGroup():
        first.sum().backward()
        second.sum().backward()
    assert calls == 2
    torch.testing.assert_close(x.grad, (torch.cos(x) - torch.sin(x)).detach())
    with checkpoints.GraphExecGroup(), pytest.raises(RuntimeError, match="nested"):
        checkpoints.GraphExecGroup().__enter__()


@pytest.mark.parametrize("how", ["argument", "context"])
def test_errors_of_recomputation_can_list_the_operators(how: str) -> None:
    calls = 0

    def changing(x: torch.Tensor) -> torch.Tensor:
        nonlocal calls
        calls += 1
        return (x.sin() * x if calls == 1 else x.exp()).sum()

    x = torch.ones(2, requires_grad=True)
    with checkpoints.set_checkpoint_debug_enabled(True if how == "context" else None):
        loss = checkpoints.checkpoint(changing, x, use_reentrant=False, debug=how == "argument")
    message = r"forward pass:\n  aten.sin.default\n(.|\n)*recomputation:\n  aten.exp.default"
    with pytest.raises(checkpoints.CheckpointError, match=message):
        loss.backward()


# ---- nn.parallel
def test_replicas_run_on_parts_of_a_batch_and_share_gradients() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    whole, x = copy.deepcopy(model), torch.randn(5, 3)
    parts = nn.parallel.scatter((x, {"scale": x[:, 0]}), ["cpu", "cpu"])
    assert [len(part[0]) for part in parts] == [3, 2] == [len(p[1]["scale"]) for p in parts]
    replicas = nn.parallel.replicate(model, ["cpu", "cpu"])
    results = nn.parallel.parallel_apply(replicas, [part[0] for part in parts])
    joined = nn.parallel.gather([{"out": (r, None)} for r in results], "cpu")["out"][0]
    torch.testing.assert_close(joined, whole(x))
    joined.square().sum().backward()
    whole(x).square().sum().backward()
    for mine, other in zip(model.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, other.grad)
    assert not list(replicas[0].parameters())


def test_errors_and_modes_reach_the_threads_of_replicas() -> None:
    with pytest.raises(RuntimeError, match="in replica 1"):
        nn.parallel.parallel_apply([nn.Linear(2, 1)] * 2, [torch.ones(1, 2), torch.ones(1, 3)])
    with torch.no_grad():
        (result,) = nn.parallel.parallel_apply([nn.Linear(2, 1)], [torch.ones(1, 2)])
    assert not result.requires_grad


# ---- torch.func
@pytest.mark.parametrize(
    ("shape", "pattern", "sizes"),
    [
        ((2, 6, 4, 3), "b (h1 h) w c -> b h1 h (w c)", {"h1": 2}),
        ((2, 3, 4), "a ... -> ... a", {}),
        ((2, 3, 4), "... c -> (... c)", {}),
        ((2, 1, 4), "a 1 b -> (b a) 1 1", {}),
        ((2, 3), "a b -> a b", {}),
        ((4, 6), "(a b) (c d) -> (a c) b d", {"a": 2, "d": 3}),
    ],
)
def test_rearrange_agrees_with_einops(
    shape: tuple[int, ...], pattern: str, sizes: dict[str, int]
) -> None:
    einops = pytest.importorskip("einops", reason="pip install einops")
    x = torch.arange(torch.Size(shape).numel()).reshape(shape)
    expected = torch.from_numpy(einops.rearrange(x.numpy(), pattern, **sizes))
    assert torch.equal(torch.func.rearrange(x, pattern, **sizes), expected)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("a b", "Expected one '->'"),
        ("a b -> a", "only on one side"),
        ("a a -> a", "or twice"),
        ("a b c -> a b c", "has 3 dimensions, the tensor 2"),
        ("(a b -> a b", "Unbalanced"),
        ("(a b) c -> a b c", "Could not infer"),
        ("a b! -> a b", "Unexpected character"),
        ("a b -> ... a b", "only on the right"),
    ],
)
def test_wrong_patterns_are_refused(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        torch.func.rearrange(torch.zeros(4, 4), pattern)


def test_several_tensors_are_stacked_by_rearrange() -> None:
    assert torch.func.rearrange([torch.zeros(2), torch.ones(2)], "n a -> (a n)").tolist() == [
        0,
        1,
        0,
        1,
    ]


def test_debug_unwrap_opens_one_level_or_all() -> None:
    seen: list[Any] = []

    def look(x: torch.Tensor) -> torch.Tensor:
        seen.append([torch.func.debug_unwrap(x, recurse=r).shape for r in (False, True)])
        return x.sum()

    torch.vmap(torch.vmap(look))(torch.ones(2, 3, 4))
    assert seen == [[(3, 4), (2, 3, 4)]]


def test_attention_on_the_cpu_has_no_kernels_of_cuda(caplog: pytest.LogCaptureFixture) -> None:
    from torch.backends import cuda

    x = torch.ones(1, 1, 2, 4)
    parameters = cuda.SDPAParams(x, x, x, None, 0.0, False, False)
    for ask in (
        cuda.can_use_flash_attention,
        cuda.can_use_efficient_attention,
        cuda.can_use_cudnn_attention,
    ):
        caplog.clear()
        assert ask(parameters, debug=True) is False
        assert "attention" in caplog.text


def test_the_old_assertion_warns_and_converts() -> None:
    with pytest.warns(FutureWarning, match="deprecated"):
        torch.testing.assert_allclose(torch.ones(2), [1, 1])
    with pytest.warns(FutureWarning), pytest.raises(AssertionError):
        torch.testing.assert_allclose(torch.ones(2), torch.tensor([1.0, 1.1]))


def test_made_tensors_have_the_same_elements_in_any_layout() -> None:
    def made(**options: Any) -> torch.Tensor:
        torch.manual_seed(0)
        return torch.testing.make_tensor((3, 4), device="cpu", **options)

    for dtype in (torch.float32, torch.int64, torch.complex64, torch.bool):
        strided = made(dtype=dtype, noncontiguous=True)
        assert strided.stride() == (8, 2) and strided.equal(made(dtype=dtype))
    wide = made(dtype=torch.float16, low=-1e30, high=1e30)
    assert bool(wide.isfinite().all()) and float(wide.abs().max()) > 40000
    for dtype in (torch.uint16, torch.uint64, torch.float8_e4m3fn, torch.complex32):
        assert made(dtype=dtype).dtype is dtype
    assert not made(dtype=torch.complex64)._is_view()
    with pytest.raises(ValueError, match=r"only supports \[0, 256\)"):
        made(dtype=torch.uint8, low=300, high=400)
    with pytest.raises(TypeError, match="is not supported"):
        made(dtype=torch.float8_e8m0fnu)


def test_unequal_numbers_are_described_as_in_pytorch() -> None:
    with pytest.raises(AssertionError, match="Booleans mismatch: True is not False"):
        torch.testing.assert_close(True, False)
    with pytest.raises(AssertionError) as unequal:
        torch.testing.assert_close(1, 2)
    assert str(unequal.value).endswith("Absolute difference: 1\nRelative difference: 0.5")

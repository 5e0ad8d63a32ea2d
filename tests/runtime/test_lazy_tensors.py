"""The lazy device: what it records, when it runs it, and that the numbers are the CPU's."""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Callable, Iterator

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

BUILT = hasattr(torch._C, "_lazy")
if BUILT:
    for _name in ("computation", "debug", "ir_cache", "metrics", "ts_backend"):
        importlib.import_module(f"torch._lazy.{_name}")
needs_lazy = pytest.mark.skipif(not BUILT, reason="needs BUILD_LAZY=ON python setup.py develop")


@pytest.fixture(autouse=True)
def step() -> Iterator[None]:
    """Begin each test without pending work and with all counters at zero."""
    if BUILT:
        torch._lazy.ts_backend.init()
        torch._lazy.mark_step()
        torch._lazy.metrics.reset()
    yield


def count(name: str) -> int:
    return torch._lazy.metrics.counter_value(name) or 0


def operators(*tensors: torch.Tensor) -> list[str]:
    """Return the names of the nodes that would compute the tensors, data aside."""
    names = re.findall(r"\] (\S+)\(", torch._C._lazy._get_tensors_text(list(tensors)))
    return [name for name in names if name != "lazy_tensors::device_data"]


CHAINS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "point-wise": lambda x, y: ((x + y).relu() * 2 - x / 3).exp().sigmoid(),
    "scalars": lambda x, y: torch.add(x, y, alpha=2.5).clamp(min=-1, max=0.5) ** 2,
    "promotion": lambda x, y: (x * 3).to(torch.int64) + y,
    "comparison": lambda x, y: torch.where(x > y, x, y.neg()),
    "matmul": lambda x, y: x @ y.t() + 1,
    "linear": lambda x, y: torch.nn.functional.linear(x, y, y[:, 0]),
    "batched": lambda x, y: torch.einsum("bi,bj->bij", x, y).bmm(y.unsqueeze(2)),
    "sum": lambda x, y: x.sum() + y.sum(1, keepdim=True),
    "mean": lambda x, y: x.mean(dim=(0, 1)) * y.var(1),
    "max": lambda x, y: x.max(1).values + y.max(1).indices,
    "sort": lambda x, y: x.sort(1, descending=True)[0] + y.topk(5).values,
    "softmax": lambda x, y: x.softmax(1) + y.log_softmax(0),
    "norm": lambda x, y: torch.nn.functional.layer_norm(x, (5,), y[0], y[1]),
    "cat": lambda x, y: torch.cat([x, y.flip(0)], 1),
    "stack": lambda x, y: torch.stack([x, y]).permute(2, 0, 1).contiguous(),
    "index": lambda x, y: x.index_select(0, torch.tensor([2, 0]).to(x.device)) + y[:2],
    "advanced index": lambda x, y: x[torch.tensor([1, 1], device=x.device)] + y[1],
    "conv": lambda x, y: torch.nn.functional.conv1d(x[None], y[:, None, :3].contiguous(), groups=4),
    "transposed strides": lambda x, y: (x.t() + y.t()) * 2,
    "expanded": lambda x, y: x[:1].expand(4, 5) + y,
    "number": lambda x, y: torch.where(x > 0, x, torch.tensor(2.0, dtype=torch.float64).item()),
    "no node": lambda x, y: torch.linalg.norm(x.cumprod(1) + y),
}


@needs_lazy
@pytest.mark.parametrize("name", CHAINS)
def test_results_are_those_of_the_cpu(name: str) -> None:
    torch.manual_seed(3)
    x, y = torch.randn(4, 5), torch.randn(4, 5)
    expected = CHAINS[name](x, y)
    result = CHAINS[name](x.to("lazy"), y.to("lazy"))
    assert result.device == torch.device("lazy:0") and result.stride() == expected.stride()
    torch.testing.assert_close(result.cpu(), expected)


def _grow(x: torch.Tensor) -> torch.Tensor:
    x.resize_(3, 5)
    x[2] = 7
    return x


WRITES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "in place": lambda x: x.add_(1).mul_(x),
    "to a view": lambda x: (x[1].fill_(5), x[:, 2].mul_(3), x)[2],
    "to a view of a view": lambda x: (x.t()[1:, :1].zero_(), x + 1)[1],
    "seen by a view": lambda x: (v := x.view(-1)[3:6], x.add_(1), v * 2)[2],
    "item": lambda x: (x.__setitem__((slice(None), 1), torch.ones(2)), x)[1],
    "another dtype": lambda x: x.copy_(torch.arange(10).view(2, 5)),
    "broadcast": lambda x: x.copy_(x[0].clone()),
    "out": lambda x: (out := torch.empty(0, device=x.device), torch.mul(x, 3, out=out), out)[2],
    "masked": lambda x: x.masked_fill_(x > 0, -1),
    "grown": _grow,
    "another storage": lambda x: (y := torch.ones(1, device=x.device), y.set_(x), y.zero_(), x)[3],
}


@needs_lazy
@pytest.mark.parametrize("name", WRITES)
def test_writes_are_seen_through_views(name: str) -> None:
    torch.manual_seed(3)
    x = torch.randn(2, 5)
    lazy = x.to("lazy")
    expected = WRITES[name](x)
    result = WRITES[name](lazy)
    torch._lazy.mark_step()
    torch.testing.assert_close(result.cpu(), expected)
    torch.testing.assert_close(lazy.cpu(), x)


def _mlp() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 3)
    )


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, foreach=False),
}


def _train(device: str, optimizer: str, steps: int = 5) -> tuple[list[float], list[torch.Tensor]]:
    model = _mlp().to(device)
    opt = OPTIMIZERS[optimizer](model.parameters())
    schedule = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
    x, target = torch.randn(8, 6).to(device), torch.randint(3, (8,)).to(device)
    losses = []
    for _ in range(steps):
        opt.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), target)
        loss.backward()
        opt.step()
        schedule.step()
        if device == "lazy":
            torch._lazy.mark_step()
        losses.append(loss.item())
    return losses, [p.detach().cpu() for p in model.parameters()]


@needs_lazy
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_gives_the_numbers_of_the_cpu(optimizer: str) -> None:
    losses, parameters = _train("cpu", optimizer)
    lazy_losses, lazy_parameters = _train("lazy", optimizer)
    torch.testing.assert_close(lazy_losses, losses)
    torch.testing.assert_close(lazy_parameters, parameters)
    assert losses[-1] < losses[0]


@needs_lazy
def test_later_steps_run_the_compiled_graph_although_the_learning_rate_changes() -> None:
    torch._lazy.ir_cache.reset()
    _train("lazy", "sgd", steps=6)
    # The first step has no momentum yet; all later ones are the same graph.
    assert count("UncachedCompile") == 2
    assert count("CachedCompile") == 4
    fallbacks = [n for n in torch._lazy.metrics.counter_names() if n.startswith("aten::")]
    assert fallbacks == []


@needs_lazy
def test_nothing_runs_before_the_step_ends() -> None:
    x = torch.ones(3).to("lazy")
    y = (x + 1).relu()
    assert operators(y) == ["aten::add", "aten::relu"]
    assert count("UncachedCompile") + count("CachedCompile") == 0
    torch._lazy.mark_step()
    assert operators(y) == []
    assert count("UncachedCompile") + count("CachedCompile") == 1


@needs_lazy
def test_item_runs_only_what_it_needs() -> None:
    x = torch.arange(3.0).to("lazy")
    total, other = x.sum(), x.exp()
    assert total.item() == 3
    assert operators(total) == [] and operators(other) == ["aten::exp"]
    assert operators(total + 1) == ["aten::add"]


@needs_lazy
def test_the_dump_names_shapes_attributes_and_roots() -> None:
    x = torch.ones(2, 3).to("lazy")
    text = torch._lazy.debug.dump_ir([x.sum(1, keepdim=True)], "text")
    assert re.search(r"%0 = \[Float\[2,3\]\] lazy_tensors::device_data\(\), device=CPU0", text)
    assert re.search(r"%1 = \[Float\[2,1\]\] aten::sum\(%0\), dim=\[1\], keepdim=1", text)
    assert "ROOT=0" in text
    dot = torch._lazy.debug.render_ir_graph([x + x])
    assert 'node1 [label="aten::add' in dot and dot.count("node0 -> node1") == 2
    with pytest.raises(RuntimeError, match='"backend" is neither'):
        torch._lazy.debug.dump_ir([x], "backend")


@needs_lazy
def test_graphs_that_share_operands_differently_have_different_hashes() -> None:
    x, y = torch.ones(3).to("lazy"), torch.full((3,), 2.0).to("lazy")
    graph = torch._lazy.computation.get_graph_hash
    assert graph([x * y + x]) == graph([y * x + y])
    assert graph([x * y + x]) != graph([x * y + y])
    assert graph([x + x]) != graph([x + y])
    assert graph([x + 1]) == graph([y + 2])
    assert graph([x.sum(0)]) != graph([x.sum(0, keepdim=True)])
    torch.testing.assert_close((x * y + x).cpu(), torch.full((3,), 3.0))
    torch.testing.assert_close((x * y + y).cpu(), torch.full((3,), 4.0))


@needs_lazy
def test_operators_without_a_node_run_on_the_cpu_and_are_counted() -> None:
    x = torch.tensor([1.0, 0.0, 2.0]).to("lazy")
    assert x.nonzero().cpu().tolist() == [[0], [2]]
    assert count("aten::nonzero") == 1
    assert "Counter: aten::nonzero\n  Value: 1" in torch._lazy.metrics.metrics_report()
    random = torch.zeros(1000).to("lazy").uniform_(2, 3)
    assert 2.4 < random.mean().item() < 2.6


@needs_lazy
def test_random_numbers_are_drawn_once() -> None:
    x = torch.nn.functional.dropout(torch.ones(100).to("lazy"), 0.5)
    first, second = (x * 2).cpu(), (x * 2).cpu()
    assert first.eq(second).all() and 0 < first.count_nonzero() < 100


@needs_lazy
def test_a_gradient_crosses_devices() -> None:
    x = torch.randn(3, requires_grad=True)
    (x.to("lazy") * 3).sum().cpu().backward()
    torch.testing.assert_close(x.grad, torch.full((3,), 3.0))


@needs_lazy
def test_mixed_devices_are_an_error_but_numbers_are_not() -> None:
    x = torch.ones(3).to("lazy")
    assert (x + torch.tensor(2.0)).cpu().tolist() == [3, 3, 3]
    assert (x.to(torch.int64) + 2).dtype is torch.int64
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        x + torch.ones(3)


@needs_lazy
def test_a_view_of_another_dtype_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="views of another dtype: Float as Int"):
        torch.ones(4).to("lazy").view(torch.int32)


@needs_lazy
def test_copies_share_nothing_with_the_source() -> None:
    x = torch.ones(3)
    lazy = x.to("lazy")
    x.zero_()
    copy = lazy.clone()
    lazy.add_(1)
    assert copy.cpu().tolist() == [1, 1, 1] and lazy.cpu().tolist() == [2, 2, 2]
    host = lazy.cpu()
    host.zero_()
    assert lazy.cpu().tolist() == [2, 2, 2]


@needs_lazy
def test_a_long_trace_does_not_overflow_the_stack() -> None:
    x = torch.zeros(1).to("lazy")
    for _ in range(50_000):
        x = x + 1
    assert x.item() == 50_000
    for _ in range(50_000):
        x = x + 1
    del x


@needs_lazy
def test_closures_run_after_the_step() -> None:
    seen: list[list[str]] = []
    loss = torch.ones(2).to("lazy").sum()
    torch._lazy.add_step_closure(lambda value: seen.append(operators(value)), (loss,))
    assert seen == []
    torch._lazy.mark_step()
    assert seen == [[]]
    torch._lazy.add_step_closure(lambda: 1 / 0, run_async=True)
    torch._lazy.mark_step()
    with pytest.raises(ZeroDivisionError):
        torch._lazy.mark_step()


@needs_lazy
def test_tensors_are_named_copied_and_saved() -> None:
    x = torch.ones(2).to("lazy")
    assert torch._lazy.get_tensor_id(x) == torch._lazy.get_tensor_id(x[:1])
    assert torch._lazy.get_tensor_id(x) != torch._lazy.get_tensor_id(x + 1)
    state = {"a": x * 2, "b": [x + 3, 4]}
    assert torch._lazy.to_cpu(state)["b"][0].tolist() == [4, 4]
    file = io.BytesIO()
    torch._lazy.save(state, file)
    file.seek(0)
    assert torch.load(file)["a"].tolist() == [2, 2]
    assert "device='lazy:0'" in repr(x) and "1." in repr(x)


@pytest.mark.skipif(BUILT, reason="this build has lazy tensors")
def test_without_lazy_tensors_the_error_names_the_option() -> None:
    with pytest.raises(RuntimeError, match="BUILD_LAZY=ON"):
        torch._lazy.mark_step()


@needs_lazy
def test_conjugates_and_negatives_are_copies() -> None:
    z = torch.tensor([1 + 2j, 3 - 4j])
    lazy = z.to("lazy")
    for name in ("conj", "_neg_view"):
        result = getattr(lazy, name)()
        assert not result.is_conj() and not result.is_neg()
        torch.testing.assert_close((result * 2j).cpu(), getattr(z, name)() * 2j)
    torch.testing.assert_close(z.conj().to("lazy").cpu(), z.conj())

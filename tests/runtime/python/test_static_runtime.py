"""The static runtime: recorded graphs whose results are in one planned block of memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch import nn  # noqa: E402
from torch.jit._static_runtime import StaticModule  # noqa: E402


class Attention(nn.Module):
    """Views, softmax, products, and a result that is a view."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(8, 8) for _ in range(3))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the result and the weights."""
        q, k, v = (
            f(x).view(2, 5, 2, 4).transpose(1, 2) for f in (self.query, self.key, self.value)
        )
        weights = torch.softmax(q @ k.transpose(-1, -2) / 2, -1)
        return (weights @ v).transpose(1, 2).reshape(2, 5, 8) + x, weights


def in_place(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    z = y.view(-1)
    y.add_(1)
    return torch.cat([z, (y.exp() - y.sin()).flatten()])


def several_results(x: torch.Tensor) -> list[torch.Tensor]:
    values, indices = torch.max(x * 3, 1)
    return [values + 1, indices, x.t()]


PROGRAMS: dict[str, tuple[Callable[[], Callable], tuple[int, ...]]] = {
    "layers": (lambda: nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2)).eval(), (3, 4)),
    "convolutions": (
        lambda: nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU()).eval(),
        (2, 1, 8, 8),
    ),
    "attention": (lambda: Attention().eval(), (2, 5, 8)),
    "in place": (lambda: in_place, (3, 4)),
    "several results": (lambda: several_results, (3, 4)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_program(name: str) -> None:
    torch.manual_seed(0)
    make, shape = PROGRAMS[name]
    program = make()
    static = StaticModule(program, (torch.randn(shape),))
    for _ in range(3):  # the block has what the last call left
        x = torch.randn(shape)
        with torch.no_grad():
            torch.testing.assert_close(static(x), program(x.clone()))


def test_results_of_earlier_calls_stay() -> None:
    static = StaticModule(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), (torch.ones(2, 4),))
    first = static(torch.ones(2, 4))
    before = first.clone()
    static(torch.zeros(2, 4))
    torch.testing.assert_close(first, before)


def test_memory_is_reused() -> None:
    chain = nn.Sequential(*(nn.Linear(64, 64) for _ in range(8)))
    plan = StaticModule(chain, (torch.ones(16, 64),)).plan
    assert plan.results == 7  # all but the one that is returned
    assert plan.unplanned == 7 * 16 * 64 * 4
    assert plan.size == 2 * 16 * 64 * 4  # the input and the result of one layer


def test_results_that_are_needed_together_do_not_overlap() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        parts = [(x * i).exp() for i in range(5)]
        return sum(part.sin() for part in parts) + parts[0]

    x = torch.randn(7, 3)
    static = StaticModule(program, (x,))
    torch.testing.assert_close(static(x), program(x))
    assert static.plan.size < static.plan.unplanned


def test_changed_parameters_are_used() -> None:
    module = nn.Linear(3, 2)
    static = StaticModule(module, (torch.ones(1, 3),))
    with torch.no_grad():
        module.weight.fill_(2.0)
        module.bias.zero_()
    assert static(torch.ones(1, 3)).tolist() == [[6.0, 6.0]]


def test_planned_steps_write_into_the_block() -> None:
    static = StaticModule(lambda x: (x + 1).exp() * 2, (torch.ones(4),))
    planned = [step for step in static._steps if step.planned]
    assert [step.function.__name__ for step in planned] == ["add", "exp"]
    blocks = {step.kwargs["out"].untyped_storage()._cdata for step in planned}
    assert static(torch.ones(4)).untyped_storage()._cdata not in blocks


@pytest.mark.parametrize(
    "wrong", [torch.ones(3), torch.ones(2, dtype=torch.float64), torch.ones(2, device="meta")]
)
def test_other_inputs_are_refused(wrong: torch.Tensor) -> None:
    static = StaticModule(torch.exp, (torch.ones(2),))
    with pytest.raises(ValueError, match="but the graph is for"):
        static(wrong)
    with pytest.raises(TypeError, match="expected 1 inputs, but got 2"):
        static(torch.ones(2), torch.ones(2))
    with pytest.raises(TypeError, match="example inputs must be tensors"):
        StaticModule(torch.exp, (1.0,))

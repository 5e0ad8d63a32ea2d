"""The static runtime: recorded graphs whose results are in one planned block of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from samples import TABLE, Operator, Sample  # noqa: E402
from torch import nn  # noqa: E402
from torch.jit import _static_runtime  # noqa: E402
from torch.jit._static_runtime import StaticModule  # noqa: E402
from torch.utils._pytree import tree_flatten, tree_unflatten  # noqa: E402


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


def test_planned_calls_write_into_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_static_runtime, "_KERNELS", frozenset())
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


def test_the_written_argument_has_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.gelu_backward(x, x + 1) * 2

    x = torch.randn(3)
    monkeypatch.setattr(_static_runtime, "_KERNELS", frozenset())
    static = StaticModule(program, (x,))
    assert "grad_input" in {name for step in static._steps if step.planned for name in step.kwargs}
    torch.testing.assert_close(static(x), program(x))


def test_omitted_reductions_are_those_of_the_schema() -> None:
    def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.binary_cross_entropy_with_logits(x, y, None, None, 1) + 1

    x, y = torch.randn(4, 5), torch.rand(4, 5)
    static = StaticModule(program, (x, y))
    torch.testing.assert_close(static(x, y), program(x, y))


def test_arguments_by_keyword_of_arithmetic_with_numbers() -> None:
    static = StaticModule(lambda x: torch.add(x, 3, alpha=2).exp(), (torch.ones(4),))
    x = torch.randn(4)
    torch.testing.assert_close(static(x), torch.add(x, 3, alpha=2).exp())


# Their results follow from random numbers, or from tensors that they make of numbers, which
# make_fx records as new memory, in PyTorch, too.
_NOT_FIXED = (
    "alpha_dropout", "dropout", "feature_alpha_dropout", "feature_dropout", "native_dropout", "rrelu",
    "ctc_loss", "_pad_packed_sequence",
)  # fmt: skip
_NOT_TENSORS = ("item", "promote_types", "result_type")
# Their samples quantize tensors, which reads scales and zero points.
_READ_NUMBERS = (
    "_quantized_linear_for_cpu", "_quantized_linear_dynamic_for_cpu", "_quantized_convolution_for_cpu",
    "_dequantize_for_cpu",
)  # fmt: skip


def _check_sample(operator: Operator, sample: Sample) -> None:
    """Run an operator in a static module, twice, and compare with eager calls."""
    leaves, form = tree_flatten((sample.args, sample.kwargs))
    places = [at for at, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def program(*tensors: torch.Tensor) -> Any:
        given = list(leaves)
        for at, tensor in zip(places, tensors, strict=True):
            given[at] = tensor
        args, kwargs = tree_unflatten(given, form)
        result = operator.function()(*args, **kwargs)
        return result.clone() if isinstance(result, torch.Tensor) else result

    tensors = [leaves[at] for at in places]
    expected = program(*(tensor.clone() for tensor in tensors))
    static = StaticModule(program, [tensor.clone() for tensor in tensors])
    for _ in range(2):
        found = static(*(tensor.clone() for tensor in tensors))
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_operators_compute_what_eager_calls_compute() -> None:
    differing: list[str] = []
    for operator in TABLE:
        if operator.random or operator.name in (*_NOT_FIXED, *_NOT_TENSORS, *_READ_NUMBERS):
            continue
        for sample in operator.make(operator.dtypes[-1]):
            try:
                _check_sample(operator, sample)
            except Exception as error:
                differing.append(f"{operator.name}: {type(error).__name__} {str(error)[:300]}")
    assert not differing, "\n".join(differing)

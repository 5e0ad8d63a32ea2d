"""The generated kernels of the static runtime compute what the operators' other variants do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_decompositions import Comparison, run_samples

import torch
from samples import TABLE
from torch.jit import _static_runtime
from torch.jit._static_runtime import StaticModule
from torch.utils._python_dispatch import TorchDispatchMode

NAMES = sorted(_static_runtime._KERNELS)
pytestmark = pytest.mark.skipif(
    not NAMES, reason="needs BUILD_STATIC_RUNTIME=ON python setup.py develop"
)
RANDOM = {"aten::bernoulli", "aten::multinomial"}
"""Operators whose results differ between calls."""
X = torch.linspace(-2, 2, 12).reshape(3, 4)
OTHER_CALLS: tuple[Callable[[Any], Any], ...] = (
    lambda aten: aten.all.dims(X > -3, [0, 1]),
    lambda aten: aten.any.dims(X > 1, [1], True),
    lambda aten: aten.bitwise_and.Scalar(X.int(), 1),
    lambda aten: aten.bitwise_or.Scalar(X.int(), 1),
    lambda aten: aten.bitwise_xor.Scalar(X.int(), 1),
    lambda aten: aten.clamp.Tensor(X, X.flip(0), X + 1),
    lambda aten: aten.conj_physical(torch.complex(X, X + 1)),
    lambda aten: aten.fmod.Scalar(X, 0.75),
    lambda aten: aten.linalg_eigvals(X[:, :3]),
    lambda aten: aten.norm.ScalarOpt_dim_dtype(X, 2, [1], False, dtype=torch.float64),
)
"""Calls of operators that the sample table reaches as other operators."""


def overload_of(name: str) -> Any:
    base, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def out_variant_of(overload: Any) -> Any:
    """Return the overload that takes the same arguments and out."""
    wanted = [(a.name, str(a.type)) for a in overload._schema.arguments]
    packet = overload.overloadpacket
    (found,) = (
        each
        for each in (getattr(packet, name) for name in packet.overloads())
        if [(a.name, str(a.type)) for a in each._schema.arguments][:-1] == wanted
        and each._schema.arguments[-1].alias_info is not None
    )
    return found


def by_kernel(overload: Any) -> Callable[..., Any]:
    """Return a function that computes the operator by its generated kernel."""
    schema = out_variant_of(overload)._schema
    overload_name, written = schema.overload_name, schema.arguments[-1].name

    def compute(*args: Any, **kwargs: Any) -> Any:
        result = overload(*args, **kwargs)
        out = torch.full(result.shape, 7, dtype=result.dtype)  # what an earlier result left there
        step = torch._C._StaticStep(
            overload.name(), overload_name, args, {**kwargs, written: out}, [], 0, ()
        )
        values = [None]
        step.run(values)
        assert values[0] is out
        return out

    return compute


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_kernels_compute_what_the_operators_do() -> None:
    table = {
        overload_of(name): by_kernel(overload_of(name)) for name in NAMES if name not in RANDOM
    }
    seen = Comparison(table)
    for operator in TABLE:
        if not operator.random:
            for dtype in dict.fromkeys((operator.dtypes[0], operator.dtypes[-1])):
                run_samples(operator, dtype, seen)
    with seen:
        for call in OTHER_CALLS:
            call(torch.ops.aten)
    assert sorted({overload.name() for overload in table} - seen.compared) == []
    assert len(table) > 200


def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    both = torch.cat([x, y, x * y])
    return torch.softmax(both.sum(1, keepdim=True) + both, -1).mul(2)


def test_steps_call_kernels_for_results_in_the_block() -> None:
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    static = StaticModule(program, (x, y))
    kinds = [type(step).__name__ for step in static._steps]
    assert kinds == ["_StaticStep", "Call", "_StaticStep", "_StaticStep", "_StaticStep", "Call"]
    for _ in range(3):
        x, y = torch.randn(3, 4), torch.randn(3, 4)
        torch.testing.assert_close(static(x, y), program(x, y))


def test_tensors_that_are_conjugated_or_negated_lazily_are_read_as_what_they_are() -> None:
    example = torch.randn(3, 3, dtype=torch.complex64)
    static = StaticModule(lambda z: (z + 1) @ z * 2, (example,))
    for value in (example.conj(), torch.randn(3, 3, dtype=torch.complex64).mH):
        torch.testing.assert_close(static(value), (value + 1) @ value * 2)


def test_modes_see_the_operators() -> None:
    class Names(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[str] = []

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            self.seen.append(func.name())
            return func(*args, **(kwargs or {}))

    static = StaticModule(lambda x: (x + 1).exp() * 2, (torch.ones(4),))
    x = torch.ones(4)
    with Names() as names:
        static(x)
    assert names.seen == ["aten::add.out", "aten::exp.out", "aten::mul.Tensor"]


def test_errors_of_kernels_are_python_errors() -> None:
    step = torch._C._StaticStep(
        "aten::mm", "out", (torch.ones(2, 3), torch.ones(3, 2)), {"out": torch.empty(2, 2)},
        [(0, 0)], 1, (),
    )  # fmt: skip
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        step.run([torch.ones(2, 2), None])
    with pytest.raises(IndexError, match="there is no value 0"):
        step.run([])
    with pytest.raises(TypeError, match="value 0 is not a tensor"):
        step.run([None, None])
    with pytest.raises(TypeError, match="must be a list"):
        step.run((torch.ones(2, 3), None))


def test_mistakes_in_a_step_are_reported() -> None:
    make = torch._C._StaticStep
    x, keywords = torch.ones(2), {"out": torch.ones(2)}
    with pytest.raises(ValueError, match="there is no generated kernel of aten::expp"):
        make("aten::expp", "out", (x,), keywords, [], 0, ())
    with pytest.raises(RuntimeError, match=r"there is no operator aten::exp\.outt"):
        make("aten::exp", "outt", (x,), keywords, [], 0, ())
    with pytest.raises(IndexError, match="argument 2"):
        make("aten::exp", "out", (x,), keywords, [(2, 0)], 0, ())
    with pytest.raises(TypeError):
        make("aten::exp", "out", (x,), keywords, [(0, "x")], 0, ())

"""torch.func.functionalize: the values of eager execution, without operators that write."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import functional_programs
import pytest
from functional_programs import PROGRAMS, argument

import torch
from torch.func import functionalize, grad, vmap
from torch.utils._python_dispatch import TorchDispatchMode

BOTH = pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
EACH_PROGRAM = pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))


class Recorded(TorchDispatchMode):
    """Records the operators of a block."""

    def __init__(self) -> None:
        super().__init__()
        self.operators: list[Any] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self.operators.append(func)
        return func(*args, **(kwargs or {}))

    def computing(self) -> list[Any]:
        """Return the operators before those that write the results to arguments at the end."""
        last = len(self.operators)
        at_end = ("aten::copy_", "aten::as_strided_", "aten::resize_")
        while last and self.operators[last - 1].name() in at_end:
            last -= 1
        return self.operators[:last]


@BOTH
@EACH_PROGRAM
def test_program_has_the_values_of_eager_execution(program: Any, remove: str) -> None:
    expected_input, found_input = argument(), argument()
    expected = program(expected_input)
    found = functionalize(program, remove=remove)(found_input)
    assert functional_programs.lists(found) == functional_programs.lists(expected)
    assert functional_programs.lists(found_input) == functional_programs.lists(expected_input)
    results = found if isinstance(found, tuple) else (found,)
    assert not any(torch._is_functional_tensor(each) for each in results)


@BOTH
@EACH_PROGRAM
def test_no_operator_writes(program: Any, remove: str) -> None:
    with Recorded() as eager:
        program(argument())
    assert (
        any(func._schema.is_mutable for func in eager.operators) or program.__name__ == "expanded"
    )
    x = argument()
    with Recorded() as recorded:
        functionalize(program, remove=remove)(x)
    computing = recorded.computing()
    assert computing
    assert [func.name() for func in computing if func._schema.is_mutable] == []


@EACH_PROGRAM
def test_no_operator_views(program: Any) -> None:
    if program.__name__ == "strided":
        pytest.skip("the memory of a tensor is viewed")
    x = argument()
    with Recorded() as recorded:
        functionalize(program, remove="mutations_and_views")(x)
    views = [
        func.name()
        for func in recorded.computing()
        if any(result.alias_info is not None for result in func._schema.returns)
    ]
    assert views == []


@pytest.mark.skipif("TORCH_PEER" not in os.environ, reason="set TORCH_PEER to a Python with torch")
def test_programs_agree_with_the_peer() -> None:
    program = str(Path(functional_programs.__file__))
    command = [os.environ["TORCH_PEER"], program]
    ran = subprocess.run(command, cwd="/", capture_output=True, text=True, check=True)
    expected = json.loads(ran.stdout)
    assert set(expected) == {f"{n} {r}" for n in PROGRAMS for r in functional_remove()}
    for title, value in expected.items():
        if title.startswith("strided"):  # the peer raises an error
            assert "RuntimeError" in value
            continue
        name, remove = title.split()
        x = argument()
        found = functionalize(PROGRAMS[name], remove=remove)(x)
        assert functional_programs.lists([found, x]) == value, title


def functional_remove() -> tuple[str, str]:
    return ("mutations", "mutations_and_views")


@BOTH
def test_transforms_compose(remove: str) -> None:
    def f(x):
        y = x * 2
        y[0].mul_(x[1])
        y.add_(1)
        return y.sum()

    x = torch.arange(1.0, 4.0)
    expected = grad(f)(x)
    torch.testing.assert_close(grad(functionalize(f, remove=remove))(x), expected)
    torch.testing.assert_close(functionalize(grad(f), remove=remove)(x), expected)
    batch = torch.stack([x, x + 1])
    each = torch.stack([grad(f)(row) for row in batch])
    torch.testing.assert_close(vmap(grad(functionalize(f, remove=remove)))(batch), each)
    torch.testing.assert_close(functionalize(vmap(grad(f)), remove=remove)(batch), each)
    values = torch.stack([f(row) for row in batch])
    torch.testing.assert_close(vmap(functionalize(f, remove=remove))(batch), values)
    nested = functionalize(functionalize(f, remove=remove), remove="mutations")
    torch.testing.assert_close(nested(x), f(x))


def test_gradients_flow_through_inputs() -> None:
    def f(x):
        y = x.clone()
        y[1:].mul_(3)
        return y

    x = torch.arange(3.0, requires_grad=True)
    functionalize(f)(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 3.0, 3.0]


def test_modules_keep_their_statistics() -> None:
    eager, other = torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3)
    x = torch.randn(8, 3)

    def f(module, x):
        return module(x)

    expected = f(eager, x)
    buffers = dict(other.named_buffers())

    def with_buffers(buffers, x):
        return torch.func.functional_call(other, buffers, (x,))

    found = functionalize(with_buffers)(buffers, x)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(other.running_mean, eager.running_mean)
    assert int(other.num_batches_tracked) == 1


def test_numbers_and_text_show_the_value() -> None:
    def f(x):
        x = x + 1
        x[0].zero_()
        assert x[1].item() == 2.0
        assert x.tolist() == [0.0, 2.0]
        assert repr(x) == "_to_functional_tensor(tensor([0., 2.]))"
        assert bool(x.any())
        return x

    assert functionalize(f)(torch.tensor([0.0, 1.0])).tolist() == [0.0, 2.0]


def test_functional_tensors_by_hand() -> None:
    x = torch.zeros(3)
    wrapped = torch._to_functional_tensor(x)
    assert torch._is_functional_tensor(wrapped)
    assert not torch._is_functional_tensor(x)
    view = wrapped[1:]
    torch._enable_functionalization(reapply_views=True)
    try:
        view.add_(1)
    finally:
        torch._disable_functionalization()
    torch._sync(wrapped)
    assert torch._from_functional_tensor(wrapped).tolist() == [0.0, 1.0, 1.0]
    assert x.tolist() == [0.0, 0.0, 0.0]
    torch._freeze_functional_tensor(wrapped)
    with pytest.raises(RuntimeError, match="frozen storage"):
        wrapped.add_(1)
    with pytest.raises(RuntimeError, match="expected a functional tensor"):
        torch._sync(x)
    with pytest.raises(TypeError, match="expected a Tensor, not int"):
        torch._is_functional_tensor(1)
    with pytest.raises(RuntimeError, match="functionalization is not enabled"):
        torch._disable_functionalization()


def test_mistakes_raise_what_eager_execution_raises() -> None:
    def wrong_size(x):
        return x.clone().add_(torch.ones(2, 3, 4))

    def wrong_type(x):
        return x.to(torch.int64).add_(0.5)

    def overlapping(x):
        return x[:1].expand(3, 4).add_(1)

    for f in (wrong_size, wrong_type, overlapping):
        with pytest.raises(RuntimeError) as expected:
            f(argument())
        with pytest.raises(RuntimeError) as found:
            functionalize(f)(argument())
        assert str(found.value)[:40] == str(expected.value)[:40]
    captured = torch.zeros(3, 4)
    with pytest.raises(RuntimeError, match="mutating a non-functional tensor"):
        functionalize(lambda x: captured.add_(x))(argument())
    with pytest.raises(RuntimeError, match="received invalid argument for remove=views"):
        functionalize(wrong_size, remove="views")


def test_errors_leave_functionalization() -> None:
    with pytest.raises(ZeroDivisionError):
        functionalize(lambda x: 1 // 0)(argument())
    assert not torch._is_functional_tensor(torch.zeros(1))

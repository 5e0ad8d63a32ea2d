"""torch.library: what stands for an operator, overloads of custom operators, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import torch


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("register_kernel", lambda op: torch.library.register_kernel(op, "cpu", torch.neg)),
        ("register_fake", lambda op: torch.library.register_fake(op, torch.empty_like)),
        ("register_autograd", lambda op: torch.library.register_autograd(op, lambda c, g: g * 3)),
        ("register_vmap", lambda op: torch.library.register_vmap(op, lambda i, d, x: (x, d[0]))),
    ],
)
def test_overloads_stand_for_operators_and_other_objects_do_not(
    name: str, call: Callable[[Any], Any]
) -> None:
    torch.library.define(f"kinds_demo::{name}", "(Tensor x) -> Tensor")
    packet = getattr(torch.ops.kinds_demo, name)
    call(packet.default)
    for wrong in (3, packet):
        with pytest.raises(ValueError, match=rf"{name}\(.*\): got unexpected type for op: <class"):
            call(wrong)


def test_a_derivative_is_registered_for_an_overload() -> None:
    torch.library.define("overload_demo::double", "(Tensor x) -> Tensor")
    torch.library.impl("overload_demo::double", "cpu", lambda x: x * 2)
    overload = torch.ops.overload_demo.double.default
    torch.library.register_autograd(overload, lambda ctx, grad: grad * 7)
    x = torch.ones(1, requires_grad=True)
    overload(x).backward()
    assert x.grad.item() == 7


def test_custom_ops_may_be_overloads() -> None:
    @torch.library.custom_op("overload_demo2::turn.half", mutates_args=())
    def half(x: torch.Tensor) -> torch.Tensor:
        return x / 2

    @torch.library.custom_op("overload_demo2::turn", mutates_args=())
    def whole(x: torch.Tensor) -> torch.Tensor:
        return x * 1

    turn = torch.ops.overload_demo2.turn
    assert sorted(turn.overloads()) == ["default", "half"]
    assert (half(torch.ones(1)), turn.half(torch.ones(1)), whole(torch.ones(1))) == (0.5, 0.5, 1)
    assert half._opoverload is turn.half


def test_devices_are_defaults_of_custom_ops() -> None:
    cpu = torch.device("cpu:0")

    @torch.library.custom_op("default_demo::place", mutates_args=())
    def place(x: torch.Tensor, device: torch.device = cpu) -> torch.Tensor:
        assert device == cpu
        return x + 1

    assert place(torch.zeros(1)) == 1
    assert torch.ops.default_demo.place(torch.zeros(1)) == 1


def test_fake_kernels_wait_for_the_operators_of_a_namespace() -> None:
    # as those of torchvision, whose compiled library cannot be loaded here
    for name in ("first", "second"):
        torch.library.register_fake(f"waiting_demo::{name}", lambda x: x.new_empty(7))
    for name in ("first", "second"):
        torch.library.define(f"waiting_demo::{name}", "(Tensor x) -> Tensor")
        operator = getattr(torch.ops.waiting_demo, name)
        assert operator(torch.ones(1, device="meta")).shape == (7,)


def test_declarations_that_are_refused() -> None:
    with pytest.raises(ValueError, match="without tensor inputs are required to have"):

        @torch.library.custom_op("refused_demo::none", mutates_args=())
        def none() -> torch.Tensor:
            return torch.ones(1)

    with pytest.raises(ValueError, match="mutates_args must either be a sequence of the names"):

        @torch.library.custom_op("refused_demo::text", mutates_args="x")
        def text(x: torch.Tensor) -> None:
            x.sin_()

    with pytest.raises(ValueError, match="expected qualname to be instance of str"):
        torch.library.define(3, "() -> ()")  # type: ignore[arg-type]
    torch.library.define("refused_demo::present", "(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="operator refused_demo::absent does not exist"):
        torch.library.register_fake("refused_demo::absent", torch.empty_like)

    def words(x: list[str]) -> torch.Tensor:
        return torch.ones(1)

    with pytest.raises(ValueError, match=r"Parameter x has unsupported type list\[str\]"):
        torch.library.infer_schema(words, mutates_args=())


def test_a_library_that_cannot_load_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "operators.so"
    broken.write_bytes(b"no library")
    with pytest.raises(OSError, match=f"Could not load this library: {broken}") as raised:
        torch.ops.load_library(str(broken))
    assert isinstance(raised.value.__cause__, OSError)
    assert str(broken) not in torch.ops.loaded_libraries

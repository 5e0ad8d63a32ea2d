"""torch.library: kernels by dispatch key, casts under autocast, and operators written in Triton."""

from __future__ import annotations

import pytest

import torch
from torch._C import DispatchKey, DispatchKeySet

CPU = DispatchKeySet(DispatchKey.CPU)


def test_a_kernel_of_the_library_takes_the_operator_s_arguments() -> None:
    kernel = torch.library.get_kernel("aten::add.Tensor", DispatchKey.CPU)
    assert kernel.call_boxed(CPU, torch.ones(2), torch.ones(2), alpha=3).tolist() == [4, 4]
    assert kernel.op_handle is torch.ops.aten.add.Tensor
    with pytest.raises(RuntimeError, match="missing value for argument 'other'"):
        kernel.call_boxed(CPU, torch.ones(2))


def test_a_kernel_outlives_the_one_that_replaces_it() -> None:
    first = torch.library.Library("kernels_test", "DEF")
    first.define("f(Tensor x) -> Tensor")
    first.impl("f", lambda x: x + 1, "CPU")
    kernel = torch.library.get_kernel("kernels_test::f", "CPU")
    second = torch.library.Library("kernels_test", "IMPL")
    second.impl("f", lambda x: 10 * kernel.call_boxed(CPU, x), "CPU", allow_override=True)
    assert torch.ops.kernels_test.f(torch.ones(1)).item() == 20
    second._destroy()
    assert kernel.call_boxed(CPU, torch.ones(1)).item() == 2


@pytest.mark.parametrize(
    ("op", "key", "error", "message"),
    [
        ("aten::no_such", "CPU", RuntimeError, "operator aten::no_such does not exist"),
        ("add", "CPU", RuntimeError, "operator add does not exist"),
        ("aten::sin", "Nothing", ValueError, "Invalid dispatch key: Nothing"),
        (3, "CPU", ValueError, "unexpected type for op: <class 'int'>"),
    ],
)
def test_what_is_no_kernel_is_refused(
    op: object, key: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        torch.library.get_kernel(op, key)


def test_an_operator_without_a_kernel_for_the_key_is_named() -> None:
    library = torch.library.Library("kernels_test2", "DEF")
    library.define("f(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="no kernel for CPU for kernels_test2::f"):
        torch.library.get_kernel("kernels_test2::f", "CPU")


def test_autocast_casts_what_it_may_and_is_off_inside() -> None:
    enabled = []

    @torch.library.custom_op("kernels_test3::f", mutates_args=())
    def f(x: torch.Tensor, y: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
        enabled.append(torch.is_autocast_enabled("cpu"))
        return x * y * factor

    f.register_autocast("cpu", torch.bfloat16)
    x, whole, exact = torch.ones(2), torch.ones(2, dtype=torch.int64), torch.ones(2).double()
    with torch.autocast("cpu"):
        assert f(x, x, factor=3.0).dtype == torch.bfloat16
        assert f(x, whole).dtype == torch.bfloat16
        assert f(x, exact).dtype == torch.float64
    assert f(x, x).dtype == torch.float32
    assert enabled == [False] * 4
    with pytest.raises(ValueError, match=r"register_autocast\(3\)"):
        torch.library.register_autocast(3, "cpu", torch.bfloat16)
    with pytest.raises((ValueError, RuntimeError), match="abacus"):
        torch.library.register_autocast(f, "abacus", torch.bfloat16)


def test_gradients_pass_through_an_operator_under_autocast() -> None:
    @torch.library.custom_op("kernels_test4::triple", mutates_args=())
    def triple(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    triple.register_autograd(lambda ctx, grad: grad * 3)
    torch.library.register_autocast("kernels_test4::triple", "cpu", torch.bfloat16)
    x = torch.ones(2, requires_grad=True)
    with torch.autocast("cpu"):
        y = triple(x)
    y.sum().backward()
    assert y.dtype == torch.bfloat16
    assert x.grad is not None and x.grad.dtype == torch.float32 and x.grad.tolist() == [3, 3]


def test_a_triton_operator_is_a_custom_operator() -> None:
    @torch.library.triton_op("kernels_test5::double", mutates_args=())
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert torch.ops.kernels_test5.double(torch.ones(1)).item() == 2
    assert double(torch.ones(1)).item() == 2
    with pytest.raises((ModuleNotFoundError, RuntimeError), match="triton"):
        torch.library.wrap_triton(lambda x: x)

"""The argument out= of composed functions: which dtypes it may have, and the warning of a resize."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import torch

A = torch.tensor([[4.0, 1.0], [1.0, 3.0]])
V = torch.tensor([1.0, 2.0])
L = torch.tensor([[2.0, 0.0], [0.5, 2.75**0.5]])  # the Cholesky factor of A
LU, PIVOTS = torch.tensor([[4.0, 1.0], [0.25, 2.75]]), torch.tensor([1, 2], dtype=torch.int32)
LD = torch.tensor([[4.0, 0.0], [0.25, 2.75]]), torch.tensor([1, 2], dtype=torch.int32)
SAME = "Expected out tensor to have dtype float, but got double instead"

# Functions with out=, and the message for an out of float64 instead of float32.
SAME_DTYPE: list[tuple[Callable[..., Any], str]] = [
    (lambda out: torch.linalg.cholesky(A, out=out), SAME),
    (lambda out: torch.linalg.ldl_solve(*LD, A, out=out), SAME),
    (lambda out: torch.linalg.matrix_power(A, 3, out=out), SAME),
    (lambda out: torch.lu_solve(A, LU, PIVOTS, out=out), SAME),
    (lambda out: torch.frobenius_norm(A, [0], out=out), SAME),
    (lambda out: torch.inverse(A, out=out), SAME),
    (lambda out: torch.msort(A, out=out), SAME),
    (lambda out: torch.renorm(A, 2, 0, 1.0, out=out), SAME),
    (
        lambda out: torch.scatter_reduce(A, 0, torch.zeros(1, 2).long(), A, "sum", out=out),
        SAME,
    ),
    (lambda out: torch.linalg.norm(A, out=out), "linalg.norm expected out tensor dtype Float but"),
    (lambda out: torch.linalg.matrix_norm(A, out=out), "linalg.matrix_norm expected out tensor"),
    (lambda out: torch.linalg.vecdot(V, V, out=out), "linalg.vecdot: Expected out of dtypeFloat"),
    (lambda out: torch.tensordot(A, A, 1, out=out), "tensordot: Expected the output tensor to"),
    (lambda out: torch.inner(V, V, out=out), "tensordot: Expected the output tensor to have"),
    (lambda out: torch.chain_matmul(A, A, out=out), "expected out tensor to have dtype float"),
    (lambda out: torch.take(A, torch.tensor([1]), out=out), "self and out expected to have the"),
    (lambda out: torch.fft.fft(V, out=out), "fft expects a complex output tensor, but got Double"),
    (lambda out: torch.conj_physical(V, out=out), "Found dtype Double but expected Float"),
    (lambda out: torch.isposinf(V, out=out), "isposinf does not support non-boolean outputs"),
    (lambda out: torch.isin(V, V, out=out), "Expected out tensor to have dtype bool, but got"),
]


@pytest.mark.parametrize(("function", "message"), SAME_DTYPE)
def test_outputs_of_another_dtype_are_refused(function: Callable[..., Any], message: str) -> None:
    expected = function(None)
    assert torch.equal(function(torch.empty_like(expected)), expected)
    with pytest.raises(RuntimeError, match=message):
        function(torch.empty_like(expected, dtype=torch.float64))


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (lambda out: torch.linalg.cholesky_ex(A, out=out), 2),
        (lambda out: torch.linalg.ldl_factor_ex(A, out=out), 3),
        (lambda out: torch.qr(A, out=out), 2),
        (lambda out: torch.slogdet(A, out=out), 2),
        (lambda out: torch.svd(A, out=out), 3),
        (lambda out: torch.aminmax(A, out=out), 2),
        (lambda out: torch.frexp(A, out=out), 2),
    ],
)
def test_each_of_several_outputs_is_checked(function: Callable[..., Any], count: int) -> None:
    expected = tuple(function(None))
    assert len(expected) == count
    for i in range(count):
        outputs = [torch.empty_like(each) for each in expected]
        outputs[i] = outputs[i].double()
        with pytest.raises(RuntimeError, match="but got double"):
            function(tuple(outputs))


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda out: torch.linalg.cond(A, out=out), "linalg.cond: Expected result"),
        (lambda out: torch.linalg.pinv(A, out=out), "linalg.pinv: Expected result"),
        (lambda out: torch.cholesky(A, out=out), "cholesky: Expected result"),
        (lambda out: torch.cholesky_inverse(L, out=out), "cholesky_inverse: Expected result"),
        (lambda out: torch.cholesky_solve(A, L, out=out), "cholesky_solve: Expected result"),
        (lambda out: torch.linalg.tensorinv(A, 1, out=out), "tensorinv: Expected result"),
        (lambda out: torch.linalg.tensorsolve(A, V, out=out), "tensorsolve: Expected result"),
    ],
)
def test_outputs_may_be_wider_but_not_integral(function: Callable[..., Any], name: str) -> None:
    expected = function(None)
    wide = function(torch.empty_like(expected, dtype=torch.float64))
    torch.testing.assert_close(wide, expected, check_dtype=False)
    with pytest.raises(RuntimeError, match=f"{name} to be safely castable from Float dtype, but"):
        function(torch.empty_like(expected, dtype=torch.int32))


@pytest.mark.parametrize(
    "function",
    [
        lambda out: torch.linalg.norm(A, out=out),
        lambda out: torch.linalg.matrix_rank(A, out=out),
        lambda out: torch.linalg.pinv(A, out=out),
        lambda out: torch.inverse(A, out=out),
        lambda out: torch.tensordot(A, A, 1, out=out),
        lambda out: torch.fft.fft(V, out=out),
        lambda out: torch.fft.irfft2(A.cfloat(), out=out),
        lambda out: torch.msort(A, out=out),
        lambda out: torch.diff(A, out=out),
        lambda out: torch.isin(A, 4.0, out=out),
        lambda out: torch.isin(4.0, A, out=out),
    ],
)
def test_a_resize_of_an_output_warns(function: Callable[..., Any]) -> None:
    expected = function(None)
    out = torch.empty(7, 5, dtype=expected.dtype)
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        assert function(out) is out
    assert torch.equal(out, expected)


def test_differences_are_converted_to_the_output() -> None:
    assert torch.diff(V, out=torch.empty(1, dtype=torch.float64)).tolist() == [1]
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired"):
        torch.diff(V, out=torch.empty(1, dtype=torch.int64))


def test_searches_warn_once_of_copies() -> None:
    program = """
import warnings, torch
edges, values = torch.arange(8.0)[::2], torch.arange(6.0)[::2]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        assert torch.searchsorted(edges, values).tolist() == [0, 1, 2]
print([str(warning.message).split(" is")[0] for warning in caught])
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == str(
        ["torch.searchsorted(): input value tensor", "torch.searchsorted(): boundary tensor"]
    ), found.stderr


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("arange", (3,)),
        ("full", ((3,), 1.0)),
        ("linspace", (0, 1, 3)),
        ("ones", (3,)),
        ("rand", (3,)),
    ],
)
def test_factories_refuse_outputs_that_require_gradients(
    name: str, arguments: tuple[Any, ...]
) -> None:
    out = torch.empty(3, requires_grad=True)
    with pytest.raises(RuntimeError, match=rf"aten::{name}\(\): functions with out=\.\.\."):
        getattr(torch, name)(*arguments, out=out)
    with torch.no_grad():
        assert getattr(torch, name)(*arguments, out=out) is out


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda out: torch.special.ndtr(A, out=out), "result type Float can't be cast to the"),
        (lambda out: torch._C._nn.log_sigmoid(A, out=out), "expected scalar type Float but found"),
        (
            lambda out: torch.native_batch_norm(
                A, None, None, None, None, True, 0.1, 1e-5, out=(out, V.clone(), V.clone())
            ),
            "expected scalar type Float but found Long",
        ),
    ],
)
def test_integers_do_not_hold_floating_results(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        function(torch.zeros(2, 2, dtype=torch.int64))

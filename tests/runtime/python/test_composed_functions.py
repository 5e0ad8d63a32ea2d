"""Functions that are composed of operators in Python return what PyTorch's operators return."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import torch

aten = torch.ops.aten
INDEX = torch.tensor([[0, 1]])
CALLS = Path(__file__).parents[1] / "data" / "composed_calls.txt"
PROGRAM = """\
import sys
import torch

def plain(value):
    if isinstance(value, torch.Tensor):
        return (str(value.dtype), value.to(torch.complex128).tolist())
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value

for line in open(sys.argv[1]):
    torch.manual_seed(0)
    x = torch.tensor([[0.5, -1.25, 2.0], [-0.75, 0.0, 3.5]])
    z = torch.tensor([1 + 1j, -2 + 0j, 3j])
    s = torch.tensor([[0.1, 0.4, 0.0], [-0.3, 0.2, 0.5], [0.0, 0.1, -0.2]])
    nan = torch.tensor([float("nan"), 1.0, float("nan")])
    print(repr(plain(eval(line))))
"""


def outcomes(python: str, folder: Path) -> list[object]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [python, str(program), str(CALLS)], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    names = {"nan": float("nan"), "nanj": complex(0, float("nan")), "inf": float("inf")}
    return [eval(line, names) for line in done.stdout.splitlines()]


def assert_equal(ours: object, theirs: object) -> None:
    if isinstance(theirs, (list, tuple)):
        assert isinstance(ours, (list, tuple)) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_equal(one, other)
    elif isinstance(theirs, (float, complex)):
        assert ours == pytest.approx(theirs, rel=2e-5, abs=1e-6, nan_ok=True)
    else:
        assert ours == theirs


@pytest.mark.skipif(
    "TORCH_PEER" not in os.environ, reason="set TORCH_PEER to a Python that has torch 2.13.0"
)
def test_results_are_those_of_pytorch(tmp_path: Path) -> None:
    lines = CALLS.read_text().splitlines()
    found = outcomes(sys.executable, tmp_path), outcomes(os.environ["TORCH_PEER"], tmp_path)
    for line, ours, theirs in zip(lines, *found, strict=True):
        try:
            assert_equal(ours, theirs)
        except AssertionError as error:
            raise AssertionError(f"{line}\nours   {ours}\ntheirs {theirs}") from error


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.frac(x * 3),
        lambda x: torch.frexp(x).mantissa,
        lambda x: torch.ldexp(x, torch.tensor(2.0)),
        lambda x: torch.fmax(x, x.flip(0)),
        lambda x: torch.aminmax(x, dim=0).max,
        lambda x: torch.renorm(x, 2, 0, 1.0),
        torch.matrix_exp,
        lambda x: torch.take(x, torch.tensor([3, 0, 3])),
        lambda x: torch.put(x, torch.tensor([1]), x[0, :1]),
        lambda x: torch.index_fill(x, 0, torch.tensor([0]), 2.0),
        lambda x: torch.index_fill(x.new_zeros(3, 2), 0, torch.tensor([1, 0, 1]), x[0, 0]),
        lambda x: torch.cov(x, aweights=x[0].abs()),
        lambda x: torch.cov(x, correction=0, fweights=torch.tensor([1, 3]), aweights=x[0].abs()),
        lambda x: torch.masked_scatter(x, torch.eye(2).bool(), x[1]),
        lambda x: torch.slice_scatter(x, x[:1] * 2, 0, 1),
        lambda x: x.sum_to_size(2),
    ],
)
def test_gradients(function) -> None:  # type: ignore[no-untyped-def]
    x = torch.tensor([[0.7, -1.3], [2.1, 0.4]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(function, (x,))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.ldexp_(torch.tensor(2)),
        lambda x: x.renorm_(2, 0, 1.0),
        lambda x: x.float_power_(3.0),
        lambda x: x.addbmm_(torch.ones(3, 2, 2).double(), torch.ones(3, 2, 2).double(), beta=2),
        lambda x: x.addr_(torch.ones(2).double(), torch.ones(2).double(), beta=2),
        lambda x: x.nextafter_(torch.ones(2, 2).double()) * 0 + x,
    ],
)
def test_gradients_pass_functions_in_place(function: Any) -> None:
    x = torch.tensor([[0.7, 1.3], [2.1, 0.4]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: function(x.clone()), (x,))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: aten._safe_softmax(x.masked_fill(torch.eye(2, 3).bool(), -torch.inf), 1),
        lambda x: aten._unsafe_masked_index(x, torch.eye(2).bool(), [INDEX, INDEX], 1.0),
        lambda x: aten._unsafe_masked_index_put_accumulate(
            x, torch.eye(2).bool(), [INDEX.T, INDEX], x[:, :2]
        ),
        lambda x: aten._batch_norm_with_update(
            x, x[0], x[1], torch.zeros(3).double(), torch.ones(3).double(), 0.1, 1e-3
        )[0],
    ],
)
def test_gradients_of_private_operators(call: Any) -> None:
    x = torch.tensor([[0.7, 1.3, -0.2], [2.1, 0.4, 1.1]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(call, (x,))


def test_rows_of_minus_infinity_get_no_gradient_from_safe_softmax() -> None:
    x = torch.tensor([[0.0, 1.0], [-torch.inf, -torch.inf]], requires_grad=True)
    aten._safe_softmax(x, 1)[:, 0].sum().backward()
    assert x.grad is not None and x.grad[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("call", "strides"),
    [
        (lambda x: torch.kthvalue(x, 2, 1, True), [(4, 4, 1)] * 2),
        (lambda x: torch.median(x, 1, True), [(4, 4, 1)] * 2),
        (lambda x: torch.mode(x, 1, True), [(4, 4, 1)] * 2),
        (
            lambda x: torch.meshgrid(x[0, 0, :2], x[0, 0, :1], indexing="xy"),
            [(2, 1), (1, 0)],
        ),
        (lambda x: torch.triangular_solve(x, torch.eye(3)), [(12, 1, 3), (9, 1, 3)]),
    ],
)
def test_results_have_the_strides_of_pytorch(call: Any, strides: Any) -> None:
    assert [t.stride() for t in call(torch.ones(2, 3, 4))] == strides


def test_the_gradient_of_complex_logaddexp() -> None:
    x = torch.tensor([0.7 - 1.3j, 2.1 + 0.4j], dtype=torch.complex128, requires_grad=True)
    y = torch.tensor([2.1 - 0.4j, 0.7 + 1.3j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(torch.logaddexp, (x, y), check_forward_ad=True)


def test_cov_warns_of_too_few_observations() -> None:
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        found = torch.cov(torch.tensor([[1.0, 3.0], [2.0, 5.0]]), correction=2)
    assert found.isinf().all()


def test_errors_are_those_of_pytorch() -> None:
    x = torch.ones(3)
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        torch.frac(torch.tensor([1]))
    with pytest.raises(IndexError, match="tried to access index 5 on a tensor of 3 elements"):
        torch.take(x, torch.tensor([5]))
    with pytest.raises(RuntimeError, match="source < number of ones in mask"):
        torch.masked_scatter(x, torch.tensor([True, True, False]), torch.ones(1))
    with pytest.raises(RuntimeError, match="over an empty dimension"):
        torch.aminmax(torch.zeros(0))
    with pytest.raises(IndexError, match="aminmax: Expected reduction dim 0 to have non-zero size"):
        torch.aminmax(torch.zeros(0, 2), dim=0)
    with pytest.raises(RuntimeError, match=r"src size = \[3\], slice size = \[2\]"):
        torch.select_scatter(torch.zeros(2, 2), torch.ones(3), 0, 0)
    with pytest.raises(RuntimeError, match="not expandable"):
        x.sum_to_size(2)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0,), {}, "bins must be > 0, but got 0 for dimension 0"),
        ((2,), {"range": (2.0, 1.0)}, "min should not exceed max, but got min 2 max 1"),
        ((2,), {"range": (0.0,)}, "range should have 2 elements, but got 1"),
        ((2,), {"weight": torch.ones(2)}, "the same shape as the input tensor"),
        ((torch.tensor([1, 2]),), {}, "bins for dimension 0 with dtype long int"),
        ((2,), {"out": (torch.ones(0).double(), torch.ones(0))}, "input float and hist double"),
    ],
)
def test_wrong_histograms(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.histogram(torch.ones(3), *arguments, **options)


def test_extrema_of_nothing_are_written_as_identities() -> None:
    found = (
        torch.max(torch.empty(0), out=torch.empty(0)),
        torch.min(torch.empty(0), out=torch.empty(0)),
    )
    assert [float(t) for t in found] == [-float("inf"), float("inf")]
    none = torch.empty(0, dtype=torch.int64)
    assert torch.max(none, out=none.clone()) == -(2**63)


@pytest.mark.parametrize("function", [torch.median, torch.nanmedian])
def test_medians_are_written_to_outputs(function: Any) -> None:
    x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    out = torch.empty(0), torch.empty(0, dtype=torch.int64)
    found = function(x, 1, out=out)
    assert found.values is out[0] and found.indices is out[1]
    assert [t.tolist() for t in out] == [[2.0, 5.0], [2, 1]]
    with pytest.raises(RuntimeError, match=r"to have scalar type Long; but got torch\.IntTensor"):
        function(x, 1, out=(out[0], out[1].int()))


def test_the_gradient_of_polar_is_that_of_pytorch() -> None:
    """The gradient of a negative modulus has the direction of the result."""
    modulus = torch.tensor([-1.0, 2.0], dtype=torch.float64, requires_grad=True)
    angle = torch.tensor([0.5, 0.5], dtype=torch.float64, requires_grad=True)
    result = torch.polar(modulus, angle)
    assert result.grad_fn is not None and result.grad_fn.name() == "PolarBackward0"
    found = torch.autograd.grad(result, (modulus, angle), torch.tensor([1 + 2j, 3 - 1j]))
    expected = [[-1.8364, 2.1533], [-1.2757, -4.6317]]
    torch.testing.assert_close(
        torch.stack(found), torch.tensor(expected).double(), atol=1e-4, rtol=0
    )
    assert torch.complex(modulus, angle).grad_fn.name() == "ComplexBackward0"  # type: ignore[union-attr]
    assert torch.autograd.gradcheck(torch.polar, (modulus.detach().abs().requires_grad_(), angle))
    assert torch.autograd.gradcheck(torch.complex, (modulus, angle), check_forward_ad=True)
    ones = torch.ones(2, dtype=torch.float64)
    tangent = torch.func.jvp(torch.polar, (modulus.detach(), angle.detach()), (ones, ones))[1]
    expected_tangent = torch.tensor([1.3570 - 0.3982j, -0.0813 + 2.2346j]).to(torch.complex128)
    torch.testing.assert_close(tangent, expected_tangent, atol=1e-4, rtol=0)


def test_indices_along_a_dimension_count_from_both_ends() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.take_along_dim(x, torch.tensor([[-1], [3]]), 1).tolist() == [[2], [3]]

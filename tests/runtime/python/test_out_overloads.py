"""The out= overloads of operators that compute their results in other operators."""

from __future__ import annotations

from typing import Any

import pytest

import torch

A = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
B = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
X = torch.tensor([[1.0, 5.0, 2.0], [3.0, 0.0, 7.0]])
V = torch.tensor([1.0, 2.0, float("nan"), 3.0])
EDGES = torch.tensor([1.0, 3.0, 5.0])
LU, PIVOTS = torch.linalg.lu_factor(A)
Q = torch.tensor([0.2, 0.5])
CASES: dict[str, tuple[Any, ...]] = {
    "bucketize.Tensor_out": (X, EDGES),
    "bucketize.Scalar_out": (2.0, EDGES),
    "column_stack.out": ([X, X],),
    "complex.out": (X, X),
    "cross.out": (A, A + 1, 0),
    "deg2rad.out": (X,),
    "diag.out": (A,),
    "diff.out": (X,),
    "dstack.out": ([X, X],),
    "float_power.Scalar_out": (2.0, X),
    "float_power.Tensor_Scalar_out": (X, 2.0),
    "float_power.Tensor_Tensor_out": (X, X),
    "histc.out": (X, 4, 0, 8),
    "hstack.out": ([X, X],),
    "isin.Tensor_Tensor_out": (X, X[0]),
    "isin.Tensor_Scalar_out": (X, 5.0),
    "isin.Scalar_Tensor_out": (5.0, X),
    "kthvalue.values": (X, 2),
    "linalg_cross.out": (A, A + 1),
    "linalg_det.out": (A,),
    "linalg_eigh.eigvals": (A,),
    "linalg_eigvalsh.out": (A,),
    "linalg_inv.out": (A,),
    "linalg_inv_ex.inverse": (A,),
    "linalg_lu.out": (A,),
    "linalg_lu_factor.out": (A,),
    "linalg_lu_factor_ex.out": (A,),
    "linalg_lu_solve.out": (LU, PIVOTS, B),
    "linalg_qr.out": (A,),
    "linalg_slogdet.out": (A,),
    "linalg_solve.out": (A, B),
    "linalg_solve_ex.out": (A, B),
    "linalg_svd.U": (A,),
    "linalg_svdvals.out": (A,),
    "logit.out": (X / 10, 1e-3),
    "logspace.out": (0, 2, 5),
    "logspace.Tensor_Tensor_out": (torch.tensor(0.0), torch.tensor(2.0), 5),
    "logspace.Tensor_Scalar_out": (torch.tensor(0.0), 2, 5),
    "logspace.Scalar_Tensor_out": (0, torch.tensor(2.0), 5),
    "lu_unpack.out": (LU, PIVOTS),
    "mode.values": (X,),
    "nanmean.out": (V,),
    "nanquantile.out": (V, Q),
    "nanquantile.scalar_out": (V, 0.5),
    "nansum.out": (V,),
    "polar.out": (X, X),
    "quantile.out": (X, Q),
    "quantile.scalar_out": (X, 0.5),
    "rad2deg.out": (X,),
    "row_stack.out": ([X, X],),
    "scatter_reduce.two_out": (X, 0, torch.zeros(1, 3, dtype=torch.int64), X, "prod"),
    "searchsorted.Tensor_out": (EDGES, X),
    "searchsorted.Scalar_out": (EDGES, 2.0),
    "signbit.out": (X,),
    "vstack.out": ([X, X],),
}
# Other dtypes of `out`, and what PyTorch says.
EXACT = "Expected out tensor to have dtype float, but got int instead"
REFUSED: dict[str, tuple[type[Exception], str]] = {
    "column_stack": (TypeError, "torch.cat(): input types can't be cast to the desired output"),
    "complex": (
        RuntimeError,
        "Expected object of scalar type ComplexFloat but got scalar type Int",
    ),
    "cross": (RuntimeError, EXACT),
    "deg2rad": (RuntimeError, "result type Float can't be cast to the desired output type Int"),
    "diag": (RuntimeError, EXACT),
    "float_power": (RuntimeError, "the output given to float_power has dtype Int but the"),
    "histc": (RuntimeError, "torch.histogram: input tensor and hist tensor should have the same"),
    "kthvalue": (RuntimeError, "output values must be of same type as input"),
    "linalg_inv": (RuntimeError, EXACT),
    "logit": (RuntimeError, "result type Float can't be cast to the desired output type Int"),
    "mode": (RuntimeError, "expected scalar type 'Float' but got 'Int' for values output"),
    "nansum": (NotImplementedError, "\"nansum_cpu\" not implemented for 'Int'"),
    "quantile": (RuntimeError, "quantile() out tensor must be same dtype as the input tensor"),
    "searchsorted": (RuntimeError, "torch.searchsorted(): output tensor's dtype is wrong"),
    "signbit": (RuntimeError, "signbit does not support non-boolean outputs."),
}


def outputs(overload: Any, like: Any, dtype: torch.dtype | None = None) -> dict[str, torch.Tensor]:
    """Return empty tensors for the written arguments of an overload."""
    written = [a.name for a in overload._schema.arguments if a.alias_info is not None]
    results = like if isinstance(like, tuple) else (like,)
    return {
        name: torch.empty(0, dtype=dtype or result.dtype)
        for name, result in zip(written, results, strict=True)
    }


@pytest.mark.parametrize("name", CASES)
def test_overload_writes_the_result(name: str) -> None:
    packet, overload_name = name.split(".")
    packets = getattr(torch.ops.aten, packet)
    overload = getattr(packets, overload_name)
    expected = packets(*CASES[name])
    given = outputs(overload, expected)
    result = overload(*CASES[name], **given)
    results = result if isinstance(result, tuple) else (result,)
    for got, out in zip(results, given.values(), strict=True):
        assert got is out or got.data_ptr() == out.data_ptr()
    torch.testing.assert_close(results, expected if isinstance(expected, tuple) else (expected,))


@pytest.mark.parametrize("name", REFUSED)
def test_other_dtypes_are_refused_with_pytorchs_words(name: str) -> None:
    full_name = next(key for key in CASES if key.split(".")[0] == name)
    overload = getattr(getattr(torch.ops.aten, name), full_name.split(".")[1])
    expected = getattr(torch.ops.aten, name)(*CASES[full_name])
    error, message = REFUSED[name]
    with pytest.raises(error) as caught:
        overload(*CASES[full_name], **outputs(overload, expected, torch.int32))
    assert str(caught.value).startswith(message)


def test_arguments_that_need_gradients_are_refused() -> None:
    leaf = A.clone().requires_grad_()
    with pytest.raises(RuntimeError, match=r"functions with out=\.\.\. arguments don't support"):
        torch.linalg.inv(leaf, out=torch.empty(0))
    with pytest.raises(RuntimeError, match=r"functions with out=\.\.\. arguments don't support"):
        torch.hstack([leaf, leaf], out=torch.empty(0))


def test_written_tensors_keep_their_strides() -> None:
    out = torch.empty(3, 3).t()
    torch.linalg.inv(A, out=out)
    assert out.stride() == (1, 3)
    torch.testing.assert_close(out, torch.linalg.inv(A))


def test_resized_tensors_get_the_strides_of_the_result() -> None:
    out = torch.empty(0)
    torch.linalg.inv(A, out=out)
    assert out.stride() == torch.linalg.inv(A).stride() == (1, 3)


def test_linspace_of_exponents_has_other_bases_and_shapes() -> None:
    out = torch.empty(2, 2)
    assert torch.logspace(0, 3, 4, base=2, out=out) is out
    assert out.tolist() == [[1.0, 2.0], [4.0, 8.0]]
    with pytest.raises(RuntimeError, match="logspace only supports 0-dimensional"):
        torch.logspace(torch.ones(2), 3, 4)

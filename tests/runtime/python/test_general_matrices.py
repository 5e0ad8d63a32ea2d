"""Eigenvalues of general matrices, factors of indefinite ones, reflectors, and lobpcg."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import torch

linalg = torch.linalg
DTYPES = (torch.float64, torch.complex128)


def random(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvectors_belong_to_their_values(dtype: torch.dtype) -> None:
    A = random(3, 6, 6, dtype=dtype)
    values, vectors = linalg.eig(A)
    assert values.dtype == vectors.dtype == torch.complex128
    torch.testing.assert_close(A.to(values.dtype) @ vectors, vectors * values.unsqueeze(-2))
    lengths = vectors.abs().square().sum(-2)
    torch.testing.assert_close(lengths, torch.ones_like(lengths))
    torch.testing.assert_close(linalg.eigvals(A).sum(-1), values.sum(-1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_of_eig_do_not_depend_on_the_scale_of_vectors(dtype: torch.dtype) -> None:
    A = random(4, 4, dtype=dtype).requires_grad_()

    def function(A: torch.Tensor) -> Any:
        values, vectors = linalg.eig(A)
        return values.square().sum().abs(), vectors.abs().square() @ values.abs()

    assert torch.autograd.gradcheck(function, (A,))
    assert torch.autograd.gradgradcheck(function, (A,))


@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ldl_solves_indefinite_equations(dtype: torch.dtype, hermitian: bool) -> None:
    A = random(2, 5, 5, dtype=dtype)
    A = A + (A.mH if hermitian else A.mT)
    B = random(5, 3, dtype=dtype, seed=1)
    result = linalg.ldl_solve(*linalg.ldl_factor(A, hermitian=hermitian), B, hermitian=hermitian)
    torch.testing.assert_close(A @ result, B.expand(2, 5, 3))


def test_a_singular_factor_is_an_error_only_if_it_is_checked() -> None:
    A = torch.zeros(2, 2)
    assert linalg.ldl_factor_ex(A).info == 1
    with pytest.raises(linalg.LinAlgError, match="singular"):
        linalg.ldl_factor(A)


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ormqr_multiplies_by_the_whole_matrix(
    dtype: torch.dtype, transpose: bool, left: bool
) -> None:
    a, tau = torch.geqrf(random(4, 3, dtype=dtype))
    padded = torch.cat((a, torch.zeros(4, 1, dtype=dtype)), 1)
    Q = linalg.householder_product(padded, tau)
    Q = Q.mH if transpose else Q
    other = random(4, 4, dtype=dtype, seed=2)
    expected = Q @ other if left else other @ Q
    torch.testing.assert_close(torch.ormqr(a, tau, other, left, transpose), expected)


A, VECTOR = torch.eye(3), torch.ones(3)
LD, PIVOTS = torch.eye(3), torch.arange(1, 4, dtype=torch.int32)
REFUSED = {
    "eig of a rectangle": (lambda: linalg.eig(A[:2]), RuntimeError, "square"),
    "eig of integers": (lambda: linalg.eig(A.int()), RuntimeError, "Complex ScalarType"),
    "eig of halves": (lambda: linalg.eig(A.half()), NotImplementedError, "linalg_eig"),
    "eig of NaN": (lambda: linalg.eig(A * float("nan")), RuntimeError, "infs or NaNs"),
    "eigvals of a vector": (lambda: linalg.eigvals(VECTOR), RuntimeError, "at least 2"),
    "eigvals to reals": (
        lambda: linalg.eigvals(A, out=torch.empty(0)),
        RuntimeError,
        "safely castable",
    ),
    "ldl of integers": (lambda: linalg.ldl_factor(A.int()), RuntimeError, "floating point"),
    "ldl with float pivots": (
        lambda: linalg.ldl_solve(LD, VECTOR, A),
        RuntimeError,
        "pivots to be integers",
    ),
    "ldl with too few pivots": (
        lambda: linalg.ldl_solve(LD, PIVOTS[:2], A),
        RuntimeError,
        "pivots.shape",
    ),
    "ldl of other sizes": (
        lambda: linalg.ldl_solve(LD, PIVOTS, A[:2]),
        RuntimeError,
        "Incompatible matrix sizes",
    ),
    "a wide householder product": (
        lambda: linalg.householder_product(A[:2], VECTOR),
        RuntimeError,
        "greater than or equal",
    ),
    "householder product of two dtypes": (
        lambda: linalg.householder_product(A, VECTOR.double()),
        RuntimeError,
        "does not match",
    ),
    "geqrf of a vector": (lambda: torch.geqrf(VECTOR), RuntimeError, "at least 2"),
    "ormqr of other sizes": (
        lambda: torch.ormqr(A, VECTOR, A[:2]),
        RuntimeError,
        "tau.shape|other.shape",
    ),
    "a complex order of a norm": (
        lambda: linalg.vector_norm(VECTOR, 2j),
        RuntimeError,
        "Expected a non-complex scalar",
    ),
    "chain_matmul of nothing": (torch.chain_matmul, RuntimeError, "one or more matrices"),
    "lobpcg of a small matrix": (lambda: torch.lobpcg(A, k=2), ValueError, "not applicable"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_arguments_are_refused(name: str) -> None:
    call, error, pattern = REFUSED[name]
    with pytest.raises(error, match=pattern):
        call()


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("method", ["basic", "ortho"])
def test_lobpcg_finds_the_extreme_pairs(method: str, largest: bool) -> None:
    A = random(40, 40)
    A = A @ A.mT + torch.eye(40)
    start = random(40, 3, seed=3)
    values, vectors = torch.lobpcg(A, X=start, method=method, largest=largest)
    expected = linalg.eigvalsh(A)
    torch.testing.assert_close(values, expected.flip(0)[:3] if largest else expected[:3])
    torch.testing.assert_close(A @ vectors, vectors * values, atol=1e-4, rtol=1e-4)


def test_lobpcg_weights_and_preconditions() -> None:
    A = torch.diag(torch.arange(1.0, 31.0, dtype=torch.float64))
    B = random(30, 30)
    B = B @ B.mT + 30 * torch.eye(30)
    seen: list[int] = []

    def tracker(state: Any) -> None:
        seen.append(state.ivars["istep"])

    start = random(30, 2, seed=4)
    values, vectors = torch.lobpcg(
        A, B=B, X=start, iK=linalg.inv(A), largest=False, tracker=tracker
    )
    torch.testing.assert_close(A @ vectors, B @ vectors * values, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(vectors.mT @ B @ vectors, torch.eye(2, dtype=A.dtype))
    assert seen == list(range(len(seen))) and len(seen) > 1


@pytest.mark.parametrize("largest", [False, True])
def test_lobpcg_has_gradients(largest: bool) -> None:
    A = random(9, 9)
    A = (A @ A.mT).requires_grad_()
    start = random(9, 2, seed=5)

    def function(A: torch.Tensor) -> Any:
        values, vectors = torch.lobpcg(A, X=start, largest=largest, tol=1e-13, niter=200)
        return values, vectors.square()

    assert torch.autograd.gradcheck(function, (A,), atol=1e-4)


FACTORIES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a layout with a dimension twice": (
        lambda: torch.empty_permuted((2, 3), (0, 0)),
        RuntimeError,
        "Duplicate",
    ),
    "a layout of another length": (
        lambda: torch.empty_permuted((2, 3), (0,)),
        RuntimeError,
        "does not match",
    ),
    "a step away from the end": (lambda: torch.range(4, 1), RuntimeError, "inconsistent"),
    "no step": (lambda: torch.range(1, 4, 0), RuntimeError, "nonzero"),
    "an infinite range": (lambda: torch.range(1, float("inf")), RuntimeError, "unsupported"),
    "a sum by index": (
        lambda: torch.index_reduce(VECTOR, 0, PIVOTS - 1, VECTOR, "sum"),
        RuntimeError,
        "prod, mean, amax or amin",
    ),
    "an index out of range": (
        lambda: torch.index_reduce(VECTOR, 0, PIVOTS + 1, VECTOR, "prod"),
        IndexError,
        "out of range",
    ),
    "slices of another shape": (
        lambda: torch.index_reduce(A, 0, PIVOTS - 1, A[:, :2], "prod"),
        RuntimeError,
        "must match",
    ),
    "a histogram of a vector": (
        lambda: torch.histogramdd(VECTOR, 2),
        RuntimeError,
        "at least 2 dimensions",
    ),
    "too few bins": (lambda: torch.histogramdd(A, [2]), RuntimeError, "size of bins"),
    "hashes of no dimension": (lambda: torch.hash_tensor(A, 5), IndexError, "but got 5"),
    "hashes of a dimension twice": (
        lambda: torch.hash_tensor(A, (0, -2)),
        RuntimeError,
        "dim 0 appears multiple times",
    ),
    "a hash of nothing": (
        lambda: torch.hash_tensor(torch.ones(2, 0), (0, 1)),
        IndexError,
        "dim 1 to have non-zero size",
    ),
    "an unknown hash": (lambda: torch.hash_tensor(A, mode=1), RuntimeError, "mode"),
}


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("name", FACTORIES)
def test_composed_functions_check_their_arguments(name: str) -> None:
    call, error, pattern = FACTORIES[name]
    with pytest.raises(error, match=pattern):
        call()


def test_index_reduce_has_gradients() -> None:
    x, source = random(3, 4).requires_grad_(), random(2, 4, seed=1).requires_grad_()
    index = torch.tensor([2, 0])
    for reduce in ("prod", "mean", "amax"):
        assert torch.autograd.gradcheck(
            lambda x, y, reduce=reduce: torch.index_reduce(x, 0, index, y, reduce), (x, source)
        )

"""Factorizations of all the sizes for which the host has methods of its own."""

from __future__ import annotations

import numpy
import pytest

import torch
from torch import linalg

pytestmark = pytest.mark.skipif(not torch._C.has_lapack, reason="needs LAPACK, such as OpenBLAS")
SINGLE_AND_DOUBLE = pytest.mark.parametrize("dtype", [torch.float32, torch.float64])


def random(*shape: int, dtype: torch.dtype, seed: int = 0) -> torch.Tensor:
    values = numpy.random.RandomState(seed).standard_normal(shape)
    return torch.from_numpy(values).to(dtype)


def near(dtype: torch.dtype, size: int) -> float:
    """Return an error that rounding explains in results of about 1."""
    return 20 * torch.finfo(dtype).eps * max(size, 4)


def check_unitary(Q: torch.Tensor) -> None:
    unit = torch.eye(Q.shape[-1], dtype=Q.dtype).expand(*Q.shape[:-2], -1, -1)
    torch.testing.assert_close(Q.mT @ Q, unit, rtol=0, atol=near(Q.dtype, Q.shape[-2]))


# ---- QR


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "shape", [(129, 31), (33, 33), (70, 65), (300, 90), (90, 300), (512, 256), (2100, 40)]
)
def test_qr_of_large_matrices(shape: tuple[int, int], threads: int, dtype: torch.dtype) -> None:
    A = random(2, *shape, dtype=dtype)
    A[1, :, 3] = 0
    A[1, 10:, 20] = 0
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for B in (A, A[1], A[0] * 1e25, A[0] * 1e-25):
            Q, R = linalg.qr(B)
            check_unitary(Q)
            assert (R.tril(-1) == 0).all()
            size = B.abs().max()
            torch.testing.assert_close(Q @ (R / size), B / size, rtol=0, atol=near(dtype, shape[0]))
    finally:
        torch.set_num_threads(before)


@SINGLE_AND_DOUBLE
def test_complete_and_partial_products_of_reflectors(dtype: torch.dtype) -> None:
    A = random(150, 70, dtype=dtype)
    Q, R = linalg.qr(A, mode="complete")
    check_unitary(Q)
    torch.testing.assert_close(Q @ R, A, rtol=0, atol=near(dtype, 1000))
    factors, tau = torch.geqrf(A)
    part = linalg.householder_product(factors, tau[:50])
    check_unitary(part)
    torch.testing.assert_close(part[:, :50], Q[:, :50], rtol=0, atol=near(dtype, 150))


# ---- LU


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize(
    "shape",
    [
        *((33, 33), (40, 90), (90, 40), (65, 64), (129, 129), (192, 192)),
        *((256, 256), (300, 210), (210, 300), (193, 500), (520, 520), (700, 75)),
    ],
)
def test_lu_of_large_matrices(shape: tuple[int, int], dtype: torch.dtype) -> None:
    A = random(2, *shape, dtype=dtype)
    LU, pivots = linalg.lu_factor(A)
    P, L, U = torch.lu_unpack(LU, pivots)
    assert L.abs().max() <= 1
    assert (L.triu(1) == 0).all()
    assert (L.diagonal(0, -2, -1) == 1).all()
    assert (U.tril(-1) == 0).all()
    torch.testing.assert_close(P @ L @ U, A, rtol=0, atol=near(dtype, 10 * shape[0]))


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (9, 4), (16, 16), (17, 30), (32, 32), (31, 20)])
@pytest.mark.parametrize("scale", [1e-41, 1.0, 1e30])
def test_lu_of_small_matrices(scale: float, shape: tuple[int, int], dtype: torch.dtype) -> None:
    A = random(4, *shape, dtype=dtype)
    A[1, :, 0] = 0
    A[2, shape[0] // 2 :] = A[2, :1]
    A[3] = 1
    A = A * scale
    result = linalg.lu_factor_ex(A)
    P, L, U = torch.lu_unpack(result.LU, result.pivots)
    assert L.abs().max() <= 1
    size = A.abs().max()
    atol = near(dtype, shape[0]) if scale > 1e-30 else 0.05
    torch.testing.assert_close(P @ L @ (U / size), A / size, rtol=0, atol=atol)
    assert result.info[1] == 1
    assert result.info[3] == (0 if min(shape) == 1 else 2)


@pytest.mark.parametrize("n", [4, 100, 250])
def test_lu_of_nan_is_nan(n: int) -> None:
    LU = linalg.lu_factor_ex(torch.full((n, n), torch.nan)).LU
    assert LU.isnan().all()


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("n", [40, 100, 250])
@pytest.mark.parametrize("scale", [1e-41, 1e-30, 1e30])
def test_lu_of_any_scale(scale: float, n: int, dtype: torch.dtype) -> None:
    A = random(n, n, dtype=dtype) * scale
    P, L, U = linalg.lu(A)
    assert L.abs().max() <= 1
    size = A.abs().max()
    atol = near(dtype, 10 * n) if scale > 1e-35 else 0.1
    torch.testing.assert_close(P @ L @ (U / size), A / size, rtol=0, atol=atol)


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [1, 5, 32, 33, 64, 65, 100, 200, 330])
def test_inverses_of_all_sizes(n: int, threads: int, dtype: torch.dtype) -> None:
    A = random(2, n, n, dtype=dtype)
    A[1] = torch.eye(n, dtype=dtype).flip(0) * 2  # every row changes places
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        inverse = linalg.inv(A)
        alone = linalg.inv(A[0].mT).mT
    finally:
        torch.set_num_threads(before)
    want = torch.from_numpy(numpy.linalg.inv(A.double().numpy()))
    condition = float(want[0].norm() * A[0].norm())
    for found in (inverse[0], alone):
        error = (found.double() - want[0]).norm() / want[0].norm()
        assert error <= 4 * torch.finfo(dtype).eps * condition
    assert (inverse[1] == A[1].mT / 4).all()


@pytest.mark.parametrize("n", [3, 100])
def test_a_singular_matrix_has_no_inverse(n: int) -> None:
    A = random(2, n, n, dtype=torch.float64)
    A[1, :, 2] = 0
    with pytest.raises(linalg.LinAlgError, match="The diagonal element 3 is zero"):
        linalg.inv(A)
    inverse, info = linalg.inv_ex(A)
    assert info.tolist() == [0, 3]
    torch.testing.assert_close(inverse[0] @ A[0], torch.eye(n, dtype=torch.float64))


def test_lu_reports_the_first_zero_pivot_of_a_large_matrix() -> None:
    A = random(256, 256, dtype=torch.float64)
    A[:, 150] = 0
    A[:, 200] = 0
    assert linalg.lu_factor_ex(A).info == 151
    assert linalg.lu_factor_ex(random(256, 256, dtype=torch.float64)).info == 0


# ---- symmetric matrices


def symmetric(kind: str, n: int, dtype: torch.dtype) -> torch.Tensor:
    A = random(n, n, dtype=dtype)
    match kind:
        case "diagonal":
            return torch.diag(torch.arange(n, 0, -1).to(dtype))
        case "unit":
            return torch.eye(n, dtype=dtype)
        case "of rank one":
            return A[:1].mT @ A[:1]
        case "of few eigenvalues":
            Q = linalg.qr(A).Q
            return Q @ torch.diag((torch.arange(n) % 3).to(dtype)) @ Q.mT
        case "graded":
            steps = torch.logspace(0, -12, n, dtype=dtype)
            return (A + A.mT) * steps * steps.unsqueeze(-1)
        case "in two blocks":
            A[: n // 2, n // 2 :] = A[n // 2 :, : n // 2] = 0
    return A + A.mT


KINDS = ["general", "diagonal", "unit", "of rank one", "of few eigenvalues", "graded"]


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("kind", [*KINDS, "in two blocks"])
def test_eigenvalues_of_symmetric_matrices(kind: str, uplo: str, dtype: torch.dtype) -> None:
    for n in (1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 64, 71, 128, 200):
        A = symmetric(kind, n, dtype)
        size = max(float(A.abs().max()), 1e-3) * n
        want = torch.from_numpy(numpy.linalg.eigvalsh(A.double().numpy())).to(dtype)
        given = A.tril() if uplo == "L" else A.triu()
        values, Q = linalg.eigh(given, UPLO=uplo)
        check_unitary(Q)
        atol = near(dtype, n) * size
        torch.testing.assert_close(values, want, rtol=0, atol=atol)
        torch.testing.assert_close(Q * values @ Q.mT, A, rtol=0, atol=atol)
        alone = linalg.eigvalsh(given, UPLO=uplo)
        torch.testing.assert_close(alone, want, rtol=0, atol=atol)
        assert (values.diff() >= 0).all()
        assert (alone.diff() >= 0).all()


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("n", [4, 20, 130])
def test_eigenvalues_read_one_triangle(n: int, dtype: torch.dtype) -> None:
    A = symmetric("general", n, dtype)
    want = linalg.eigvalsh(A)
    tolerance = {"rtol": 0, "atol": near(dtype, n) * n}
    for uplo, other in (("L", torch.triu), ("U", torch.tril)):
        for nothing in (torch.nan, 9.0):
            given = A + other(torch.full_like(A, nothing), 1 if uplo == "L" else -1)
            torch.testing.assert_close(linalg.eigvalsh(given, UPLO=uplo), want, **tolerance)
            values = linalg.eigh(given, UPLO=uplo).eigenvalues
            torch.testing.assert_close(values, want, **tolerance)


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("n", [3, 16, 50, 150])
@pytest.mark.parametrize("scale", [0.0, 1e-36, 1e-18, 1e18, 1e34])
def test_eigenvalues_of_any_size(scale: float, n: int, dtype: torch.dtype) -> None:
    A = symmetric("general", n, dtype)
    want = linalg.eigvalsh(A)
    values, Q = linalg.eigh(A * scale)
    check_unitary(Q)
    for found in (values, linalg.eigvalsh(A * scale)):
        divided = found / scale if scale else found + want
        torch.testing.assert_close(divided, want, rtol=0, atol=near(dtype, n) * n)


@pytest.mark.parametrize("n", [3, 40, 150])
def test_nan_fails_or_passes_on_to_eigenvalues(n: int) -> None:
    A = symmetric("general", n, torch.float32)
    A[n - 1, 0] = torch.nan
    for call in (linalg.eigvalsh, lambda A: linalg.eigh(A).eigenvalues):
        try:
            assert call(A).isnan().any()
        except linalg.LinAlgError as error:
            assert "failed to converge" in str(error)


# ---- singular values


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 9), (16, 16), (40, 32), (7, 90), (32, 100), (33, 33)]
)
def test_singular_values_alone(shape: tuple[int, int], dtype: torch.dtype) -> None:
    A = random(4, *shape, dtype=dtype)
    A[1, :, : shape[1] // 2] = 0
    A[2] = A[2, :, :1] @ A[2, :1, :]
    A[3] = 1
    for scale in (1.0, 1e-25, 1e25):
        found = linalg.svdvals(A * scale) / scale
        want = torch.from_numpy(numpy.linalg.svd(A.double().numpy(), compute_uv=False))
        atol = near(dtype, max(shape)) * float(want.max())
        torch.testing.assert_close(found, want.to(dtype), rtol=0, atol=atol)
        assert (found.diff(dim=-1) <= 0).all()
    assert (linalg.svdvals(A * 0) == 0).all()


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("shape", [(4, 2), (64, 32), (300, 100), (512, 256)])
def test_singular_vectors_of_tall_matrices(shape: tuple[int, int], dtype: torch.dtype) -> None:
    A = random(2, *shape, dtype=dtype)
    A[1, :, 0] = A[1, :, 1]
    for scale in (1.0, 1e-25, 1e25):
        U, S, Vh = linalg.svd(A * scale, full_matrices=False)
        check_unitary(U)
        check_unitary(Vh.mT)
        atol = near(dtype, shape[0]) * float(S.max() / scale)
        torch.testing.assert_close(U * (S / scale).unsqueeze(-2) @ Vh, A, rtol=0, atol=atol)
    torch.testing.assert_close(linalg.svdvals(A * scale), S, rtol=1e-4, atol=atol * scale)


@pytest.mark.parametrize("n", [3, 40])
def test_nan_has_no_singular_values(n: int) -> None:
    A = random(3 * n, n, dtype=torch.float32)
    A[n, 1] = torch.nan
    for call in (linalg.svdvals, linalg.svd):
        with pytest.raises(torch.linalg.LinAlgError, match="non-finite"):
            call(A)


# ---- chains of products


def test_chains_take_the_cheapest_order() -> None:
    a, b, c = (torch.ones(*shape) for shape in ((1, 900), (900, 900), (900, 1)))
    assert linalg.multi_dot([a, b, b, c]) == 900.0**3
    with pytest.raises(RuntimeError, match="expected at least 2 tensors but got 1"):
        linalg.multi_dot([a])
    with pytest.raises(RuntimeError, match="tensor 1 must be 2D but got 1D"):
        linalg.multi_dot([a, torch.ones(900), c])
    out = torch.empty(0)
    assert linalg.multi_dot([a, c], out=out) is out
    assert out == 900


def test_norm_takes_the_nuclear_norm() -> None:
    x = torch.arange(6.0).view(2, 3)
    values = torch.linalg.svdvals(x).sum()
    torch.testing.assert_close(torch.norm(x, p="nuc"), values)
    torch.testing.assert_close(x.norm("nuc"), values)
    batch = torch.norm(x.expand(2, 2, 3), p="nuc", dim=(1, 2), keepdim=True)
    torch.testing.assert_close(batch, values.expand(2, 1, 1))
    with pytest.raises(RuntimeError, match="dim must be a 2-tuple"):
        torch.norm(x, p="nuc", dim=1)
    with pytest.raises(RuntimeError, match="Order foo not supported"):
        torch.norm(x, p="foo")

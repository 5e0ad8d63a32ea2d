"""Triangular systems, least squares, QR of small matrices and cross products, by their definitions.

The sizes are those at which another algorithm takes over.
"""

from __future__ import annotations

import math

import numpy
import pytest

import torch

linalg = torch.linalg


def random(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def triangle(n: int, upper: bool, dtype: torch.dtype, *batch: int) -> torch.Tensor:
    A = random(*batch, n, n, dtype=dtype) / n
    A = A + torch.eye(n, dtype=dtype)
    return A.triu() if upper else A.tril()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize(
    ("n", "columns"),
    [
        *((1, 1), (7, 3), (8, 8), (61, 9), (64, 17), (100, 33)),
        *((130, 70), (139, 24), (256, 8), (530, 3), (301, 65), (300, 130)),
    ],
)
def test_triangular_systems_of_all_sizes(
    n: int, columns: int, upper: bool, dtype: torch.dtype
) -> None:
    A, B = triangle(n, upper, dtype), random(n, columns, dtype=dtype, seed=1)
    mixed = torch.where(A != 0, A, torch.nan)  # the other triangle is not read
    of_columns = mixed.mT.contiguous().mT
    within = torch.zeros(n + 3, n + 5, dtype=dtype)[1 : n + 1, 2 : n + 2].copy_(mixed)
    for matrix in (mixed, of_columns, within, within.mT.contiguous().mT):
        X = linalg.solve_triangular(matrix, B, upper=upper)
        torch.testing.assert_close(A @ X, B, rtol=1e-4, atol=1e-5)
    X = linalg.solve_triangular(mixed.mT, B, upper=not upper)
    torch.testing.assert_close(A.mT @ X, B, rtol=1e-4, atol=1e-5)
    X = linalg.solve_triangular(mixed, B.mT, upper=upper, left=False)
    torch.testing.assert_close(X @ A, B.mT, rtol=1e-4, atol=1e-5)
    unit = mixed.clone()
    unit.diagonal().fill_(5)
    X = linalg.solve_triangular(unit, B, upper=upper, unitriangular=True)
    A.diagonal().fill_(1)
    torch.testing.assert_close(A @ X, B, rtol=1e-4, atol=1e-5)
    assert (unit.diagonal() == 5).all()


@pytest.mark.parametrize("upper", [False, True])
def test_triangular_systems_in_batches(upper: bool) -> None:
    A, B = triangle(17, upper, torch.float64, 5, 2), random(5, 1, 17, 9)
    for matrix in (A, A.mT.contiguous().mT, A[:, :1].expand(5, 2, 17, 17)):
        X = linalg.solve_triangular(matrix, B, upper=upper)
        torch.testing.assert_close(matrix @ X, B.expand(5, 2, 17, 9))


@pytest.mark.parametrize("columns", [1, 9, 40])
@pytest.mark.parametrize("upper", [False, True])
def test_a_singular_triangle_gives_infinities(upper: bool, columns: int) -> None:
    A = torch.eye(20)
    A[10, 10] = 0
    B = torch.ones(20, columns)
    X = linalg.solve_triangular(A, B, upper=upper)
    assert X[10].isinf().all()
    assert (X[11:] if upper else X[:10]).isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize(("n", "columns"), [(1, 1), (3, 20), (20, 9), (70, 70), (300, 3)])
def test_extreme_diagonals_divide_numbers_of_their_size(
    n: int, columns: int, dtype: torch.dtype
) -> None:
    limits = torch.finfo(dtype)
    units = (torch.arange(n * columns).reshape(n, columns) % 8 + 1).to(dtype) / 8
    pivots = torch.arange(1, n + 1, dtype=torch.int32)
    # Neither the reciprocals nor the squares of these are normal numbers.
    for size in (limits.tiny / 8, limits.tiny, limits.tiny * 2, limits.max / 2, limits.max):
        for direction in (1, -1j, 1 + 1j, 0.5 - 1j) if dtype.is_complex else (1, -1):
            A, B = torch.eye(n, dtype=dtype) * (size * direction), units * size
            for found in (
                linalg.solve_triangular(A, B, upper=False),
                linalg.solve_triangular(A, B, upper=True),
                linalg.solve_triangular(A, B.mT, upper=True, left=False).mT,
                linalg.lu_solve(A, pivots, B),
                linalg.solve(A, B),
            ):
                torch.testing.assert_close(found, units / direction, rtol=1e-6, atol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("n", [3, 40])
def test_inverses_of_extreme_matrices(n: int, dtype: torch.dtype) -> None:
    limits = torch.finfo(dtype)
    A = torch.eye(n, dtype=dtype) + random(n, n, dtype=dtype).tril(-1) / n
    want = linalg.inv(A)
    for size in (2 * limits.tiny, 0.25 / limits.tiny):
        torch.testing.assert_close(linalg.inv(A * size) * size, want)
        root = size**0.5
        torch.testing.assert_close(
            torch.cholesky_solve(torch.eye(n, dtype=dtype) * root, A * root) * root,
            torch.cholesky_inverse(A),
        )


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("n", [5, 100, 300])
def test_factors_solve_with_either_operation(n: int, dtype: torch.dtype) -> None:
    A, B = random(n, n, dtype=dtype), random(n, 10, dtype=dtype, seed=1)
    LU, pivots = linalg.lu_factor(A)
    for factors in (LU, LU.contiguous()):
        torch.testing.assert_close(A @ linalg.lu_solve(factors, pivots, B), B)
        torch.testing.assert_close(A.mH @ linalg.lu_solve(factors, pivots, B, adjoint=True), B)
        X = linalg.lu_solve(factors, pivots, B.mT, left=False)
        torch.testing.assert_close(X @ A, B.mT)
    torch.testing.assert_close(A @ linalg.inv(A), torch.eye(n, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (16, 16), (37, 20), (20, 32), (128, 32)])
def test_qr_of_small_matrices(shape: tuple[int, int], scale: float, dtype: torch.dtype) -> None:
    A = random(3, *shape, dtype=dtype)
    A[1, :, 0] = 0
    A[2, 1:] = 0
    for mode in ("reduced", "complete"):
        Q, R = linalg.qr(A * scale, mode=mode)
        torch.testing.assert_close(Q @ R / scale, A, rtol=1e-5, atol=2e-5)
        torch.testing.assert_close(Q.mT @ Q, torch.eye(Q.shape[-1], dtype=dtype).expand(3, -1, -1))
        assert (R.tril(-1) == 0).all()


def test_qr_of_small_matrices_passes_nan_on() -> None:
    Q, R = linalg.qr(torch.full((4, 4), torch.nan))
    assert Q.isnan().all()
    assert R.triu().isnan().any()


@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex128])
@pytest.mark.parametrize("shape", [(40, 12), (12, 40), (20, 20), (300, 90), (1, 3), (3, 1)])
def test_least_squares(shape: tuple[int, int], dtype: torch.dtype, driver: str | None) -> None:
    A, B = random(2, *shape, dtype=dtype), random(2, shape[0], 5, dtype=dtype, seed=1)
    found = linalg.lstsq(A, B, driver=driver)
    for a, b, x in zip(A, B, found.solution, strict=True):
        want = numpy.linalg.lstsq(a.numpy(), b.numpy(), rcond=None)[0]
        torch.testing.assert_close(x, torch.from_numpy(want), rtol=2e-3, atol=2e-3)
    if driver != "gels":
        assert found.rank.tolist() == [min(shape)] * 2
    if driver in ("gelsd", "gelss"):
        torch.testing.assert_close(found.singular_values, linalg.svdvals(A))
    if shape[0] > shape[1] and driver not in (None, "gelsy"):
        rest = (A @ found.solution - B).abs().square().sum(-2)
        torch.testing.assert_close(found.residuals, rest, rtol=1e-3, atol=1e-4)
    else:
        assert found.residuals.numel() == 0


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_least_squares_finds_the_rank(scale: float) -> None:
    A = random(30, 4) @ random(4, 9, seed=1) * scale
    B = random(30, 2, seed=2)
    found = linalg.lstsq(A, B)
    assert found.rank == 4
    assert found.residuals.numel() == 0
    want = numpy.linalg.lstsq(A.numpy(), B.numpy(), rcond=None)[0]
    torch.testing.assert_close(found.solution, torch.from_numpy(want))
    nearly = torch.diag(torch.tensor([1.0, 1e-3, 1e-4], dtype=torch.float64)) * scale
    right = torch.full((3, 1), scale, dtype=torch.float64)
    for rcond, rank in ((1e-5, 3), (0.5e-3, 2), (1e-2, 1)):
        found = linalg.lstsq(nearly, right, rcond=rcond)
        assert found.rank == rank
        expected = torch.tensor([[1.0], [1e3], [1e4]], dtype=torch.float64)
        expected[rank:] = 0
        torch.testing.assert_close(found.solution, expected)


@pytest.mark.parametrize(("driver", "rank"), [("gelsd", 2), ("gelss", 0), ("gelsy", 1)])
def test_least_squares_with_a_cutoff_of_one(driver: str, rank: int) -> None:
    A, B = torch.diag(torch.tensor([2.0, 1.0])), torch.ones(2, 1)
    for matrix, right, least in ((A, B, rank), (A[:1, :1], B[:1], min(rank, 1))):
        found = linalg.lstsq(matrix, right, rcond=1.0, driver=driver)
        assert found.rank == least
        assert (found.solution == 0).all() == (least == 0)


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
@pytest.mark.parametrize("shape", [(30, 9), (9, 30), (120, 100)])
def test_least_squares_of_full_rank_need_no_singular_values(
    shape: tuple[int, int], scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    A, B = random(2, *shape), random(2, shape[0], 3, seed=1)
    want = linalg.pinv(A) @ B
    monkeypatch.setattr("torch.linalg._least_squares.pinv", None)
    found = linalg.lstsq(A * scale, B * scale)
    torch.testing.assert_close(found.solution, want)
    assert found.rank.tolist() == [min(shape)] * 2


def test_gradients_of_least_squares_and_results_without_agree() -> None:
    A, B = random(9, 4).requires_grad_(), random(9, 2, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(lambda A, B: linalg.lstsq(A, B).solution, (A, B))
    with torch.no_grad():
        direct = linalg.lstsq(A, B).solution
    torch.testing.assert_close(linalg.lstsq(A, B).solution, direct)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.complex64])
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_cross_products(dim: int, dtype: torch.dtype) -> None:
    shape = [70, 50, 20]
    shape[dim] = 3
    a, b = (random(*shape, seed=i).mul(9).to(dtype) for i in (0, 1))
    b = b.transpose(0, 2).contiguous().transpose(0, 2)
    want = numpy.cross(a.numpy(), b.numpy(), axis=dim)
    torch.testing.assert_close(linalg.cross(a, b, dim=dim), torch.from_numpy(want))
    one = b.select(1, 0).unsqueeze(1) if dim != 1 else b[:1]
    want = numpy.cross(a.numpy(), one.numpy(), axis=dim)
    torch.testing.assert_close(torch.cross(a, one, dim=dim), torch.from_numpy(want))


def test_cross_products_are_differentiable_and_mapped() -> None:
    a, b = random(5, 3, dtype=torch.complex128), random(1, 3, dtype=torch.complex128, seed=1)
    a, b = a.requires_grad_(), b.requires_grad_()
    assert torch.autograd.gradcheck(linalg.cross, (a, b), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(linalg.cross, (a, b))
    x, y = random(4, 3, 6), random(3, 6, seed=1)
    mapped = torch.vmap(lambda x: linalg.cross(x, y, dim=0))(x)
    torch.testing.assert_close(mapped, torch.stack([linalg.cross(each, y, dim=0) for each in x]))


def test_lu_factor_inside_transforms() -> None:
    """What says that a factor is singular is read where there is memory, below the wrapper."""
    A, tangent = random(3, 3), random(3, 3, seed=1)
    _, found = torch.func.jvp(lambda a: linalg.lu_factor(a)[0], (A,), (tangent,))
    step = 1e-6
    expected = linalg.lu_factor(A + step * tangent)[0] - linalg.lu_factor(A - step * tangent)[0]
    torch.testing.assert_close(found, expected / (2 * step), atol=1e-5, rtol=1e-5)
    batch = torch.stack([A, tangent])
    for mapped, plain in zip(
        torch.func.vmap(linalg.lu_factor)(batch), linalg.lu_factor(batch), strict=True
    ):
        torch.testing.assert_close(mapped, plain)
    with pytest.raises(RuntimeError, match="is zero and using it on lu_solve"):
        torch.func.jvp(linalg.lu_factor, (torch.zeros(2, 2),), (torch.ones(2, 2),))


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((2, 2), (), "other must have at least 1 dimension"),
        ((4, 3, 2), (4, 3, 2, 1), "must be greater or equal to other.dim"),
        ((5, 3, 2), (3,), r"\(input.dim\(\) - other.dim\(\)\) <= 1"),
        ((3, 2), (4,), r"input.size\(-2\) should match other.size\(-1\)"),
        ((3, 2), (4, 2), r"input.size\(-2\) should match other.size\(-2\)"),
        ((1, 1, 1), (3, 1), r"input.size\(-2\) should match other.size\(-2\)"),
        ((5, 3, 2), (3, 1), "match"),
    ],
)
def test_right_sides_of_least_squares_that_do_not_fit(
    a: tuple[int, ...], b: tuple[int, ...], message: str
) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.linalg.lstsq(torch.ones(a), torch.ones(b))


def test_factors_of_cholesky_are_checked() -> None:
    square, wide = torch.ones(2, 2), torch.ones(2, 3)
    for call, message in (
        (lambda: torch.cholesky_inverse(wide), "cholesky_inverse: A must be batches of square"),
        (lambda: torch.cholesky_inverse(square[0]), "cholesky_inverse: The input tensor A must"),
        (lambda: torch.cholesky_solve(square[0], square), "b should have at least 2 dimensions"),
        (lambda: torch.cholesky_solve(square, wide), "A must be batches of square matrices"),
        (lambda: torch.cholesky_solve(wide.mT, square), "each A matrix is 2 by 2 but each b"),
        (lambda: torch.cholesky_solve(square, square.double()), "Expected b and A to have the"),
    ):
        with pytest.raises(RuntimeError, match=message):
            call()


@pytest.mark.parametrize("pivot", [0, 4, -1])
def test_pivots_outside_the_matrix_are_refused(pivot: int) -> None:
    factors, pivots = torch.linalg.lu_factor(torch.eye(3))
    pivots = torch.full_like(pivots, pivot)
    with pytest.raises(RuntimeError, match="must be between 1 and LU"):
        torch.lu_unpack(factors, pivots)
    with pytest.raises(RuntimeError, match="Pivots given to lu_solve must all be"):
        torch.linalg.lu_solve(factors, pivots, torch.ones(3, 1))


@pytest.mark.parametrize(
    ("mode", "shape", "message"),
    [
        ("r", (2, 2), "depends on Q, which is not computed when mode='r'"),
        ("complete", (3, 2), "not differentiable when mode='complete' and nrows > ncols"),
    ],
)
def test_factors_without_a_gradient(mode: str, shape: tuple[int, int], message: str) -> None:
    a = torch.eye(*shape, requires_grad=True)
    with pytest.raises(RuntimeError, match=message):
        torch.linalg.qr(a, mode).R.sum().backward()


@pytest.mark.parametrize(
    ("driver", "rcond", "rank"),
    [("gels", 0.5, 2), ("gelsd", 2.0, 2), ("gelsd", 0.5, 1), ("gelsy", 0.5, 1), ("gelsy", 2.0, 1)],
)
def test_ranks_that_least_squares_assumes(driver: str, rcond: float, rank: int) -> None:
    A, b = torch.diag(torch.tensor([1.0, 0.25])), torch.ones(2, 1)
    found = torch.linalg.lstsq(A, b, rcond, driver=driver).solution
    assert found.flatten().tolist() == pytest.approx([1.0, 4.0 if rank == 2 else 0.0])


@pytest.mark.parametrize("upper", [False, True])
def test_gradient_of_a_factor_is_that_of_the_whole_equation(upper: bool) -> None:
    square = torch.rand(3, 3, dtype=torch.float64) + torch.eye(3)
    factor = (square.triu() if upper else square.tril()).requires_grad_()
    right = torch.rand(3, 2, dtype=torch.float64)
    matrix = factor.mT @ factor if upper else factor @ factor.mT
    for solved, inverse in (
        (torch.cholesky_solve(right, factor, upper), torch.linalg.solve(matrix, right)),
        (torch.cholesky_inverse(factor, upper), torch.linalg.inv(matrix)),
    ):
        found, expected = (
            torch.autograd.grad(x.square().sum(), factor, retain_graph=True)[0]
            for x in (solved, inverse)
        )
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", [1, 7, 64, 65, 150, 300])
def test_inverses_from_factors_of_cholesky(n: int, upper: bool, dtype: torch.dtype) -> None:
    square = torch.randn(n, n, dtype=dtype)
    matrix = square @ square.mH + n * torch.eye(n, dtype=dtype)
    factor = torch.linalg.cholesky(matrix, upper=upper)
    noise = torch.full((n, n), float("nan"), dtype=dtype)  # the other triangle is not read
    noisy = factor + (noise.tril(-1) if upper else noise.triu(1))
    for given in (factor, noisy, factor.mT.contiguous().mT, factor.mH.resolve_conj().mH):
        inverse = torch.cholesky_inverse(given, upper)
        error = (inverse @ matrix - torch.eye(n)).norm() / (matrix.norm() * inverse.norm())
        assert error < 10 * torch.finfo(dtype).eps
        assert torch.equal(inverse.tril(-1), inverse.triu(1).mH)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("upper", [False, True])
def test_inverses_from_factors_in_batches(upper: bool, dtype: torch.dtype) -> None:
    square = torch.randn(3, 2, 4, 4, dtype=dtype)
    matrices = square @ square.mH + 4 * torch.eye(4)
    factors = torch.linalg.cholesky(matrices, upper=upper)
    inverses = torch.cholesky_inverse(factors, upper)
    torch.testing.assert_close(inverses, torch.linalg.inv(matrices))
    mapped = torch.vmap(lambda factor: torch.cholesky_inverse(factor, upper))(factors)
    torch.testing.assert_close(mapped, inverses)
    triangle = torch.triu if upper else torch.tril
    one = factors[0, 0].requires_grad_()
    assert torch.autograd.gradcheck(lambda x: torch.cholesky_inverse(triangle(x), upper), one)
    assert torch.autograd.gradgradcheck(lambda x: torch.cholesky_inverse(triangle(x), upper), one)
    assert torch.cholesky_inverse(torch.empty(2, 0, 0, dtype=dtype)).shape == (2, 0, 0)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_complex_divisors_of_any_size(dtype: torch.dtype, scale: float) -> None:
    diagonal = torch.tensor([3 + 4j, -4j, 2, -1e-3 + 1j], dtype=torch.complex128) * scale
    A, B = torch.diag(diagonal).to(dtype), torch.eye(4, dtype=dtype)
    X = torch.linalg.solve_triangular(A, B, upper=False)
    torch.testing.assert_close(X.diagonal(), (1 / diagonal).to(dtype), rtol=1e-6, atol=0)


@pytest.mark.parametrize("columns", [1, 5, 40])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex64, torch.complex128])
def test_conjugate_systems_and_their_factors(dtype: torch.dtype, upper: bool, columns: int) -> None:
    n = 70
    A = triangle(n, upper, dtype, 2)
    B = random(n, columns, dtype=dtype, seed=1)
    for right in (B, B.conj()):
        for matrix, is_upper in ((A.mH, not upper), (A.conj(), upper), (A[0].mH, not upper)):
            X = linalg.solve_triangular(matrix, right, upper=is_upper)
            assert not X.is_conj()
            torch.testing.assert_close(matrix @ X, right.expand_as(X), rtol=1e-4, atol=1e-5)
            X = linalg.solve_triangular(matrix, right.mT, upper=is_upper, left=False)
            torch.testing.assert_close(X @ matrix, right.mT.expand_as(X), rtol=1e-4, atol=1e-5)
        X = torch.cholesky_solve(right.expand(2, n, columns), A, upper=upper)
        square = A.mH @ A if upper else A @ A.mH
        torch.testing.assert_close(square @ X, right.expand_as(X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_many_matrices_of_few_rows(n: int, dtype: torch.dtype) -> None:
    """Some are singular, have subnormal numbers or need every exchange of rows."""
    torch.manual_seed(0)
    a = torch.randn(50, n, n, dtype=torch.float64)
    a[1] = torch.eye(n).flip(0)
    tiny = torch.finfo(dtype).tiny
    a = a.to(dtype)
    right = torch.randn(50, n, 3, dtype=dtype)
    exact = torch.from_numpy(numpy.linalg.solve(a.double().numpy(), right.double().numpy()))
    bound = 1e-3 if dtype == torch.float32 else 1e-9
    for found in (torch.linalg.solve(a, right), torch.linalg.inv(a) @ right):
        torch.testing.assert_close(found.double(), exact, rtol=bound, atol=bound)
    det = torch.from_numpy(numpy.linalg.det(a.double().numpy()))
    torch.testing.assert_close(torch.linalg.det(a).double(), det, rtol=bound, atol=bound)
    p, lower, upper = torch.linalg.lu(a)
    torch.testing.assert_close(p @ lower @ upper, a)
    small = torch.eye(n, dtype=dtype) * (tiny / 8)
    assert torch.equal(torch.linalg.solve(small, small), torch.eye(n, dtype=dtype))
    a[7, :, n - 1] = 0
    assert torch.linalg.det(a)[7] == 0
    assert torch.linalg.inv_ex(a).info.nonzero().tolist() == [[7]]
    a[3, 0, 0] = torch.nan
    assert torch.linalg.inv_ex(a).inverse[3].isnan().any()


def test_least_squares_of_moderate_condition() -> None:
    """Conditions lie between those that the estimate accepts at once and the cutoff."""
    torch.manual_seed(0)
    q = torch.linalg.qr(torch.randn(80, 80, dtype=torch.float64)).Q
    right = torch.randn(80, 2)
    for condition in (1e2, 1e3, 1e4):
        values = torch.logspace(0, -math.log10(condition), 80, dtype=torch.float64)
        a = (q * values) @ q.flip(0).T
        found = torch.linalg.lstsq(a.float(), right)
        assert found.rank == 80
        exact = torch.linalg.solve(a.float().double(), right.double())
        error = (found.solution.double() - exact).norm() / exact.norm()
        assert error < 1e-5 * condition
    for digits in (6, 9, 20):
        a = (q * torch.logspace(0, -digits, 80, dtype=torch.float64)) @ q.flip(0).T
        assert torch.linalg.lstsq(a.float(), right).rank < 80

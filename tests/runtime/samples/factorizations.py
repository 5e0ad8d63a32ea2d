"""Samples of linear algebra. Factors are compared by what does not depend on their signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from .model import COMPLEX, FLOATS, Maker, Operator, Sample, sample

ANY = FLOATS + COMPLEX
linalg = torch.linalg
TOLERANCE = (2e-3, 2e-3)


def general(make: Maker, *shape: int) -> torch.Tensor:
    """Return matrices that are far from singular."""
    return make(*shape, low=-1, high=1) + 3 * torch.eye(*shape[-2:], dtype=make(1).dtype)


def hermitian(make: Maker, *shape: int) -> torch.Tensor:
    """Return positive-definite matrices with distinct eigenvalues."""
    x = make(*shape, low=-1, high=1)
    steps = torch.diag(torch.arange(1, shape[-1] + 1).to(x.dtype))
    return (x @ x.mH + 2 * steps).contiguous()


SHAPES = ((3, 3), (2, 4, 4), (0, 3, 3), (2, 0, 0), (1, 1))


def squares(kind: Callable[..., torch.Tensor], **kwargs: Any):
    def samples(make: Maker) -> Iterator[Sample]:
        for shape in SHAPES:
            yield sample(kind(make, *shape), **kwargs)
        yield sample(kind(make, 3, 3).mT, **kwargs)

    return samples


def upper_too(make: Maker) -> Iterator[Sample]:
    yield from squares(hermitian)(make)
    yield from squares(hermitian, upper=True)(make)


def rectangles(make: Maker) -> Iterator[Sample]:
    for shape in ((3, 3), (5, 3), (3, 5), (2, 4, 3), (0, 3, 2), (3, 0)):
        yield sample(make(*shape, low=-2, high=2))


def equations(make: Maker) -> Iterator[Sample]:
    yield sample(general(make, 3, 3), make(3, 2))
    yield sample(general(make, 3, 3), make(3))
    yield sample(general(make, 2, 3, 3), make(2, 3, 2))
    yield sample(general(make, 2, 3, 3), make(2, 3))
    yield sample(general(make, 2, 3, 3), make(3, 2))
    yield sample(general(make, 3, 3), make(2, 3), left=False)
    yield sample(general(make, 0, 0), make(0, 2))


def factored(make: Maker) -> Iterator[Sample]:
    factors, pivots = linalg.lu_factor(general(make, 3, 3))
    yield sample(factors, pivots, make(3, 2))
    yield sample(factors, pivots, make(3, 2), adjoint=True)
    yield sample(factors, pivots, make(2, 3), left=False)
    factors, pivots = linalg.lu_factor(general(make, 2, 3, 3))
    yield sample(factors, pivots, make(2, 3, 1))


def unpacked(make: Maker) -> Iterator[Sample]:
    for shape in ((3, 3), (5, 3), (3, 5), (2, 3, 3)):
        yield sample(*linalg.lu_factor(general(make, *shape)))
    yield sample(*linalg.lu_factor(general(make, 3, 3)), unpack_pivots=False)
    yield sample(*linalg.lu_factor(general(make, 3, 3)), unpack_data=False)


def triangles(make: Maker) -> Iterator[Sample]:
    for upper in (True, False):
        matrix = general(make, 3, 3)
        matrix = matrix.triu() if upper else matrix.tril()
        yield sample(matrix, make(3, 2), upper=upper)
        yield sample(matrix, make(2, 3), upper=upper, left=False)
        yield sample(matrix, make(3, 2), upper=upper, unitriangular=True)
        yield sample(matrix, make(2, 3, 2), upper=upper)


def of_eigh(A: torch.Tensor) -> Any:
    values, vectors = torch.linalg.eigh((A + A.mH) / 2)
    return values, (vectors * values.exp().unsqueeze(-2)) @ vectors.mH


def of_svd(A: torch.Tensor) -> Any:
    u, s, vh = torch.linalg.svd(A, full_matrices=False)
    return s, u @ vh


def of_qr(A: torch.Tensor) -> Any:
    q, r = torch.linalg.qr(A)
    return q @ r, r.abs()


def of_solve(A: torch.Tensor, B: torch.Tensor, left: bool = True) -> Any:
    return torch.linalg.solve(A, B, left=left)


def op(name: str, samples: Any, call: Any, **kwargs: Any) -> Operator:
    return Operator(name, samples, ANY, call=call, method=False, tolerance=TOLERANCE, **kwargs)


def of_eig(A: torch.Tensor) -> Any:
    """Return what the order and the phases of the pairs do not change."""
    values, vectors = torch.linalg.eig(A)
    weights = (values / 3).exp()
    return (vectors * weights.unsqueeze(-2)) @ torch.linalg.inv(vectors), (values**2).sum(-1)


def of_eigvals(A: torch.Tensor) -> Any:
    values = torch.linalg.eigvals(A)
    return (values**2).sum(-1), (values**3).sum(-1)


def of_eigvals_alone(A: torch.Tensor) -> Any:
    with torch.no_grad():
        return of_eigvals(A)


def solved_ldl(make: Maker) -> Iterator[Sample]:
    for is_hermitian in (False, True):
        for shape, columns in (((3, 3), (3, 2)), ((2, 4, 4), (4, 1)), ((1, 1), (5, 1, 2))):
            A = make(*shape, low=-3, high=3)
            A = A + A.mH if is_hermitian else A + A.mT
            LD, pivots = linalg.ldl_factor(A, hermitian=is_hermitian)
            yield sample(LD, pivots, make(*columns), hermitian=is_hermitian)


def indefinite(make: Maker) -> Iterator[Sample]:
    for shape in SHAPES:
        yield sample(make(*shape, low=-3, high=3))
        yield sample(make(*shape, low=-3, high=3), hermitian=True)


def of_ldl(A: torch.Tensor, hermitian: bool = False) -> Any:
    A = A + A.mH if hermitian else A + A.mT
    result = linalg.ldl_factor_ex(A, hermitian=hermitian)
    return result.LD, result.pivots


def tall(make: Maker) -> Iterator[Sample]:
    for shape, count in (((3, 3), 3), ((5, 3), 2), ((2, 4, 3), 3), ((0, 3, 2), 2), ((3, 0), 0)):
        batch = shape[:-2]
        yield sample(make(*shape, low=-1, high=1), make(*batch, count, low=-1, high=1))
    yield sample(make(3, 5, low=-1, high=1).mT, make(0))


def cholesky_factors(make: Maker) -> Iterator[Sample]:
    for upper in (False, True):
        yield sample(make(4, 2), general(make, 4, 4), upper)
        yield sample(make(3, 1, 4, 2), general(make, 2, 4, 4), upper)
        yield sample(make(0, 2), make(0, 0), upper)


def of_cholesky_solve(B: torch.Tensor, A: torch.Tensor, upper: bool) -> torch.Tensor:
    return torch.cholesky_solve(B, A.triu() if upper else A.tril(), upper)


def factors_to_invert(make: Maker) -> Iterator[Sample]:
    for upper in (False, True):
        yield sample(general(make, 4, 4), upper)
        yield sample(general(make, 2, 4, 4), upper)
        yield sample(make(0, 0), upper)


def of_cholesky_inverse(A: torch.Tensor, upper: bool) -> torch.Tensor:
    # LAPACK takes only the real part of a factor's diagonal.
    diagonal = A.diagonal(0, -2, -1).real.to(A.dtype).diag_embed()
    factor = diagonal + (A.triu(1) if upper else A.tril(-1))
    return torch.cholesky_inverse(factor, upper)


def chains(make: Maker) -> Iterator[Sample]:
    a, b, c, d = make(2, 3), make(3, 4), make(4, 5), make(5, 2)
    yield sample([a, b])
    yield sample([a, b, c])
    yield sample([d.mT, c.mT, b.mT, make(3)])
    yield sample([make(3), b, c, d])
    yield sample([make(3), make(3)])
    yield sample([make(0, 3), b, make(4, 0)])


def overdetermined(make: Maker) -> Iterator[Sample]:
    for batch in ((), (2,)):
        yield sample(make(*batch, 7, 3, low=-1, high=1), make(*batch, 7, 2))
    yield sample(general(make, 4, 4), make(4, 2))
    yield sample(make(40, 5, low=-1, high=1), make(40, 1))


def of_lstsq(A: torch.Tensor, B: torch.Tensor) -> Any:
    return linalg.lstsq(A, B).solution.contiguous()


def multiplied(make: Maker) -> Iterator[Sample]:
    for left in (True, False):
        for transpose in (True, False):
            for batch in ((), (2,)):
                a = make(*batch, 4, 3, low=-1, high=1)
                tau = make(*batch, 3, low=-1, high=1)
                other = make(*batch, *((4, 2) if left else (2, 4)), low=-1, high=1)
                yield sample(a, tau, other, left=left, transpose=transpose)


TABLE = [
    op("linalg_eig", squares(general), of_eig),
    op("linalg_eigvals", squares(general), of_eigvals),
    op("_linalg_eigvals", squares(general), of_eigvals_alone),
    op("linalg_ldl_factor_ex", indefinite, of_ldl, covers=("linalg_ldl_factor",)),
    op("linalg_ldl_solve", solved_ldl, linalg.ldl_solve),
    op("linalg_householder_product", tall, linalg.householder_product, covers=("orgqr",)),
    op("geqrf", rectangles, torch.geqrf),
    op("ormqr", multiplied, torch.ormqr),
    op(
        "linalg_cholesky_ex",
        upper_too,
        lambda A, upper=False: linalg.cholesky_ex((A + A.mH) / 2, upper=upper).L,
        covers=("linalg_cholesky",),
    ),
    op(
        "linalg_lu_factor_ex",
        squares(general),
        lambda A: linalg.lu_factor_ex(A).LU,
        covers=("linalg_lu_factor",),
    ),
    op("linalg_lu", rectangles, linalg.lu),
    op("lu_unpack", unpacked, lambda *a, **k: torch.lu_unpack(*a, **k)[1:]),
    op("linalg_lu_solve", factored, linalg.lu_solve),
    op("_cholesky_solve_helper", cholesky_factors, of_cholesky_solve),
    op("_cholesky_inverse_helper", factors_to_invert, of_cholesky_inverse),
    op("linalg_solve_triangular", triangles, linalg.solve_triangular),
    op("_linalg_solve_ex", equations, of_solve, covers=("linalg_solve", "linalg_solve_ex")),
    op("linalg_inv_ex", squares(general), linalg.inv, covers=("linalg_inv",)),
    op("_linalg_det", squares(general), linalg.det, covers=("linalg_det",)),
    op("_linalg_slogdet", squares(general), linalg.slogdet, covers=("linalg_slogdet",)),
    op("linalg_qr", rectangles, of_qr),
    op("linalg_multi_dot", chains, linalg.multi_dot),
    op("_linalg_lstsq_by_qr_for_cpu", overdetermined, of_lstsq, meta=False),
    op("_linalg_eigh", squares(hermitian), of_eigh, covers=("linalg_eigh", "linalg_eigvalsh")),
    op("_linalg_svd", rectangles, of_svd, covers=("linalg_svd", "linalg_svdvals")),
]

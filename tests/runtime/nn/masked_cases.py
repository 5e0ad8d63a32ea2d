"""Masked reductions and normalizations, run on both libraries; see both.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import both

import torch
import torch.masked as masked

CASES: dict[str, Callable[[], Any]] = {}
X = torch.tensor([[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0]])
MASK = torch.tensor([[True, False, True], [False, False, False]])
ROW = torch.tensor([False, True, True])
REDUCTIONS = ("sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "logsumexp", "std", "var")


def reduced(name: str) -> Callable[[], Any]:
    """Return calls of a reduction with several masks, dimensions and dtypes."""

    def case() -> Any:
        function = getattr(masked, name)
        return [
            function(X, 1, mask=MASK),
            function(X, mask=MASK),
            function(X, -2, mask=ROW),
            function(X, 1, keepdim=True, mask=MASK),
            function(X, 1, mask=torch.tensor([1, 0, 1])),
            function(X, 0),
            function(X, 1, mask=MASK, dtype=torch.float64),
            function(X[0, 0], mask=MASK[0, 0]),
        ]

    return case


for _name in REDUCTIONS:
    CASES[_name] = reduced(_name)


def of_integers() -> Any:
    """Return reductions of integers, whose identities are the limits of the dtype."""
    names = ("sum", "prod", "amax", "amin", "argmax", "argmin", "std", "var")
    results = [getattr(masked, name)(X.int(), 1, mask=MASK) for name in names]
    results += [getattr(masked, name)(X.bool(), 1, mask=MASK) for name in ("sum", "prod")]
    return [*results, masked.median(X.int(), 1, mask=ROW), masked.amax(X.to(torch.int8), mask=MASK)]


CASES["integers"] = of_integers
CASES["several dimensions"] = lambda: [
    getattr(masked, name)(X.view(2, 3, 1), (0, 2), mask=MASK.view(2, 3, 1))
    for name in ("sum", "prod", "amax", "amin", "mean", "std", "var", "logsumexp")
]
CASES["norm"] = lambda: [
    masked.norm(X, order, 1, mask=MASK)
    for order in (2.0, 1.0, 0.0, 3.0, float("inf"), float("-inf"))
]
CASES["normalize"] = lambda: [
    masked.normalize(X, p, d, mask=MASK) for p in (1.0, 2.0) for d in (0, 1)
]
CASES["median"] = lambda: [
    masked.median(X, 1, mask=MASK),
    masked.median(X, 0, mask=ROW, keepdim=True),
    masked.median(X),
]
for _name in ("softmax", "log_softmax", "softmin", "cumsum", "cumprod"):
    CASES[_name] = lambda name=_name: [
        getattr(masked, name)(X, 1, mask=MASK),
        getattr(masked, name)(X, 0, mask=ROW),
        getattr(masked, name)(X, 1),
        getattr(masked, name)(X, 1, mask=MASK, dtype=torch.float64),
    ]
CASES["logaddexp"] = lambda: [
    masked.logaddexp(X, X + 1, input_mask=MASK, other_mask=ROW),
    masked.logaddexp(X, X, input_mask=MASK),
    masked.logaddexp(X, X),
]
CASES["logsumexp of complex numbers"] = lambda: [
    masked.logsumexp(torch.complex(X, X.flip(0)), 1, mask=mask) for mask in (None, MASK)
]
CASES["corrections"] = lambda: [
    masked.var(X, 1, False, mask=ROW),
    masked.var(X, 1, correction=0, mask=ROW),
    masked.std(X, 0, True, mask=ROW),
]


def differentiated() -> Any:
    """Return gradients, which are 0 where the mask excludes an element."""
    gradients = []
    for name in ("sum", "prod", "mean", "amax", "var", "logsumexp", "softmax", "cumsum"):
        x = X.clone().requires_grad_()
        result = getattr(masked, name)(x, 1, mask=torch.tensor([True, False, True]))
        (result * torch.arange(1.0, result.numel() + 1).view_as(result)).sum().backward()
        gradients.append(x.grad)
    return gradients


CASES["gradients"] = differentiated
CASES["error: integer mean"] = lambda: masked.mean(X.int(), 1, mask=MASK)
CASES["error: larger mask"] = lambda: masked.sum(X, mask=torch.ones(2, 2, 3, dtype=torch.bool))
CASES["error: other shape"] = lambda: masked.sum(X, mask=torch.ones(4, dtype=torch.bool))
CASES["error: no such dimension"] = lambda: masked.sum(X, 2, mask=MASK)
CASES["error: repeated dimension"] = lambda: masked.sum(X, (0, 0), mask=MASK)
CASES["error: empty integer median"] = lambda: masked.median(X.int(), 1, mask=MASK)
CASES["error: maximum of booleans"] = lambda: masked.amax(X.bool(), 1, mask=MASK)

# Elements that the mask keeps and a sparse tensor lacks count as 0; excluded ones leave no element.
GAPS = torch.tensor([[1.0, 2.0, 0.0, 4.0], [0.0, 5.0, 0.0, 6.0], [0.0, 0.0, 0.0, 0.0]])
KEPT = torch.tensor([[1, 0, 1, 1], [0, 1, 1, 0], [0, 0, 1, 0]]) != 0
SCATTERED = torch.sparse_coo_tensor(
    [[0, 0, 0, 1, 1, 2], [0, 1, 3, 1, 2, 2]], torch.tensor([1, 0, 1, 1, 0, 0]) != 0, (3, 4)
)


def parts(result: Any) -> list[Any]:
    """Return the shape, the indices and the values of a sparse result."""
    if result.layout is torch.sparse_coo:
        return [list(result.shape), result._indices(), result._values()]
    return [list(result.shape), result.crow_indices(), result.col_indices(), result.values()]


def reduced_to_sparse(name: str) -> Callable[[], Any]:
    """Return calls of a reduction of sparse tensors with masks of several layouts."""

    def case() -> Any:
        function = getattr(masked, name)
        coo, csr = GAPS.to_sparse(), GAPS.to_sparse_csr()
        results = [
            function(coo, dim, keepdim=keepdim, mask=mask)
            for dim in (0, 1, (0, 1), None)
            for keepdim in (False, True)
            for mask in (KEPT, KEPT.to_sparse(), KEPT.to_sparse_csr(), SCATTERED, KEPT[:1])
        ]
        results += [
            function(csr, dim, keepdim=True, mask=mask)
            for dim in (0, 1, None)
            for mask in (KEPT, KEPT.to_sparse_csr(), KEPT.to_sparse())
        ]
        results.append(function(coo, 0, mask=KEPT, dtype=torch.float64))
        results.append(function(GAPS.int().to_sparse(), 1, mask=KEPT))
        results.append(function(torch.zeros(2, 2).to_sparse(), 0, mask=torch.zeros(2, 2) > 0))
        return [parts(result) for result in results]

    return case


for _name in ("sum", "prod", "amax", "amin"):
    CASES[f"sparse {_name}"] = reduced_to_sparse(_name)
CASES["sparse sum without a mask"] = lambda: (
    [parts(masked.sum(GAPS.to_sparse(), dim).coalesce()) for dim in (0, 1, (0, 1), None)]
    + [parts(masked.sum(GAPS.to_sparse_csr(), dim, keepdim=True)) for dim in (0, 1, None)]
)
CASES["sparse mean"] = lambda: [
    parts(masked.mean(GAPS.to_sparse_csr(), dim, keepdim=True, mask=KEPT)) for dim in (0, 1, None)
]
CASES["sparse masks"] = lambda: [
    getattr(masked, name)(GAPS, 0, mask=mask)
    for name in ("sum", "mean", "argmax", "var", "softmax", "cumsum", "logsumexp", "median")
    for mask in (KEPT.to_sparse(), KEPT.to_sparse_csr(), KEPT.to_sparse_csc())
]
for _name in (*REDUCTIONS, "median", "softmax", "log_softmax", "softmin", "cumsum", "cumprod"):
    if _name not in ("sum", "amin"):
        CASES[f"error: sparse {_name}"] = lambda name=_name: getattr(masked, name)(
            GAPS.to_sparse(), 0
        )
CASES["error: sparse norm"] = lambda: masked.norm(GAPS.to_sparse(), 2.0, 0)
CASES["error: sparse normalize"] = lambda: masked.normalize(GAPS.to_sparse(), 2.0, 0)
CASES["error: sparse logaddexp"] = lambda: masked.logaddexp(GAPS.to_sparse(), GAPS)
CASES["error: columns"] = lambda: masked.sum(GAPS.to_sparse_csc(), 0, mask=KEPT)
CASES["error: vector of rows"] = lambda: masked.sum(GAPS.to_sparse_csr(), 0, mask=KEPT)


if __name__ == "__main__":
    both.record(CASES)

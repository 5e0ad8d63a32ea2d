"""Sparse tensors in coordinate format: values, gradients, printing, pickling, embeddings."""

from __future__ import annotations

import copy
import io
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest

import torch
from torch import nn

_INDICES = torch.tensor([[0, 1, 1, 1], [2, 0, 2, 2]])
_VALUES = torch.tensor([3.0, 4.0, 5.0, 1.0])


def _sparse() -> Any:
    return torch.sparse_coo_tensor(_INDICES, _VALUES, (2, 3))


def test_construction_and_attributes() -> None:
    s = _sparse()
    assert s.is_sparse
    assert s.layout is torch.sparse_coo
    assert (s.shape, s.dim(), s.numel(), s._nnz()) == ((2, 3), 2, 6, 4)
    assert (s.sparse_dim(), s.dense_dim(), s.is_coalesced()) == (2, 0, False)
    c = s.coalesce()
    assert c.indices().tolist() == [[0, 1, 1], [2, 0, 2]]
    assert c.values().tolist() == [3.0, 4.0, 6.0]
    assert s.to_dense().tolist() == [[0, 0, 3], [4, 0, 6]]
    assert torch.sparse_coo_tensor([[0, 2]], torch.ones(2, 4)).shape == (3, 4)
    assert torch.sparse_coo_tensor((2, 2)).to_dense().tolist() == [[0, 0], [0, 0]]
    assert torch.sparse_coo_tensor([[0]], [1], dtype=torch.float64).dtype == torch.float64
    assert not torch.ones(2).is_sparse
    hybrid = torch.tensor([[0.0, 0.0], [1.0, 2.0]]).to_sparse(1)
    assert (hybrid.sparse_dim(), hybrid.dense_dim()) == (1, 1)
    assert hybrid.to_dense().tolist() == [[0, 0], [1, 2]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.sparse_coo_tensor([0, 1], [1.0, 2.0]), "sparse_dim x nnz"),
        (lambda: torch.sparse_coo_tensor([[0, 1]], [1.0]), "same nnz"),
        (lambda: torch.sparse_coo_tensor([[2]], [1.0], (2,)), "inconsistent with indices"),
        (lambda: torch.sparse_coo_tensor([[-1]], [1.0], (2,)), "negative index"),
        (lambda: torch.sparse_coo_tensor([[0]], [1.0], (2, 2)), "== sparse_dim . dense_dim"),
        (lambda: _sparse().values(), "uncoalesced"),
        (lambda: _sparse() @ torch.ones(2, 2), "cannot be multiplied"),
    ],
)
def test_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call()
    with pytest.raises(NotImplementedError, match="SparseCPU"):
        _sparse().exp()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda **k: torch.sparse_coo_tensor([[0]], torch.ones(1, 3), (2, 4), **k),
            "values has incorrect size, expected [1, 4], got [1, 3]",
        ),
        (
            lambda **k: torch.sparse_coo_tensor([[-1]], [1.0], (2,), **k),
            "found negative index -1 for dim 0",
        ),
        (
            lambda **k: torch.sparse_coo_tensor([[0, 1]], torch.tensor(1.0), (2,), **k),
            "indices and values must have same nnz, but got nnz from indices: 2, nnz from values: 1",
        ),
        (
            lambda **k: torch.sparse_coo_tensor(torch.eye(2).to_sparse(), [1.0, 2.0], (2, 2), **k),
            "expected indices to be a dense tensor, but got indices of layout Sparse",
        ),
        (
            lambda **k: torch.sparse_coo_tensor([[0]], torch.ones(1, device="meta"), (2,), **k),
            "backend of indices (CPU) must match backend of values (Meta)",
        ),
        (
            lambda **k: torch.sparse_coo_tensor((-2, 2), **k),
            "numel: integer multiplication overflow",
        ),
        (lambda **k: torch.sparse_coo_tensor([[0]], None, (2,), **k), "infer dtype of NoneType"),
    ],
)
def test_sizes_that_do_not_fit(call: Callable[..., Any], message: str) -> None:
    for options in ({}, {"check_invariants": True}):
        with pytest.raises(RuntimeError, match=re.escape(message)):
            call(**options)


def test_coalesced_is_checked_on_request() -> None:
    def make(**options: Any) -> torch.Tensor:
        return torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,), is_coalesced=True, **options)

    assert make().is_coalesced()
    with pytest.raises(RuntimeError, match="cannot set is_coalesced to true"):
        make(check_invariants=True)


def test_arithmetic_agrees_with_dense() -> None:
    s, dense = _sparse(), _sparse().to_dense()
    other = torch.randn(2, 3)
    cases = {
        "sum of sparse": (s + s, dense * 2),
        "coalesced sum": (s.coalesce() + s.coalesce(), dense * 2),
        "difference": (s - s * 3, dense * -2),
        "number": (2 * s / 4, dense / 2),
        "negative": (-s, -dense),
        "dense": (other + s, dense + other),
        "dense first": (other - s, other - dense),
        "product": (s * other, dense * other),
        "sparse product": (s * s, dense * dense),
        "unary": (s.sqrt().abs(), dense.sqrt().abs()),
        "transposed": (s.t(), dense.t()),
        "row": (s[1], dense[1]),
        "sum": (s.sum(), dense.sum()),
        "rows": (torch.sparse.sum(s, 0), dense.sum(0)),
        "kept": (s.sum(1, keepdim=True), dense.sum(1, keepdim=True)),
        "dtype": (s.double(), dense.double()),
    }
    for name, (found, expected) in cases.items():
        torch.testing.assert_close(found.to_dense(), expected, msg=name)
    added = torch.ones(2, 3)
    added.add_(s, alpha=2)
    torch.testing.assert_close(added, 1 + 2 * dense)
    assert s[1, 2].item() == 6
    masked = torch.ones(2, 3).sparse_mask(s.coalesce())
    assert masked.to_dense().tolist() == [[0, 0, 1], [1, 0, 1]]


def test_products() -> None:
    s, dense = _sparse(), _sparse().to_dense()
    d = torch.randn(3, 4)
    for found in (s @ d, torch.mm(s, d), torch.sparse.mm(s, d), torch.matmul(s, d)):
        torch.testing.assert_close(found, dense @ d)
    torch.testing.assert_close(d.t() @ s.t(), d.t() @ dense.t())
    torch.testing.assert_close(s @ d[:, 0], dense @ d[:, 0])
    torch.testing.assert_close((s @ s.t()).to_dense(), dense @ dense.t())
    base = torch.ones(2, 4)
    found = torch.sparse.addmm(base, s, d, beta=2, alpha=3)
    torch.testing.assert_close(found, 2 * base + 3 * (dense @ d))
    torch.testing.assert_close(torch.addmm(base, s, d), base + dense @ d)


def test_gradients_are_sparse() -> None:
    torch.manual_seed(0)
    a = torch.randn(3, 3).relu().to_sparse().requires_grad_()
    b = torch.randn(3, 2, requires_grad=True)
    a_dense = a.detach().to_dense().requires_grad_()
    b_dense = b.detach().requires_grad_()
    (a_dense @ b_dense).square().sum().backward()
    for times in (1, 2):  # the second pass accumulates
        torch.sparse.mm(a, b).square().sum().backward()
        assert a.grad is not None
        assert a.grad.is_sparse
        expected = a_dense.grad * (a_dense != 0) * times
        torch.testing.assert_close(a.grad.to_dense(), expected)
    torch.testing.assert_close(b.grad, 2 * b_dense.grad)  # type: ignore[operator]
    values = _VALUES.clone().requires_grad_()
    s = torch.sparse_coo_tensor(_INDICES, values, (2, 3))
    (s.to_dense() * torch.arange(6.0).reshape(2, 3)).sum().backward()
    assert values.grad is not None
    assert values.grad.tolist() == [2, 3, 5, 5]

    def product(values: Any) -> Any:
        return (torch.sparse_coo_tensor(_INDICES, values, (2, 3)).coalesce() @ b.double()) ** 2

    assert torch.autograd.gradcheck(product, _VALUES.double().requires_grad_())


def test_softmax_counts_the_given_elements_only() -> None:
    dense = _sparse().to_dense()
    expected = torch.where(dense == 0, -torch.inf, dense).softmax(1)
    torch.testing.assert_close(torch.sparse.softmax(_sparse(), 1).to_dense(), expected)
    found = torch.sparse.log_softmax(_sparse(), 1).coalesce().values()
    torch.testing.assert_close(found.exp(), expected[expected != 0])


def test_printing() -> None:
    assert repr(_sparse()) == (
        "tensor(indices=tensor([[0, 1, 1, 1],\n"
        "                       [2, 0, 2, 2]]),\n"
        "       values=tensor([3., 4., 5., 1.]),\n"
        "       size=(2, 3), nnz=4, layout=torch.sparse_coo)"
    )


def test_copies() -> None:
    s = _sparse()
    stream = io.BytesIO()
    torch.save({"s": s}, stream)
    stream.seek(0)
    copies = [pickle.loads(pickle.dumps(s)), torch.load(stream)["s"], copy.deepcopy(s), s.clone()]
    for each in copies:
        assert each.is_sparse
        assert each._nnz() == 4
        torch.testing.assert_close(each.to_dense(), s.to_dense())


def test_embeddings_get_sparse_gradients() -> None:
    table = nn.Embedding(5, 2, padding_idx=1, sparse=True)
    dense = copy.deepcopy(table)
    dense.sparse = False
    rows = torch.tensor([[1, 2], [2, 4]])
    for each in (table, dense):
        (each(rows) ** 2).sum().backward()
    grad: Any = table.weight.grad
    assert grad.is_sparse
    assert grad._nnz() == 3
    torch.testing.assert_close(grad.to_dense(), dense.weight.grad)
    for each in (table, dense):
        torch.optim.SGD(each.parameters(), lr=0.1).step()
    torch.testing.assert_close(table.weight, dense.weight)
    with pytest.raises(RuntimeError, match="sparse gradients"):
        torch.optim.Adam(table.parameters()).step()


def test_sparse_adam_is_adam_on_the_rows_of_the_gradient() -> None:
    torch.manual_seed(0)
    table = nn.Embedding(4, 3, sparse=True)
    dense = copy.deepcopy(table)
    dense.sparse = False
    optimizers = [torch.optim.SparseAdam(table.parameters()), torch.optim.Adam(dense.parameters())]
    rows = torch.tensor([0, 1, 2, 3, 3])
    for _ in range(3):
        for each, optimizer in zip((table, dense), optimizers, strict=True):
            optimizer.zero_grad()
            (each(rows) ** 2).sum().backward()
            optimizer.step()
    torch.testing.assert_close(table.weight, dense.weight)
    with pytest.raises(RuntimeError, match="dense gradients"):
        torch.optim.SparseAdam(dense.parameters()).step()


def test_a_size_alone_makes_an_empty_tensor() -> None:
    for made in (torch.sparse_coo_tensor((2, 3)), torch.sparse_coo_tensor(size=(2, 3))):
        assert made.shape == (2, 3) and made._nnz() == 0 and made.is_sparse

"""Sparse tensors in coordinate format: shapes, selections, joins, factories, errors, gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import torch

_INDICES = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
_VALUES = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64)
_DENSE = torch.tensor([[0.0, 0.0, 5.0], [2.0, 0.0, 3.0]], dtype=torch.float64)
_ROWS = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.float64)
_WEIGHT = torch.arange(6.0, dtype=torch.float64).reshape(3, 2) + 1


def _sparse() -> Any:
    return torch.sparse_coo_tensor(_INDICES, _VALUES, (2, 3))


def _hybrid() -> Any:
    return torch.sparse_coo_tensor([[0, 2, 2]], _ROWS, (3, 2))


_OF_HYBRID = torch.tensor([[1.0, 2.0], [0.0, 0.0], [8.0, 10.0]], dtype=torch.float64)
_BATCH = torch.ones(2, 3, 2, dtype=torch.float64)


def _like(tensor: Any, number: torch.Tensor) -> Any:
    return number if tensor.layout is torch.strided else number.to_sparse()


_SAME_AS_DENSE: dict[str, Callable[..., Any]] = {
    "transpose": lambda s, h: s.transpose(0, -1),
    "permute": lambda s, h: s.permute(dims=(1, 0)),
    "T": lambda s, h: s.T,
    "mT": lambda s, h: s.mT,
    "adjoint": lambda s, h: (s * 1j).adjoint(),
    "H": lambda s, h: (s * 1j).H,
    "conj": lambda s, h: (s * 1j).conj(),
    "real": lambda s, h: (s * (1 + 2j)).real,
    "imag": lambda s, h: (s * (1 + 2j)).imag,
    "view_as_real": lambda s, h: torch.view_as_real(s * (1 + 2j)),
    "transposed in place": lambda s, h: (s * 1).t_(),
    "exchanged in place": lambda s, h: (s * 1).transpose_(0, 1),
    "narrow_copy": lambda s, h: s.narrow_copy(1, 1, 2),
    "narrow_copy of a dense dimension": lambda s, h: h.narrow_copy(1, 1, 1),
    "index_select": lambda s, h: s.index_select(0, torch.tensor([1, 0, 1])),
    "index_select of columns": lambda s, h: s.index_select(1, torch.tensor([2, 2, 1])),
    "index_select of a dense dimension": lambda s, h: h.index_select(1, torch.tensor([1, 1])),
    "None": lambda s, h: s[None],
    "...": lambda s, h: s[..., 2],
    "cat": lambda s, h: torch.cat([s, s * 2], 1),
    "cat of a dense dimension": lambda s, h: torch.cat([h, h * 2, h], -1),
    "stack of a dense dimension": lambda s, h: torch.stack([h, h], -1),
    "unsqueeze": lambda s, h: h.unsqueeze(-1),
    "floor_divide": lambda s, h: s // 2,
    "product with more dimensions": lambda s, h: s * torch.full((2, 2, 3), 2.0).double(),
    "product with a row": lambda s, h: s * torch.tensor([1.0, 2.0, 3.0]).double(),
    "product of hybrids": lambda s, h: h * h,
    "product of hybrids that broadcast": lambda s, h: h * h.narrow_copy(1, 0, 1),
    "product with a sparse number": lambda s, h: s * _like(s, torch.tensor(2.0)),
    "product of sparse numbers": lambda s, h: _like(s, torch.tensor(2.0)) * _like(s, _VALUES[1]),
    "new": lambda s, h: s.new(2, 3) * 0 if s.layout is not torch.strided else s * 0,
    "bmm": lambda s, h: torch.bmm(torch.stack([s, s * 2]), _BATCH),
    "addmm_": lambda s, h: torch.ones(2, 2).double().addmm_(s, _WEIGHT, beta=2, alpha=3),
    "sum of integers": lambda s, h: s.int().sum(0),
    "boolean": lambda s, h: s > 0 if s.layout is torch.strided else s.bool(),
    "zeros_like": lambda s, h: torch.zeros_like(s),
    "new_zeros": lambda s, h: s.new_zeros((2, 4)),
    "norm": lambda s, h: torch.norm(s, dim=(0, 1)),
    "number": lambda s, h: torch.tensor(float(s.select(0, 1).select(0, 2))),
}


@pytest.mark.parametrize("name", _SAME_AS_DENSE)
def test_results_are_those_of_dense_tensors(name: str) -> None:
    call = _SAME_AS_DENSE[name]
    found, expected = call(_sparse(), _hybrid()), call(_DENSE, _OF_HYBRID)
    torch.testing.assert_close(found.to_dense(), expected.resolve_conj())


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda s, h: s + 1, RuntimeError, "Use add.dense, sparse. instead"),
        (lambda s, h: s + _DENSE, RuntimeError, "Use add.dense, sparse. instead"),
        (lambda s, h: _DENSE[0] + s, RuntimeError, "does not currently support broadcasting"),
        (lambda s, h: s + s.unsqueeze(0), RuntimeError, "to match"),
        (lambda s, h: h + torch.ones(3, 2).double().to_sparse(), RuntimeError, "same density"),
        (lambda s, h: s**0, RuntimeError, "zeroth power"),
        (lambda s, h: (s * 1).sin_(), RuntimeError, "sin_ requires coalesced"),
        (lambda s, h: s.transpose(0, 2), IndexError, "Dimension out of range"),
        (lambda s, h: h.transpose(0, 1), RuntimeError, "dimensions must be sparse"),
        (lambda s, h: h.t(), RuntimeError, "1 sparse and 1 dense"),
        (lambda s, h: s.permute(0), RuntimeError, "does not match the length"),
        (lambda s, h: s.permute(0, 0), RuntimeError, "duplicate dims"),
        (lambda s, h: s.unsqueeze(4), IndexError, "Dimension out of range"),
        (lambda s, h: s.narrow_copy(0, 1, 2), RuntimeError, "Invalid range to narrow"),
        (lambda s, h: s.index_select(1, torch.tensor([3])), IndexError, "contains 3 that is out"),
        (
            lambda s, h: torch.cat([s, _DENSE]),
            RuntimeError,
            "a dense tensor was found at position 1",
        ),
        (lambda s, h: torch.cat([s, h]), RuntimeError, "found shape: .3, 2. at position 1"),
        (lambda s, h: torch.sparse.sum(s, (0, 0)), RuntimeError, "multiple times"),
        (lambda s, h: torch.sparse.softmax(s, 2), IndexError, "Dimension out of range"),
        (lambda s, h: torch.norm(s, dim=0), RuntimeError, "only supports full reductions"),
        (lambda s, h: s @ torch.ones(3, 2), RuntimeError, "expected scalar type Double but found"),
        (lambda s, h: s * s.transpose(0, 1), RuntimeError, "sparse inputs with equal"),
        (lambda s, h: torch.ones(2, 3).double().copy_(s), RuntimeError, "between dense and sparse"),
        (lambda s, h: s.to_dense(torch.float32), RuntimeError, "dtype argument is not supported"),
        (lambda s, h: s.reshape(6), RuntimeError, "reshape is not implemented for sparse"),
        (lambda s, h: _DENSE.to_sparse(3), RuntimeError, r"must be in \[0,2\] range, but 3"),
        (lambda s, h: torch.bmm(s, _BATCH), RuntimeError, "must have 3 sparse dims, but has 2"),
        (lambda s, h: torch.empty(2, layout=torch.sparse_csr), RuntimeError, "but got size .2."),
        (
            lambda s, h: torch.sparse.mm(s, s.t().float()),
            RuntimeError,
            "mat1 dtype Double does not",
        ),
        (lambda s, h: s.norm("fro", dtype=torch.float64), ValueError, "dtype argument is not"),
        (
            lambda s, h: torch.zeros_like(s, memory_format=torch.channels_last),
            RuntimeError,
            "only supported by strided",
        ),
        (lambda s, h: s.floor_divide(s), RuntimeError, "Sparse floor division requires"),
    ],
)
def test_errors(call: Callable[..., Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call(_sparse(), _hybrid())


def test_factories_with_a_sparse_layout() -> None:
    empty = torch.empty(2, 3, layout=torch.sparse_coo, dtype=torch.float64, requires_grad=True)
    assert (empty.layout, empty.shape, empty.dtype, empty._nnz()) == (
        torch.sparse_coo, (2, 3), torch.float64, 0,
    )  # fmt: skip
    assert empty.requires_grad
    for layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        for zeros in (
            torch.zeros(4, 2, 3, layout=layout),
            torch.zeros_like(torch.ones(4, 2, 3), layout=layout),
            torch.ones(1).new_zeros((4, 2, 3), layout=layout),
            torch.zeros(1, 1, layout=layout).new_zeros((4, 2, 3)),
        ):
            assert (zeros.layout, zeros._nnz()) == (layout, 0)
            assert torch.equal(zeros.to_dense(), torch.zeros(4, 2, 3))
    assert _sparse().new_zeros((2,), layout=torch.strided).layout is torch.strided


def test_new_takes_indices_and_values() -> None:
    s = _sparse().new(torch.tensor([[0, 1]]), torch.tensor([1, 2]), torch.Size([3]))
    assert (s.layout, s.dtype, s.to_dense().tolist()) == (
        torch.sparse_coo,
        torch.int64,
        [1, 2, 0],
    )
    assert _sparse().new().shape == (0,)


def test_results_are_written_to_sparse_tensors() -> None:
    out = torch.zeros(1, 1, layout=torch.sparse_coo)
    assert torch.add(_sparse(), _sparse(), out=out) is out
    assert out.dtype == torch.float32
    torch.testing.assert_close(out.to_dense(), (_DENSE * 2).float())
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Int"):
        torch.add(_sparse(), _sparse(), out=torch.zeros(2, 3).int().to_sparse())


def test_equal_indices_are_kept() -> None:
    assert (_sparse() + _sparse())._nnz() == 4
    flags = torch.tensor([True, True, False, False])
    dense = torch.sparse_coo_tensor(_INDICES, flags, (2, 3)).to_dense()
    assert dense.tolist() == [[False, False, True], [True, False, False]]
    assert torch.sparse_coo_tensor([[1]], [2.0], (3,)).is_coalesced()
    for values in (torch.tensor([True, False]), torch.tensor([1, 2], dtype=torch.int8)):
        number = torch.sparse_coo_tensor(torch.empty(0, 2).long(), values, ()).to_dense()
        assert (number.dtype, number.dim()) == (values.dtype, 0)


def test_size_of_given_indices_can_change_later() -> None:
    indices = torch.tensor([[0, 1]])
    s = torch.sparse_coo_tensor(indices, torch.ones(2), (2,))
    indices.resize_(2, 3)
    assert s.coalesce().indices().tolist() == [[0, 1]]


def _coalesced(tensor: Any) -> Any:
    return tensor.coalesce() if tensor.is_sparse else tensor


_GRADIENTS: dict[str, Callable[[Any], Any]] = {
    "dense": lambda s: s.to_dense(),
    "coalesced": lambda s: _coalesced(s).to_dense(),
    "two uses": lambda s: s.to_dense() + (s * 2).to_dense(),
    "sum of sparse": lambda s: (s + _coalesced(s)).to_dense(),
    "product": lambda s: s @ _WEIGHT,
    "unary": lambda s: s.sin().to_dense(),
    "transposed": lambda s: s.transpose(0, 1).to_dense(),
    "total": lambda s: s.sum(),
}


@pytest.mark.parametrize("name", _GRADIENTS)
def test_gradients_at_repeated_indices_count_once(name: str) -> None:
    call = _GRADIENTS[name]
    s, dense = _sparse().requires_grad_(), _DENSE.clone().requires_grad_()
    for given in (s, dense):
        result = call(given)
        weight = torch.arange(1.0, result.numel() + 1, dtype=torch.float64)
        (result * weight.reshape(result.shape)).sum().backward()
    expected = dense.grad * (_DENSE != 0)  # type: ignore[operator]
    torch.testing.assert_close(s.grad.to_dense(), expected)
    values = _VALUES.clone().requires_grad_()
    call(torch.sparse_coo_tensor(_INDICES, values, (2, 3))).sum().backward()
    dense.grad = None
    call(dense).sum().backward()
    torch.testing.assert_close(values.grad, dense.grad[tuple(_INDICES)])  # type: ignore[index]


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_unmasked_gradients_have_all_elements(layout: Any) -> None:
    s = _DENSE.to_sparse(layout=layout).requires_grad_()  # type: ignore[call-arg]
    weight = torch.arange(1.0, 7.0, dtype=torch.float64).reshape(2, 3)
    (s.to_dense(masked_grad=False) * weight).sum().backward()
    assert s.grad is not None and s.grad.layout is layout
    assert torch.equal(s.grad.to_dense(), weight)


def test_gradcheck_takes_sparse_inputs() -> None:
    s = _DENSE.to_sparse().requires_grad_()
    weight = _WEIGHT.clone().requires_grad_()
    assert torch.autograd.gradcheck(torch.sparse.mm, (s, weight), masked=True)
    assert torch.autograd.gradgradcheck(torch.sparse.mm, (s, weight), masked=True)
    assert torch.autograd.gradcheck(lambda a: a.to_dense(masked_grad=False), (s,))


def test_batches_refuse_what_needs_one_matrix() -> None:
    batched = torch.ones(2, 4, 6).to_sparse_csr()
    with pytest.raises(RuntimeError, match="not supported for batched"):
        batched.select(-1, 0)
    with pytest.raises(IndexError, match="Dimension out of range"):
        batched.select(3, 0)
    with pytest.raises(RuntimeError, match="to_sparse_csr: Expected product of batch dimensions"):
        torch.ones(0, 4, 6).to_sparse_csr()


def test_leaves_do_not_share_the_memory_of_their_gradients() -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a + b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad, grad

    a, b = torch.ones(4, 2, requires_grad=True), torch.ones(4, 2, requires_grad=True)
    torch.nn.functional.embedding(
        torch.tensor([1, 2]), Both.apply(a, b), sparse=True
    ).sum().backward()
    assert a.grad is not None and b.grad is not None
    a.grad._values().zero_()
    assert b.grad.to_dense().sum() == 4

"""Sparse tensors whose size changes, that lack elements or data, and tensors like them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import torch

_ROWS = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def _sparse() -> Any:
    return torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [1.0, 2.0, 3.0], (2, 3))


def _hybrid() -> Any:
    return torch.sparse_coo_tensor([[0, 2, 2]], _ROWS, (3, 2))


def _none(*size: int) -> Any:
    return torch.zeros(size, layout=torch.sparse_coo)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s, h: s.copy_(_none(1, 3)), "shrinking the size of sparse dimensions"),
        (lambda s, h: h.copy_(_none(3, 2)), "changing the number of sparse dimensions"),
        (lambda s, h: s.resize_as_(_none(2, 2)), "shrinking the size of sparse dimensions"),
        (lambda s, h: s.mv(torch.ones(4)), "mv: expected self.size"),
        (lambda s, h: s.mv(torch.ones(3, 1)), "mv: two tensor dim should be 2 and 1"),
        (lambda s, h: torch.broadcast_to(s, (4, 2, 3)), "expand is unsupported for Sparse"),
        (lambda s, h: torch.broadcast_tensors(s, _none(1, 3)), "expand is unsupported for Sparse"),
        (lambda s, h: torch.full((2,), 1.0, layout=torch.sparse_coo), "not implemented for sparse"),
        (lambda s, h: torch.ones(2, layout=torch.sparse_coo), "not implemented for sparse"),
    ],
)
def test_errors(call: Callable[..., Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call(_sparse(), _hybrid())


_DIAGONALS = (torch.ones(2, 3), torch.tensor([0, 1]), (3, 3))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({0: torch.ones(1, 2, 3)}, "Diagonals must be vector or matrix"),
        ({1: torch.tensor([[0, 1]])}, "Offsets must be scalar or vector"),
        ({1: torch.tensor([0, 1, 2])}, "Number of diagonals .2. does not match"),
        ({1: torch.tensor([0.0, 1.0])}, "must have dtype Long but got Float"),
        ({1: torch.tensor([1, 1])}, "contains duplicate values"),
        ({2: (3, 3, 3)}, "Output shape must be 2d"),
        ({3: torch.strided}, "Only output layouts .* are supported, got Strided"),
    ],
)
def test_diagonals_that_do_not_fit(changed: dict[int, Any], message: str) -> None:
    arguments: list[Any] = [*_DIAGONALS, None]
    for place, value in changed.items():
        arguments[place] = value
    with pytest.raises(RuntimeError, match=message):
        torch.sparse.spdiags(*arguments)


def test_tensors_without_elements_add_to_any_other() -> None:
    h = _hybrid()
    for found in (h + _none(3, 2), _none(3, 2) + h, h.add_(_none(3, 2)), _none(3, 2).add_(h)):
        assert torch.equal(found.to_dense(), _hybrid().to_dense())
    assert (_none(3, 2).double() + h).dtype == torch.float64


def test_sizes_become_those_of_other_tensors() -> None:
    s = _sparse()
    assert s.resize_as_(_none(4, 5)) is s
    assert (s.shape, s._nnz()) == ((4, 5), 3)
    empty = _none(2, 3).resize_as_(_hybrid())
    assert (empty.shape, empty.sparse_dim(), empty.dense_dim()) == ((3, 2), 1, 1)
    assert _none(1, 3).copy_(_sparse()).shape == (2, 3)


def test_compressed_sizes_become_others() -> None:
    csr = _sparse().to_sparse_csr()
    values = csr.values().tolist()
    assert csr.resize_(3, 4) is csr
    assert (csr.shape, csr.crow_indices().tolist()) == ((3, 4), [0, 1, 2, 2])
    assert csr.values().tolist() == values
    assert csr.resize_as_(torch.zeros(5, 4).to_sparse_csr()).shape == (5, 4)
    assert csr.to_dense()[:2, :3].equal(_sparse().to_dense())
    for size, message in (((5, 3), "columns .* to a smaller value"), ((5,), "Only batched sparse")):
        with pytest.raises(RuntimeError, match=message):
            csr.resize_(size)


def test_sampled_products_for_each_matrix_of_a_batch() -> None:
    mask, left, right = torch.eye(2).to_sparse_csr(), torch.ones(2, 2, 3), torch.ones(2, 3, 2)
    right[1] *= 2
    found = torch.sparse.sampled_addmm(mask, left, right)
    assert found.to_dense().diagonal(dim1=1, dim2=2).tolist() == [[4, 4], [7, 7]]
    with pytest.raises(RuntimeError, match="to have the same batch size"):
        torch.sparse.sampled_addmm(found, left[0], right[0])


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_activations_of_layers(layout: Any) -> None:
    s = (-torch.eye(2)).to_sparse(layout=layout)  # type: ignore[call-arg]
    assert torch.nn.functional.relu(s).to_dense().count_nonzero() == 0
    assert torch.nn.ReLU(inplace=True)(s) is s
    assert s.to_dense().count_nonzero() == 0
    with pytest.raises(RuntimeError, match="In-place abs is not supported for complex"):
        (s * 1j).abs_()


def test_triangular_equations() -> None:
    matrix = torch.tensor([[2.0, 1.0], [0.0, 4.0]])
    found = torch.triangular_solve(torch.ones(2, 1), matrix.to_sparse_csr())
    torch.testing.assert_close(matrix @ found.solution, torch.ones(2, 1))
    assert found.cloned_coefficient.numel() == 0


def test_new_refuses_elements() -> None:
    with pytest.raises(TypeError, match="only accepts sizes"):
        _sparse().new([1, 2])


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_bsc])
def test_copies_on_the_device_meta_have_no_elements(layout: Any) -> None:
    blocks = (1, 1) if layout is torch.sparse_bsc else None
    found = torch.ones(2, 3).to_sparse(layout=layout, blocksize=blocks).to("meta")  # type: ignore[call-arg]
    assert (found.device.type, found.layout, found.shape, found._nnz()) == (
        "meta", layout, (2, 3), 0,
    )  # fmt: skip


def test_factories_on_the_device_meta() -> None:
    for layout in (torch.sparse_coo, torch.sparse_csr):
        found = torch.empty(2, 3, layout=layout, device="meta", dtype=torch.float64)
        assert (found.device.type, found.layout, found.dtype) == ("meta", layout, torch.float64)
    given = torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2), device="meta")
    assert (given.device.type, given._nnz()) == ("meta", 2)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_indices_without_data_are_not_checked(layout: Any) -> None:
    with torch.sparse.check_sparse_tensor_invariants():
        places, values = torch.empty(3, device="meta").long(), torch.empty(2, device="meta")
        if layout is torch.sparse_coo:
            found = torch.sparse_coo_tensor(torch.stack([places[1:]] * 2), values, (2, 2))
        else:
            found = torch.sparse_csr_tensor(places, places[1:], values, (2, 2))
    assert (found.layout, found._nnz()) == (layout, 2)


def test_tensors_of_a_size_alone_may_need_gradients() -> None:
    assert torch.sparse_coo_tensor((2, 3), requires_grad=True).requires_grad
    assert not torch.sparse_coo_tensor((2, 3)).requires_grad


def test_missing_numbers_are_replaced_in_place() -> None:
    s = torch.sparse_coo_tensor([[0, 1]], [torch.nan, torch.inf], (3,)).coalesce()
    assert s.nan_to_num_(1.0, posinf=2.0) is s
    assert s.to_dense().tolist() == [1, 2, 0]


def test_random_values_at_the_indices_of_compressed_tensors() -> None:
    csr = _sparse().double().to_sparse_csr()
    for found in (torch.rand_like(csr), torch.randn_like(csr), torch.randint_like(csr, 2, 5)):
        assert (found.layout, found.dtype) == (torch.sparse_csr, torch.float64)
        assert torch.equal(found.col_indices(), csr.col_indices())
    assert ((found.values() >= 2) & (found.values() < 5)).all()
    assert torch.rand_like(csr, dtype=torch.float32).dtype == torch.float32
    with pytest.raises(NotImplementedError, match=r"aten::normal_.* 'SparseCPU'"):
        torch.randn_like(_sparse())


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_lobpcg_takes_sparse_matrices(layout: Any) -> None:
    dense = torch.diag(torch.arange(1.0, 31.0, dtype=torch.float64))
    dense[0, 1] = dense[1, 0] = 0.5
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(30, 2, dtype=torch.float64, generator=generator)
    matrix = dense.to_sparse(layout=layout)  # type: ignore[call-arg]
    values, vectors = torch.lobpcg(matrix, X=start)
    torch.testing.assert_close(dense @ vectors, vectors * values, rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(values, torch.tensor([30.0, 29.0], dtype=torch.float64))


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_data_is_taken_over_from_the_same_layout(layout: Any) -> None:
    target = _ROWS.to_sparse(layout=layout)  # type: ignore[call-arg]
    source = torch.eye(4, dtype=torch.float64).to_sparse(layout=layout)  # type: ignore[call-arg]
    target.requires_grad_()
    target.data = source
    assert (target.shape, target.dtype, target.layout) == ((4, 4), torch.float64, layout)
    assert target.requires_grad
    assert torch.equal(target.detach().to_dense(), torch.eye(4, dtype=torch.float64))


@pytest.mark.parametrize("source", [torch.sparse_coo, torch.sparse_csr, torch.strided])
@pytest.mark.parametrize("target", [torch.sparse_coo, torch.sparse_csr, torch.strided])
def test_data_of_another_layout_is_refused(target: Any, source: Any) -> None:
    if source is target:
        return
    dense = torch.eye(2)
    one, other = (
        dense.clone() if each is torch.strided else dense.to_sparse(layout=each)
        for each in (target, source)
    )
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        one.data = other * 2
    assert torch.equal(one.to_dense(), dense)

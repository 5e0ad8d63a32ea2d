"""Sparse tensors in compressed rows, columns and blocks, with values computed by hand."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import torch
from torch import nn

_DENSE = torch.tensor([[1.0, 0, 2, 0], [0, 0, 3, 0], [0, 4, 0, 0], [5, 0, 0, 6]])
_OTHER = torch.tensor([[0.0, 0, 7, 0], [1, 0, 3, 0], [0, 0, 0, 0], [2, 0, 8, 9]])
_LAYOUTS = ("csr", "csc", "bsr", "bsc")
_EACH = pytest.mark.parametrize("name", _LAYOUTS)


def _to(tensor: Any, name: str) -> Any:
    blocks = ((2, 2),) if name in ("bsr", "bsc") else ()
    return getattr(tensor, f"to_sparse_{name}")(*blocks)


def test_indices_and_values() -> None:
    csr, csc = _to(_DENSE, "csr"), _to(_DENSE, "csc")
    assert csr.crow_indices().tolist() == [0, 2, 3, 4, 6]
    assert csr.col_indices().tolist() == [0, 2, 2, 1, 0, 3]
    assert csr.values().tolist() == [1, 2, 3, 4, 5, 6]
    assert csc.ccol_indices().tolist() == [0, 2, 3, 5, 6]
    assert csc.row_indices().tolist() == [0, 3, 2, 0, 1, 3]
    assert csc.values().tolist() == [1, 5, 4, 2, 3, 6]
    bsr = _to(_DENSE, "bsr")
    assert bsr.crow_indices().tolist() == [0, 2, 4]
    assert bsr.col_indices().tolist() == [0, 1, 0, 1]
    assert bsr.values()[2].tolist() == [[0, 4], [5, 0]]
    assert _to(_DENSE, "bsc").values()[1].tolist() == [[0, 4], [5, 0]]


@_EACH
def test_attributes(name: str) -> None:
    s = _to(_DENSE, name)
    assert s.layout is getattr(torch, f"sparse_{name}")
    assert (s.is_sparse, s.is_sparse_csr) == (False, name == "csr")
    assert (s.shape, s.dim(), s.numel(), len(s)) == ((4, 4), 2, 16, 4)
    assert (s.sparse_dim(), s.dense_dim()) == (2, 0)
    assert s.dtype == torch.float32
    assert s.double().dtype == torch.float64
    assert s.device.type == "cpu"


def test_sizes_are_inferred() -> None:
    assert torch.sparse_csr_tensor([0, 1, 2], [0, 4], [1.0, 2.0]).shape == (2, 5)
    assert torch.sparse_csc_tensor([0, 1, 2], [0, 4], [1.0, 2.0]).shape == (5, 2)
    assert torch.sparse_bsr_tensor([0, 1, 2], [0, 1], torch.ones(2, 2, 3)).shape == (4, 6)
    assert torch.sparse_csr_tensor([[0, 1]], [[2]], torch.ones(1, 1, 7)).shape == (1, 1, 3, 7)


@_EACH
def test_conversions_return_to_the_same_elements(name: str) -> None:
    s = _to(_DENSE, name)
    assert torch.equal(s.to_dense(), _DENSE)
    assert torch.equal(s.to_sparse().to_dense(), _DENSE)
    for other in _LAYOUTS:
        if name[0] != "b" or other[0] == "b":
            assert torch.equal(_to(s, other).to_dense(), _DENSE)
    batch = torch.stack([_DENSE, _DENSE.t()])
    assert torch.equal(_to(batch, name).to_dense(), batch)
    assert torch.equal(_to(batch, name).to_sparse().to_dense(), batch)


def test_index_dtypes_are_kept() -> None:
    indices = [torch.tensor(each, dtype=torch.int32) for each in ([0, 1, 2], [1, 0])]
    s = torch.sparse_csr_tensor(*indices, torch.ones(2))
    assert s.to_sparse_csc().ccol_indices().dtype == torch.int32
    assert (s + s.t().to_sparse_csr()).col_indices().dtype == torch.int32
    assert (s @ torch.eye(2)).tolist() == [[0, 1], [1, 0]]


def test_printing() -> None:
    assert repr(_to(_DENSE[:2], "csr")) == (
        "tensor(crow_indices=tensor([0, 2, 3]),\n"
        "       col_indices=tensor([0, 2, 2]),\n"
        "       values=tensor([1., 2., 3.]), size=(2, 4), nnz=3,\n"
        "       layout=torch.sparse_csr)"
    )
    assert repr(torch.zeros(2, 2).to_sparse_csc().requires_grad_()) == (
        "tensor(ccol_indices=tensor([0, 0, 0]),\n"
        "       row_indices=tensor([], size=(0,)),\n"
        "       values=tensor([], size=(0,)), size=(2, 2), nnz=0,\n"
        "       layout=torch.sparse_csc, requires_grad=True)"
    )


def test_printing_without_data() -> None:
    assert repr(torch.eye(2).to_sparse_csr().to("meta")) == (
        "tensor(crow_indices=tensor(..., size=(3,)),\n"
        "       col_indices=tensor(..., size=(0,)),\n"
        "       values=tensor(..., size=(0,)), device='meta', size=(2, 2),\n"
        "       layout=torch.sparse_csr)"
    )


@_EACH
def test_files_and_copies(name: str) -> None:
    s = _to(_DENSE, name)
    file = io.BytesIO()
    torch.save({"weight": s}, file)
    file.seek(0)
    found = [pickle.loads(pickle.dumps(s)), torch.load(file)["weight"], copy.deepcopy(s), s.clone()]
    for each in found:
        assert each.layout is s.layout
        assert torch.equal(each.to_dense(), _DENSE)
        each.values().zero_()
    assert torch.equal(s.to_dense(), _DENSE)


def test_a_parameter_can_be_compressed() -> None:
    module = nn.Module()
    module.weight = nn.Parameter(_to(_DENSE, "csr"))
    (module.weight @ torch.ones(4, 1)).sum().backward()
    assert module.weight.grad is not None
    assert module.weight.grad.layout is torch.sparse_csr
    assert [name for name, _ in module.named_parameters()] == ["weight"]


def test_invariants_are_checked_on_request() -> None:
    wrong = ([0, 1, 2], [0, 5], [1.0, 2.0], (2, 2))
    assert torch.sparse_csr_tensor(*wrong).shape == (2, 2)
    with torch.sparse.check_sparse_tensor_invariants():
        with pytest.raises(RuntimeError, match="`0 <= col_indices < ncols` is not satisfied"):
            torch.sparse_csr_tensor(*wrong)
        assert torch.sparse_csr_tensor(*wrong, check_invariants=False)._nnz() == 2

    @torch.sparse.check_sparse_tensor_invariants()
    def create() -> Any:
        return torch.sparse_csr_tensor(*wrong)

    with pytest.raises(RuntimeError, match="not satisfied"):
        create()
    assert not torch.sparse.check_sparse_tensor_invariants.is_enabled()


@pytest.mark.parametrize(
    "arguments",
    [
        ([0, 1, 9], [0, 1], [1.0, 2.0], (2, 2)),
        ([0, 9, 2], [0, 1], [1.0, 2.0], (2, 2)),
        ([0, 1, 2], [0, 9], [1.0, 2.0], (2, 2)),
        ([0, 1, 2], [0, -9], [1.0, 2.0], (2, 2)),
        ([-4, 1, 2], [0, 1], [1.0, 2.0], (2, 2)),
        ([0, 1, 2], [0, 1], [1.0, 2.0, 3.0], (2, 2)),
    ],
)
@pytest.mark.parametrize(
    "use", [lambda s: s @ torch.ones(2, 2), lambda s: s @ torch.ones(2), lambda s: s.to_dense()]
)
def test_unchecked_indices_never_crash(arguments: Any, use: Callable[[Any], Any]) -> None:
    with pytest.raises((RuntimeError, IndexError)):
        use(torch.sparse_csr_tensor(*arguments))


@_EACH
def test_products(name: str) -> None:
    s, d = _to(_DENSE, name), torch.arange(12.0).reshape(4, 3)
    for found in (s @ d, torch.mm(s, d), torch.sparse.mm(s, d), s.matmul(d)):
        assert torch.equal(found, _DENSE @ d)
    assert torch.equal(d.t() @ s, d.t() @ _DENSE)
    assert torch.equal(s @ d[:, 0], _DENSE @ d[:, 0])
    assert torch.equal(d[:, 0] @ s, d[:, 0] @ _DENSE)
    assert torch.equal(torch.addmm(d, s, d, beta=2, alpha=3), 2 * d + 3 * (_DENSE @ d))
    assert torch.equal(nn.functional.linear(d.t(), s), d.t() @ _DENSE.t())
    assert torch.equal((s.int() @ d.int()), (_DENSE @ d).int())
    stacked = torch.stack([d.t(), 2 * d.t()])
    assert torch.equal(stacked @ s, stacked @ _DENSE)


def test_products_of_sparse_matrices_have_the_structure() -> None:
    a, b = _to(_DENSE, "csr"), _to(_OTHER, "csc")
    found = a @ b
    assert found.layout is torch.sparse_csr
    assert torch.equal(found.to_dense(), _DENSE @ _OTHER)
    assert found.col_indices().tolist() == [2, 0, 2, 0, 2, 3]
    total = torch.addmm(a, a, b, alpha=2)
    assert torch.equal(total.to_dense(), _DENSE + 2 * (_DENSE @ _OTHER))


def test_reductions_count_the_given_elements_only() -> None:
    s = torch.sparse_csr_tensor([0, 2, 2, 3], [0, 1, 1], [1.0, -2.0, -3.0], (3, 2))
    d = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    expected = {
        "sum": [[-5, -6], [0, 0], [-9, -12]],
        "mean": [[-2.5, -3], [0, 0], [-9, -12]],
        "amax": [[1, 2], [0, 0], [-9, -12]],
        "amin": [[-6, -8], [0, 0], [-9, -12]],
    }
    for reduce, values in expected.items():
        assert torch.sparse.mm(s, d, reduce).tolist() == values


@_EACH
def test_arithmetic_agrees_with_dense(name: str) -> None:
    s, t = _to(_DENSE, name), _to(_OTHER, name)
    other = torch.arange(16.0).reshape(4, 4)
    cases = {
        "sum": (s + t, _DENSE + _OTHER),
        "difference": (s - t, _DENSE - _OTHER),
        "scaled": (torch.add(s, t, alpha=3), _DENSE + 3 * _OTHER),
        "number": (2 * s / 4, _DENSE / 2),
        "dense": (s + other, _DENSE + other),
        "dense first": (other - s, other - _DENSE),
        "product": (s * other, _DENSE * other),
        "function": (s.sqrt().neg(), -_DENSE.sqrt()),
        "transposed": (s.t(), _DENSE.t()),
        "row": (s[1], _DENSE[1]),
        "column": (s[:, 2], _DENSE[:, 2]),
    }
    for title, (found, expected) in cases.items():
        torch.testing.assert_close(found.to_dense(), expected, msg=title)
    assert s[3, 0].item() == 5
    assert [row.to_dense().tolist() for row in s] == _DENSE.tolist()
    s.mul_(2).add_(t)
    assert torch.equal(s.to_dense(), 2 * _DENSE + _OTHER)


def test_sums() -> None:
    s = _to(_DENSE, "csr")
    assert s.sum().item() == 21
    rows = s.sum(1, keepdim=True)
    assert (rows.layout, rows.shape) == (torch.sparse_csr, (4, 1))
    assert rows.to_dense().flatten().tolist() == [3, 3, 4, 11]
    assert s.int().sum().dtype == torch.int64


@_EACH
def test_gradients_have_the_layout_and_the_indices(name: str) -> None:
    d = torch.arange(8.0).reshape(4, 2)
    s = _to(_DENSE, name).requires_grad_()
    dense = _DENSE.clone().requires_grad_()
    (dense @ d).square().sum().backward()
    for times in (1, 2):  # the second pass accumulates
        (s @ d).square().sum().backward()
        assert s.grad is not None
        assert s.grad.layout is s.layout
        pattern = torch.ones_like(_to(_DENSE, name)).to_dense()
        assert torch.equal(s.grad.to_dense(), times * dense.grad * pattern)


@_EACH
def test_gradcheck(name: str) -> None:
    check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    s = _to(_DENSE.double(), name).requires_grad_()
    d = _OTHER.double().requires_grad_()
    functions: list[Callable[..., Any]] = [
        lambda s, d: s @ d,
        lambda s, d: d @ s,
        lambda s, d: (s * d).sin(),
        lambda s, d: (s + s).to_sparse(),
        lambda s, d: d.sparse_mask(s.detach()) * s,
    ]
    for function in functions:
        assert check(function, (s, d), masked=True)
        assert check(function, (s, d))


def test_gradients_reach_values_and_dense_tensors() -> None:
    values = torch.ones(2, requires_grad=True)
    s = torch.sparse_csr_tensor([0, 1, 2], [0, 1], values)
    (s @ torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert values.grad is not None
    assert values.grad.tolist() == [3, 7]
    dense = _DENSE.clone().requires_grad_()
    (dense.to_sparse_csr().values() * 2).sum().backward()
    assert torch.equal(dense.grad, 2.0 * (_DENSE != 0))


@_EACH
def test_second_derivatives(name: str) -> None:
    matrix = _to(_DENSE.double(), name)

    def product(values: Any, d: Any) -> Any:
        alike = torch.sparse_compressed_tensor(
            *matrix._named_indices().values(), values, matrix.shape, layout=matrix.layout
        )
        return alike @ d

    d = torch.arange(8.0, dtype=torch.float64).reshape(4, 2).requires_grad_()
    values = matrix.values().clone().requires_grad_()
    assert torch.autograd.gradgradcheck(product, (values, d))


def test_sampled_addmm() -> None:
    s = _to(_DENSE, "csr")
    found = torch.sparse.sampled_addmm(s, _DENSE, _OTHER, beta=2, alpha=3)
    expected = torch.where(_DENSE != 0, 2 * _DENSE + 3 * (_DENSE @ _OTHER), 0.0)
    assert torch.equal(found.to_dense(), expected)
    assert found.col_indices() is s.col_indices()


def test_masks() -> None:
    full = torch.arange(16.0).reshape(4, 4)
    for name in _LAYOUTS:
        masked = full.sparse_mask(_to(_DENSE, name))
        pattern = torch.ones_like(_to(_DENSE, name)).to_dense()
        assert torch.equal(masked.to_dense(), full * pattern)
    common = _to(_OTHER, "csr").sparse_mask(_to(_DENSE, "csr"))
    assert common._nnz() == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.exp(), "SparseCsrCPU"),
        (lambda s: torch.sparse.softmax(s, 1), "_sparse_softmax.*SparseCsrCPU"),
        (lambda s: torch.sparse.spsolve(s, torch.ones(4)), "_spsolve.*SparseCsrCPU"),
        (lambda s: s.sparse_resize_((5, 5), 2, 0), "sparse_resize_.*SparseCsrCPU"),
        (lambda s: _DENSE.sparse_resize_((5, 5), 2, 0), "sparse_resize_.*'CPU'"),
        (lambda s: s[1:3], "integers, :, ... and None only"),
    ],
)
def test_what_has_no_form_for_a_layout(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(NotImplementedError, match=message):
        call(_to(_DENSE, "csr"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _DENSE.coalesce(), "coalesce expected sparse coordinate .* but got Strided"),
        (lambda: _DENSE.values(), "values expected sparse tensor layout but got Strided"),
        (lambda: _to(_DENSE, "csc").crow_indices(), "row compressed .* but got SparseCsc"),
        (lambda: _to(_DENSE, "csr") + _to(_DENSE, "csc"), "SparseCsr and SparseCsc"),
        (lambda: _to(_DENSE, "bsr") @ _to(_DENSE, "bsr"), "SparseBsr @ SparseBsr"),
        (lambda: _to(_DENSE, "bsr").to_sparse_csr(), "expected SparseCsr or SparseCsc layout"),
        (lambda: torch.sparse.to_sparse_semi_structured(_DENSE), "semi-structured"),
        (lambda: _to(_DENSE.int(), "csr").mul_(0.5), "result type Float can't be cast"),
    ],
)
def test_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call()


@pytest.mark.parametrize("name", ["coo", *_LAYOUTS])
def test_assert_close_compares_indices_and_values(name: str) -> None:
    s = _to(_DENSE, name)
    torch.testing.assert_close(s, s.clone())
    torch.testing.assert_close(s, _to(_DENSE, "csc"), check_layout=False)
    for other, message in (
        (s * 2, f"Sparse {name.upper()} values are not close!"),
        (_to(torch.ones(4, 4), name), "number of specified values|values are not close"),
        (_to(_DENSE.flip(0), name), "indices are not equal|values are not close"),
        (_DENSE, "layout"),
    ):
        with pytest.raises(AssertionError, match=message):
            torch.testing.assert_close(s, other)


def test_out_arguments() -> None:
    s, d = _to(_DENSE, "csr"), torch.arange(8.0).reshape(4, 2)
    out = torch.empty(0)
    assert torch.mm(s, d, out=out) is out
    assert torch.equal(out, _DENSE @ d)
    written = torch.zeros(4, 6, layout=torch.sparse_csr)
    assert torch.mul(s, 2, out=written) is written
    assert torch.equal(written.to_dense(), _DENSE * 2)
    with pytest.raises(RuntimeError, match="layout SparseCsr cannot be written"):
        torch.mul(s, 2, out=_to(_DENSE, "csc"))


@_EACH
def test_empty_matrices(name: str) -> None:
    zeros = _to(torch.zeros(4, 6), name)
    assert zeros._nnz() == 0
    for columns in (0, 1, 3):
        assert torch.equal(zeros @ torch.ones(6, columns), torch.zeros(4, columns))
    assert torch.equal(torch.ones(3, 4) @ zeros, torch.zeros(3, 6))
    assert (zeros + zeros).sum().item() == 0
    nothing = _to(torch.zeros(0, 4), name)
    assert (nothing @ torch.ones(4, 2)).shape == (0, 2)
    assert nothing.to_dense().shape == (0, 4)
    assert nothing.t().to_dense().shape == (4, 0)


def test_row_indices_are_known_until_they_change() -> None:
    s = torch.sparse_csr_tensor([0, 2, 2], [0, 1], [1.0, 2.0])
    assert (s @ torch.ones(2)).tolist() == [3, 0]
    s.crow_indices()[1] = 1
    assert (s @ torch.ones(2)).tolist() == [1, 2]


def test_resized_values_get_zeros() -> None:
    hybrid = torch.tensor([[1.0, 2.0], [0.0, 0.0]]).to_sparse(1)
    hybrid.sparse_resize_((3, 3), 1, 1)
    assert hybrid.to_dense().tolist() == [[1, 2, 0], [0, 0, 0], [0, 0, 0]]
    hybrid.sparse_resize_and_clear_((4,), 1, 0)
    assert (hybrid.shape, hybrid._nnz()) == ((4,), 0)


def test_diagonals_in_other_layouts() -> None:
    found = torch.sparse.spdiags(
        torch.ones(1, 3), torch.tensor([1]), (3, 3), layout=torch.sparse_csr
    )
    assert found.crow_indices().tolist() == [0, 1, 2, 2]


def test_importing_torch_does_not_import_sparse() -> None:
    code = "import sys, torch; print([m for m in sys.modules if m.startswith('torch.sparse')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

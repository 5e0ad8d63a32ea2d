"""Sparse tensors of all layouts, in this library and in PyTorch."""

from __future__ import annotations

import copy
import io
import itertools
from collections.abc import Callable
from typing import Any

import both

import torch

_DENSE = torch.tensor([[1.0, 0, 2, 0], [0, 0, 3, 0], [0, 4, 0, 0], [5, 0, 0, 6]])
_OTHER = torch.tensor([[0.0, 0, 7, 0], [1, 0, 3, 0], [0, 0, 0, 0], [2, 0, 8, 9]])
_FULL = torch.arange(16.0).reshape(4, 4) - 5
_BATCH = torch.stack([_DENSE, _DENSE.flip(0)])
_HYBRID = torch.stack([_DENSE, 2 * _DENSE], -1)
_COMPRESSED = ("csr", "csc", "bsr", "bsc")
_UNARY = (
    *("abs", "asin", "asinh", "atan", "atanh", "ceil", "conj_physical", "deg2rad", "erf", "erfinv"),
    *("expm1", "floor", "frac", "isinf", "isnan", "isneginf", "isposinf", "log1p", "neg"),
    *("positive", "rad2deg", "relu", "round", "sgn", "sign", "signbit", "sin", "sinh", "sqrt"),
    *("tan", "tanh", "trunc", "angle"),
)

CASES: dict[str, Callable[[], Any]] = {}


def to_layout(tensor: Any, name: str, **options: Any) -> Any:
    """Convert to a layout, with blocks of 2 x 2 where it has blocks."""
    blocks = {"blocksize": (2, 2)} if name in ("bsr", "bsc") else {}
    return tensor.to_sparse(layout=getattr(torch, f"sparse_{name}"), **blocks, **options)


def parts(tensor: Any) -> Any:
    """Return the layout, the size, the indices and the values of a tensor."""
    if tensor.layout is torch.strided:
        return tensor
    found = {"layout": str(tensor.layout), "size": list(tensor.shape), "nnz": tensor._nnz()}
    if tensor.layout is torch.sparse_coo:
        return found | {"indices": tensor._indices(), "values": tensor._values()}
    rows = tensor.layout in (torch.sparse_csr, torch.sparse_bsr)
    names = ("crow_indices", "col_indices") if rows else ("ccol_indices", "row_indices")
    return found | {name: getattr(tensor, name)() for name in (*names, "values")}


def add(name: str, case: Callable[[], Any]) -> None:
    """Add a case that returns one tensor, of any layout."""
    CASES[name] = lambda: parts(case())


# ---- construction -------------------------------------------------------------------------------
def _construct(name: str, *arguments: Any, **options: Any) -> Callable[[], Any]:
    return lambda: getattr(torch, f"sparse_{name}_tensor")(*arguments, **options)


_BLOCKS = torch.arange(12.0).reshape(2, 2, 3)
_INT32 = [torch.tensor(indices, dtype=torch.int32) for indices in ([0, 1, 2], [0, 1])]
for title, case in {
    "csr": _construct("csr", [0, 1, 2], [0, 2], [1.0, 2.0]),
    "csr with a size": _construct("csr", [0, 1, 2], [0, 1], [1, 2], (2, 5)),
    "csr of a dtype": _construct("csr", [0, 1, 2], [0, 1], [1, 2], dtype=torch.float64),
    "csr with int32 indices": _construct("csr", *_INT32, [1.0, 2.0]),
    "csr with dense dimensions": _construct("csr", [0, 1, 2], [0, 1], torch.ones(2, 3)),
    "csr of a batch": _construct("csr", [[0, 1, 2]] * 2, [[0, 1]] * 2, torch.ones(2, 2)),
    "empty csr": _construct("csr", [0, 0], torch.tensor([], dtype=torch.int64), torch.ones(0)),
    "csc": _construct("csc", [0, 1, 2], [0, 2], [1.0, 2.0]),
    "bsr": _construct("bsr", [0, 1, 2], [0, 1], _BLOCKS),
    "bsc": _construct("bsc", [0, 1, 2], [0, 1], _BLOCKS),
    "compressed": _construct("compressed", [0, 1, 2], [0, 1], _BLOCKS, layout=torch.sparse_bsr),
}.items():
    add(f"construct {title}", case)
    CASES[f"print {title}"] = lambda case=case: repr(case())


def _checked(name: str, *arguments: Any) -> Callable[[], Any]:
    return _construct(name, *arguments, check_invariants=True)


_TWO = torch.ones(2)
for title, case in {
    "no compressed dimension": _checked("csr", torch.tensor(0), [0], [1.0], (1, 1)),
    "dimensions of indices": _checked("csr", [[0, 1]], [0], [1.0], (1, 1)),
    "dimensions of values": _checked("csr", [0, 1], [0], 3.0, (1, 1)),
    "dimensions of blocks": _checked("bsr", [0, 1], [0], torch.ones(1), (1, 1)),
    "too few dimensions": _checked("csr", [0, 1, 2], [0, 1], _TWO, (2,)),
    "too many dimensions": _checked("csr", [0, 1, 2], [0, 1], _TWO, (2, 2, 2)),
    "batch of values": _checked("csr", [[0, 1]], [[0]], torch.ones(2, 1), (1, 1, 1)),
    "batch of size": _checked("csr", [[0, 1]], [[0]], torch.ones(1, 1), (2, 1, 1)),
    "nnz": _checked("csr", [0, 1, 2], [0, 1], torch.ones(3), (2, 2)),
    "rows": _checked("csr", [0, 1], [0], [1.0], (2, 2)),
    "columns": _checked("csc", [0, 1], [0], [1.0], (2, 2)),
    "rows of blocks": _checked("bsr", [0, 1], [0], torch.ones(1, 2, 2), (4, 2)),
    "columns of blocks": _checked("bsc", [0, 1], [0], torch.ones(1, 2, 2), (2, 4)),
    "blocks": _checked("bsc", [0, 1], [0], torch.ones(1, 2, 2), (2, 3)),
    "dtype of indices": _checked("csr", torch.ones(3), torch.ones(2), _TWO, (2, 2)),
    "dtypes of indices": _checked("csr", torch.tensor([0, 1, 2]), _INT32[1], _TWO, (2, 2)),
    "strides of indices": _checked("csr", torch.arange(6)[::2], [0, 1], _TWO, (2, 2)),
    "first index": _checked("csr", [1, 1, 1], [0], [1.0], (2, 2)),
    "last index": _checked("csr", [0, 1, 2], [0], [1.0], (2, 2)),
    "decreasing indices": _checked("csr", [0, 2, 1, 3], [0, 1, 0], torch.ones(3), (3, 2)),
    "too many elements": _checked("csr", [0, 3, 3], [0, 1, 1], torch.ones(3), (2, 2)),
    "negative column": _checked("csr", [0, 1, 2], [-1, 1], _TWO, (2, 2)),
    "large row": _checked("csc", [0, 1, 2], [0, 2], _TWO, (2, 2)),
    "unsorted columns": _checked("csr", [0, 2, 2], [1, 0], _TWO, (2, 2)),
    "equal rows": _checked("csc", [0, 2, 2], [0, 0], _TWO, (2, 2)),
    "no layout": _construct("compressed", [0, 1], [0], [1.0]),
    "layout without compression": _construct(
        "compressed", [0, 1], [0], [1.0], layout=torch.sparse_coo
    ),
    "other layout": _construct("csr", [0, 1], [0], [1.0], layout=torch.sparse_csc),
    "size of scalar indices": _construct("csr", torch.tensor(1), [0], [1.0]),
}.items():
    CASES[f"error: {title}"] = case

# ---- conversions --------------------------------------------------------------------------------
for number in (0.0, 2.0):
    add(f"to_sparse of {number}", lambda number=number: torch.tensor(number).to_sparse())
    add(
        f"sparse_mask of {number}",
        lambda number=number: torch.tensor(3.0).sparse_mask(torch.tensor(number).to_sparse()),
    )
for source, target in itertools.product(("coo", *_COMPRESSED), repeat=2):
    if source in ("bsr", "bsc") and target in ("csr", "csc"):
        name = f"error: {source} to {target}"
    else:
        name = f"{source} to {target}"
    add(name, lambda s=source, t=target: to_layout(to_layout(_DENSE, s), t))
for name in _COMPRESSED:
    CASES[f"print {name}"] = lambda name=name: repr(to_layout(_DENSE, name))
    CASES[f"print {name} of doubles"] = lambda name=name: repr(to_layout(_DENSE.double(), name))
    add(f"dense to {name}", lambda name=name: to_layout(_DENSE, name))
    add(f"empty to {name}", lambda name=name: to_layout(torch.zeros(4, 4), name))
    add(f"batch to {name}", lambda name=name: to_layout(_BATCH, name))
    add(f"hybrid to {name}", lambda name=name: to_layout(_HYBRID, name, dense_dim=1))
    add(f"{name} to dense", lambda name=name: to_layout(_DENSE, name).to_dense())
    add(f"batch of {name} to dense", lambda name=name: to_layout(_BATCH, name).to_dense())
    add(
        f"hybrid {name} to dense",
        lambda name=name: to_layout(_HYBRID, name, dense_dim=1).to_dense(),
    )
    add(f"batch of {name} to coo", lambda name=name: to_layout(_BATCH, name).to_sparse())
    add(
        f"hybrid {name} to coo",
        lambda name=name: to_layout(_HYBRID, name, dense_dim=1).to_sparse(),
    )
    add(f"{name} to float64", lambda name=name: to_layout(_DENSE, name).double())
    add(f"clone {name}", lambda name=name: to_layout(_DENSE, name).clone())
    add(f"detach {name}", lambda name=name: to_layout(_DENSE, name).detach())
    add(f"zeros like {name}", lambda name=name: torch.zeros_like(to_layout(_DENSE, name)))
    add(f"ones like {name}", lambda name=name: torch.ones_like(to_layout(_DENSE, name)))
    add(f"zero {name}", lambda name=name: to_layout(_DENSE, name).zero_())
    add(f"fill {name}", lambda name=name: to_layout(_DENSE, name).fill_(3))
    add(
        f"copy to {name}",
        lambda name=name: to_layout(_DENSE, name).copy_(to_layout(_DENSE * 2, name)),
    )
    add(f"mask as {name}", lambda name=name: _FULL.sparse_mask(to_layout(_DENSE, name)))
    add(
        f"mask coo as {name}",
        lambda name=name: _OTHER.to_sparse().sparse_mask(to_layout(_DENSE, name)),
    )
add(
    "mask csr as itself",
    lambda: to_layout(_OTHER, "csr").sparse_mask(to_layout(_DENSE, "csr")),
)
add("batch of csr to csc", lambda: to_layout(to_layout(_BATCH, "csr"), "csc"))
add("batch of bsr to bsc", lambda: to_layout(to_layout(_BATCH, "bsr"), "bsc"))
add("int32 csr to csc", lambda: to_layout(_construct("csr", *_INT32, [1.0, 2.0])(), "csc"))
add("hybrid csr to bsr", lambda: to_layout(to_layout(_HYBRID, "csr", dense_dim=1), "bsr"))
add("csr to strided", lambda: to_layout(_DENSE, "csr").to_sparse(layout=torch.strided))
_CONVERSION_ERRORS: dict[str, Callable[[], Any]] = {
    "batch with uneven matrices": lambda: to_layout(torch.stack([_DENSE, _OTHER]), "csr"),
    "blocksize of csr": lambda: _DENSE.to_sparse(layout=torch.sparse_csr, blocksize=(2, 2)),
    "bsr without blocksize": lambda: _DENSE.to_sparse(layout=torch.sparse_bsr),
    "blocksize that does not fit": lambda: _DENSE.to_sparse_bsr((3, 2)),
    "blocksize of zero": lambda: _DENSE.to_sparse_bsc((0, 2)),
    "blocksize of three numbers": lambda: _DENSE.to_sparse_bsr((1, 2, 3)),
    "blocksize of coo": lambda: _DENSE.to_sparse().to_sparse_bsr((3, 2)),
    "dense_dim of a matrix": lambda: to_layout(_DENSE, "csr", dense_dim=1),
    "dense_dim of csr": lambda: to_layout(to_layout(_DENSE, "csr"), "csc", dense_dim=1),
    "sparse_dim of csr": lambda: to_layout(_DENSE, "csr").to_sparse(1),
    "coo with three sparse dimensions": lambda: _BATCH.to_sparse().to_sparse_csr(),
    "batch of csr to bsr": lambda: to_layout(to_layout(_BATCH, "csr"), "bsr"),
    "other blocksize": lambda: to_layout(_DENSE, "bsr").to_sparse(
        layout=torch.sparse_bsr, blocksize=(4, 1)
    ),
    "mask of another size": lambda: _DENSE[:2].sparse_mask(to_layout(_DENSE, "csr")),
    "copy of another layout": lambda: to_layout(_DENSE, "csr").copy_(to_layout(_DENSE, "csc")),
    "copy of another nnz": lambda: to_layout(_DENSE, "csr").copy_(to_layout(_OTHER * 0, "csr")),
    "numpy": lambda: to_layout(_DENSE, "bsc").numpy(),
    "strides": lambda: to_layout(_DENSE, "csr").stride(),
    "is_contiguous": lambda: to_layout(_DENSE, "bsr").is_contiguous(),
    "storage": lambda: to_layout(_DENSE, "csr").untyped_storage(),
    "storage of coo": lambda: _DENSE.to_sparse().untyped_storage(),
    "assignment": lambda: to_layout(_DENSE, "csr").__setitem__(0, 1),
}
for title, case in _CONVERSION_ERRORS.items():
    CASES[f"error: {title}"] = case
_ACCESSORS = ("crow_indices", "col_indices", "ccol_indices", "row_indices", "indices", "values")
for source, method in itertools.product(
    ("strided", "coo", *_COMPRESSED), (*_ACCESSORS, "coalesce", "is_coalesced")
):
    rows = method in ("crow_indices", "col_indices") and source in ("csr", "bsr")
    columns = method in ("ccol_indices", "row_indices") and source in ("csc", "bsc")
    coordinates = source == "coo" and not (method.startswith("c") and method.endswith("indices"))
    coordinates = coordinates and method != "row_indices"
    good = rows or columns or coordinates or (method == "values" and source != "strided")
    name = f"{'' if good else 'error: '}{method} of {source}"

    def access(source: str = source, method: str = method) -> Any:
        found = getattr(_DENSE if source == "strided" else to_layout(_DENSE, source), method)()
        return parts(found) if isinstance(found, torch.Tensor) else found

    CASES[name] = access


# ---- products -----------------------------------------------------------------------------------
def _products(name: str, sparse: Any) -> dict[str, Callable[[], Any]]:
    vector = _FULL[1]
    return {
        f"{name} @ matrix": lambda: sparse() @ _FULL,
        f"{name} @ vector": lambda: sparse() @ vector,
        f"mv {name}": lambda: torch.mv(sparse(), vector),
        f"sparse.mm {name}": lambda: torch.sparse.mm(sparse(), _FULL),
        f"addmm {name}": lambda: torch.addmm(_FULL, sparse(), _FULL, beta=0.5, alpha=2),
        f"addmm {name} with a row": lambda: torch.addmm(vector, sparse(), _FULL),
        f"sparse.addmm {name}": lambda: torch.sparse.addmm(_FULL, sparse(), _FULL, beta=2),
        f"linear {name}": lambda: torch.nn.functional.linear(_FULL, sparse(), vector),
    }


for name in ("coo", "csr", "csc", "bsr"):
    for title, case in _products(name, lambda name=name: to_layout(_DENSE, name)).items():
        if title != "linear coo":
            add(title, case)
for name in ("coo", "csr", "csc", "bsc"):
    add(f"matrix @ {name}", lambda name=name: _FULL @ to_layout(_DENSE, name))
    add(f"vector @ {name}", lambda name=name: _FULL[1] @ to_layout(_DENSE, name))
for pair in (("coo", "coo"), ("csr", "csr"), ("csr", "csc"), ("csc", "csr"), ("csc", "csc")):
    a, b = pair
    add(f"{a} @ {b}", lambda a=a, b=b: (to_layout(_DENSE, a) @ to_layout(_OTHER, b)).to_dense())
add(
    "addmm of csr",
    lambda: torch.addmm(*(to_layout(each, "csr") for each in (_DENSE, _OTHER, _OTHER))).to_dense(),
)
for reduce in ("sum", "mean", "amax", "amin"):

    def reduced(reduce: str = reduce) -> Any:
        a, b = (
            to_layout(_DENSE - 2 * _OTHER, "csr").requires_grad_(),
            _FULL.clone().requires_grad_(),
        )
        found = torch.sparse.mm(a, b, reduce)
        (found * _OTHER).sum().backward()
        return found, parts(a.grad), b.grad

    CASES[f"sparse.mm with {reduce}"] = reduced


def _sampled() -> Any:
    inputs = [to_layout(_DENSE, "csr"), _FULL.clone(), _OTHER.clone()]
    a, b, c = (each.requires_grad_() for each in inputs)
    found = torch.sparse.sampled_addmm(a, b, c, beta=2, alpha=3)
    found.to_dense().square().sum().backward()
    return parts(found.detach()), parts(a.grad), b.grad, c.grad


CASES["sampled_addmm"] = _sampled
add(
    "sampled_addmm of a batch",
    lambda: torch.sparse.sampled_addmm(to_layout(_BATCH, "csr"), _BATCH, _BATCH),
)
_CSR = to_layout(_DENSE, "csr")
_PRODUCT_ERRORS: dict[str, Callable[[], Any]] = {
    "shapes of csr @ dense": lambda: _CSR @ _DENSE[:2],
    "shapes of dense @ csr": lambda: _DENSE[:, :2] @ _CSR,
    "shapes of csr @ vector": lambda: _CSR @ _DENSE[0, :2],
    "dtypes of csr @ dense": lambda: _CSR @ _DENSE.double(),
    "layouts of a product": lambda: to_layout(_DENSE, "coo") @ _CSR,
    "unknown reduction": lambda: torch.sparse.mm(_CSR, _DENSE, "prod"),
    "reduction of csc": lambda: torch.sparse.mm(to_layout(_DENSE, "csc"), _DENSE, "mean"),
    "reduction of sparse matrices": lambda: torch.sparse.mm(_CSR, _CSR, "mean"),
    "sampled rows": lambda: torch.sparse.sampled_addmm(_CSR, _DENSE[:2], _DENSE),
    "sampled columns": lambda: torch.sparse.sampled_addmm(_CSR, _DENSE[:, :2], _DENSE[:2, :2]),
    "sampled shapes": lambda: torch.sparse.sampled_addmm(_CSR, _DENSE[:, :2], _DENSE),
    "sampled dtypes": lambda: torch.sparse.sampled_addmm(_CSR, _DENSE.double(), _DENSE),
    "sampled vector": lambda: torch.sparse.sampled_addmm(_CSR, _DENSE[0], _DENSE),
    "sampled layout": lambda: torch.sparse.sampled_addmm(_CSR, _CSR, _DENSE),
    "sampled result": lambda: torch.sparse.sampled_addmm(_CSR.t(), _DENSE, _DENSE),
}
for title, case in _PRODUCT_ERRORS.items():
    CASES[f"error: {title}"] = case

# ---- elements -----------------------------------------------------------------------------------
for name, function in itertools.product(("coo", *_COMPRESSED), _UNARY):
    if (name, function) != ("coo", "angle"):
        add(
            f"{function} of {name}",
            lambda name=name, function=function: getattr(torch, function)(
                to_layout(_DENSE / 7, name)
            ),
        )
for name in ("coo", *_COMPRESSED):
    add(f"{name} * number", lambda name=name: to_layout(_DENSE, name) * 3)
    add(f"number * {name}", lambda name=name: 3 * to_layout(_DENSE, name))
    add(f"{name} * scalar", lambda name=name: to_layout(_DENSE, name) * torch.tensor(3.0))
    add(f"{name} mul_", lambda name=name: to_layout(_DENSE, name).mul_(3))
    add(f"{name} sin_", lambda name=name: to_layout(_DENSE, name).sin_())
    add(f"-{name}", lambda name=name: -to_layout(_DENSE, name))
    add(f"sum of {name}", lambda name=name: to_layout(_DENSE, name).sum())
    add(f"sum of integers, {name}", lambda name=name: to_layout(_DENSE.int(), name).sum())
    add(f"t of {name}", lambda name=name: to_layout(_DENSE, name).t())
    add(f"mT of {name}", lambda name=name: to_layout(_DENSE, name).mT)
    add(f"transpose of {name}", lambda name=name: to_layout(_DENSE, name).transpose(-1, 0))
    add(f"no transpose of {name}", lambda name=name: to_layout(_DENSE, name).transpose(0, 0))
for name in ("csr", "csc"):
    add(f"dense + {name}", lambda name=name: _FULL + to_layout(_DENSE, name))
    add(f"{name} + dense", lambda name=name: to_layout(_DENSE, name) + _FULL)
    add(f"dense add_ {name}", lambda name=name: _FULL.clone().add_(to_layout(_DENSE, name)))
    add(f"{name}[1]", lambda name=name: to_layout(_DENSE, name)[1])
    add(f"{name}[:, -1]", lambda name=name: to_layout(_DENSE, name)[:, -1])
    add(f"{name}[0, 2]", lambda name=name: to_layout(_DENSE, name)[0, 2])
    add(f"unbind {name}", lambda name=name: to_layout(_DENSE, name).unbind()[3])
add("csr + csr", lambda: _CSR + to_layout(_OTHER, "csr"))
add("csr + itself", lambda: _CSR + _CSR)
add("coo + itself", lambda: to_layout(_DENSE, "coo") + to_layout(_DENSE, "coo"))
add("add with alpha", lambda: torch.add(_CSR, to_layout(_OTHER, "csr"), alpha=3))
add("csr * csr", lambda: _CSR * to_layout(_OTHER, "csr"))
add("csr * coo", lambda: _CSR * to_layout(_OTHER, "coo"))
add("csr * dense", lambda: _CSR * _FULL)
add("dense * csr", lambda: _FULL * _CSR)
for dims in (0, 1, (0, 1)):
    add(f"sum of csr over {dims}", lambda dims=dims: _CSR.sum(dims, keepdim=True))
add("batch transpose", lambda: to_layout(_BATCH, "csr").transpose(1, 2))
add("matrix of a batch", lambda: to_layout(_BATCH, "csr")[1])
add("row of a batch", lambda: to_layout(_BATCH, "csr")[1, 2])
add("dense dimension", lambda: to_layout(_HYBRID, "csr", dense_dim=1).select(2, 1))
_ELEMENT_ERRORS: dict[str, Callable[[], Any]] = {
    "add other shape": lambda: _CSR + to_layout(_DENSE[:2], "csr"),
    "add row": lambda: torch.add(_DENSE[0], _CSR),
    "multiply by row": lambda: _CSR * _DENSE[0],
    "sum without keepdim": lambda: _CSR.sum(0),
    "sum of columns of csc": lambda: _CSR.t().sum(0, keepdim=True),
    "row out of range": lambda: _CSR[5],
    "select out of range": lambda: _CSR.select(0, 5),
    "transpose batch and row": lambda: to_layout(_BATCH, "csr").transpose(0, 1),
    "transpose hybrid": lambda: to_layout(_HYBRID, "csr", dense_dim=1).transpose(0, 1),
    "sparse.sum of csr": lambda: torch.sparse.sum(_CSR),
}
for title, case in _ELEMENT_ERRORS.items():
    CASES[f"error: {title}"] = case


# ---- gradients ----------------------------------------------------------------------------------
def _gradient(function: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    """Return the gradients at the elements of a csr matrix, and of a dense one."""

    def case() -> Any:
        a, b = to_layout(_DENSE, "csr").requires_grad_(), _FULL.clone().requires_grad_()
        function(a, b).square().sum().backward()
        found = a.grad.to_dense() if a.grad.layout is not torch.strided else a.grad
        return found * (_DENSE != 0), b.grad

    return case


_DIFFERENTIABLE: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda a, b: a @ b,
    "product from the left": lambda a, b: b @ a,
    "sparse.mm": lambda a, b: torch.sparse.mm(a, b),
    "product with a vector": lambda a, b: a @ b[0],
    "addmm": lambda a, b: torch.addmm(b, a, b),
    "dense sum": lambda a, b: b + a,
    "number": lambda a, b: (a * 2).to_dense(),
    "to_dense": lambda a, b: a.to_dense(),
    "values": lambda a, b: a.values(),
    "relu": lambda a, b: a.relu().to_dense(),
    "square": lambda a, b: (a * a).to_dense(),
    "sum": lambda a, b: a.sum(),
    "transpose": lambda a, b: a.t().to_dense(),
    "product of sparse matrices": lambda a, b: (a @ a).to_dense(),
}
for title, function in _DIFFERENTIABLE.items():
    CASES[f"gradient of {title}"] = _gradient(function)


def _gradient_of_dense() -> Any:
    dense = _DENSE.clone().requires_grad_()
    (dense.to_sparse_csr().values() * torch.arange(6.0)).sum().backward()
    return dense.grad


CASES["gradient of a conversion"] = _gradient_of_dense


def _gradchecks(layout: str, masked: bool) -> Callable[[], Any]:
    def case() -> Any:
        check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
        a = to_layout(_DENSE.double(), layout).requires_grad_()
        return [check(lambda a: (a * 2).to_dense(), a, masked=masked), check(lambda a: a + a, a)]

    return case


for name, masked in itertools.product(("coo", "csr"), (True, False)):
    CASES[f"gradcheck {name} {masked}"] = _gradchecks(name, masked)

# ---- coordinate format --------------------------------------------------------------------------
_COO = _DENSE.to_sparse()
add("hspmm", lambda: torch.hspmm(_COO, _FULL))
add("smm", lambda: torch.smm(_COO, _FULL))
add("Tensor.smm", lambda: _COO.smm(_FULL))
add("sspaddmm", lambda: torch.sspaddmm(_COO, _COO, _FULL, beta=2, alpha=3))
add("Tensor.sspaddmm", lambda: _COO.sspaddmm(_COO, _FULL))
add("resize larger", lambda: _COO.clone().sparse_resize_((5, 6), 2, 0))
add("resize empty", lambda: torch.zeros(2, 2).to_sparse().sparse_resize_((4,), 1, 0))
add("resize and clear", lambda: _COO.clone().sparse_resize_and_clear_((3, 4, 2), 2, 1))
add("cat", lambda: torch.cat([_COO, _OTHER.to_sparse()], 1))
add("stack", lambda: torch.stack([_COO, _OTHER.to_sparse()]))
add("unsqueeze", lambda: _COO.unsqueeze(1))
add("norm", lambda: _COO.norm())
add("any", lambda: _COO.any())
add("column of coo", lambda: _COO[:, 2])
_COO_ERRORS: dict[str, Callable[[], Any]] = {
    "hspmm shapes": lambda: torch.hspmm(_COO, _FULL[:2]),
    "smm shapes": lambda: torch.smm(_COO, _FULL[:2]),
    "smm of dense": lambda: torch.smm(_FULL, _COO),
    "sspaddmm to dense": lambda: torch.sspaddmm(_COO, _COO, _COO),
    "shrink sparse": lambda: _COO.clone().sparse_resize_((3, 4), 2, 0),
    "other sparse_dim": lambda: _COO.clone().sparse_resize_((4,), 1, 0),
    "other dense_dim": lambda: _COO.clone().sparse_resize_((4, 4, 2), 2, 1),
    "dimensions of a size": lambda: _COO.clone().sparse_resize_((4, 4, 2), 2, 0),
    "shrink dense": lambda: _HYBRID.to_sparse(2).sparse_resize_((4, 4, 1), 2, 1),
    "select of coo out of range": lambda: _COO.select(0, 5),
}
for title, case in _COO_ERRORS.items():
    CASES[f"error: {title}"] = case
for name in ("crow_indices", "col_indices", "values"):
    add(f"{name}_copy", lambda name=name: getattr(torch, f"{name}_copy")(_CSR))


# ---- files and attributes -----------------------------------------------------------------------
def _saved(name: str) -> Callable[[], Any]:
    def case() -> Any:
        file = io.BytesIO()
        torch.save(to_layout(_DENSE, name), file)
        file.seek(0)
        return parts(torch.load(file))

    return case


def _attributes(tensor: Any) -> Any:
    return [
        *(tensor.is_sparse, tensor.is_sparse_csr, str(tensor.layout), tensor.requires_grad),
        *(str(tensor.dtype), list(tensor.shape), tensor.dim(), tensor.numel(), len(tensor)),
        *(tensor.sparse_dim(), tensor.dense_dim(), tensor.is_leaf),
    ]


for name in ("coo", *_COMPRESSED):
    CASES[f"save {name}"] = _saved(name)
    CASES[f"attributes of {name}"] = lambda name=name: _attributes(to_layout(_DENSE, name))
    add(f"shallow copy of {name}", lambda name=name: copy.copy(to_layout(_DENSE, name)))


if __name__ == "__main__":
    both.record(CASES)

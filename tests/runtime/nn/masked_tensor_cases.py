"""Calls with masked tensors: Python expressions, whose outcomes both libraries print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import both

import torch
from torch.masked import as_masked_tensor, masked_tensor

UNARY = [
    "abs",
    "acos",
    "acosh",
    "angle",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "conj_physical",
    "cos",
    "cosh",
    "deg2rad",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "frac",
    "i0",
    "isnan",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logit",
    "nan_to_num",
    "neg",
    "positive",
    "rad2deg",
    "reciprocal",
    "round",
    "rsqrt",
    "sgn",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "logical_not",
    "relu",
    "isinf",
]
BINARY = [
    "add",
    "sub",
    "mul",
    "div",
    "floor_divide",
    "remainder",
    "fmod",
    "atan2",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "logaddexp",
    "logaddexp2",
    "nextafter",
    "hypot",
    "copysign",
]
REDUCTIONS = ["sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "var", "std"]
FUNCTIONS_WITH_GRADIENTS = [
    "x.sum()",
    "x.sum(0)",
    "x.mean()",
    "x.mean(0)",
    "x * x",
    "x * 2",
    "x + x",
    "x * data",
    "x / 2",
    "x.exp()",
    "(x * x + 1).log()",
    "x.prod(1)",
    "x.amax(1)",
    "x.amin()",
    "x[0]",
    "x[:, 1:]",
    "x.view(-1)",
    "x.t()",
    "torch.where(mask, x, other)",
    "x.softmax(0)",
    "x.get_data()",
    "x.t().contiguous()",
    "x.var(0)",
    "x.std()",
    "x ** 2",
    "x.sin()",
    "x.abs()",
    "-x",
    "x.clone()",
    "x.double()",
    "torch.cat([x, x])",
    "torch.stack([x, x])",
    "x.unsqueeze(0)",
    "x.to_tensor(0)",
    "1 - x",
    "x[0].expand(2, 4)",
    "x[torch.tensor([0, 0])]",
    "torch.masked.sum(x, 0)",
    "torch.masked.softmax(x, 0)",
    "x.to_sparse().to_dense()",
    "x.to_sparse_csr().to_dense()",
]
EXPRESSIONS = [
    "mt",
    "masked_tensor(torch.arange(3), torch.tensor([True, False, True]))",
    "masked_tensor(torch.tensor([True, False]), torch.tensor([True, False]))",
    "masked_tensor(torch.tensor(2.5), torch.tensor(True))",
    "masked_tensor(torch.tensor(2), torch.tensor(False))",
    "masked_tensor(torch.arange(8.).view(2, 2, 2), torch.arange(8).view(2, 2, 2) % 3 == 0)",
    "MaskedTensor(data, mask, requires_grad=True).is_leaf",
    "as_masked_tensor(leaf, mask).is_leaf",
    "mt.get_data()",
    "mt.get_mask()",
    "mt.to_tensor(0)",
    "is_masked_tensor(mt), is_masked_tensor(data)",
    "masked_tensor(data > 3, mask)._is_any_true()",
    "mt._is_any_true()",
    "(data > 3)._is_any_true(), (data > 3)._is_all_true()",
    "(number(False) + number(False)).get_data()",
    "number(True) + 2",
    "mt.shape, mt.dtype, mt.layout, mt.stride(), mt.is_contiguous(), mt.t().is_contiguous(), len(mt)",
    "mt ** 2",
    "2 * mt",
    "1 / mt",
    "-mt",
    "abs(mt)",
    "~masked_tensor(mask, mask)",
    "mt < 3",
    "mt.clamp(0, 1)",
    "mt + other",
    "torch.add(mt, mt, alpha=2)",
    "torch.round(mt, decimals=1)",
    "torch.clamp(mt, data)",
    "mt.clone().add_(1)",
    "mt.clone().mul_(mt)",
    "mt.clone().abs_()",
    "mt.clone().exp_()",
    "mt[0]",
    "mt[:, 1:3]",
    "mt[torch.tensor([0, 2])]",
    "mt[mask]",
    "mt.t()",
    "mt.T",
    "mt.transpose(0, 1)",
    "mt.view(-1)",
    "mt.view(2, 6)",
    "mt.reshape(4, 3)",
    "mt.flatten()",
    "mt.unsqueeze(0)",
    "mt.squeeze(0)",
    "mt[0].expand(2, 4)",
    "mt.permute(1, 0)",
    "torch.cat([mt, mt])",
    "torch.stack([mt, mt])",
    "torch.split(mt, 2)",
    "mt.chunk(2)",
    "mt.unfold(1, 2, 2)",
    "mt.narrow(0, 0, 1)",
    "mt.diagonal()",
    "mt.t().contiguous()",
    "mt.detach()",
    "mt.to(torch.float64)",
    "mt.int()",
    "mt.softmax(0)",
    "mt.softmax(1)",
    "torch.log_softmax(mt, 0)",
    "mt @ mt.t()",
    "mt[0, 0].item()",
    "mt[0, 1].item()",
    "torch.zeros_like(mt)",
    "torch.where(mask, mt, other)",
    "torch.where(mask, mt, data)",
    "torch.ones_like(mt)",
    "mt.cumsum(0)",
    "torch.masked.cumsum(mt, 0)",
    "torch.masked.sum(mt, 0)",
    "torch.masked.mean(mt, 0, mask=mask)",
    "torch.masked.softmax(mt, 0)",
    "torch.median(mt)",
    "mt.any()",
    "mt.tolist()",
    "mt.numpy()",
    "mt.clone().copy_(mt * 2)",
    "mt.clone().fill_(2)",
    "bool(mt[0, 0] > 1)",
    "float(mt[0, 0])",
    "copy.deepcopy(mt)",
    "mt.sum(0, dtype=torch.float64)",
    "mt.norm()",
    "torch.var(mt, 0, unbiased=False)",
    "masked_tensor([1], mask)",
    "masked_tensor(data, [1])",
    "masked_tensor(data, mask.int())",
    "masked_tensor(data, mask[0])",
    "masked_tensor(data, mask[:2])",
    "masked_tensor(mt, mask)",
    "masked_tensor(data, mt)",
    "masked_tensor(data.to_sparse(), mask)",
    "masked_tensor(data.bfloat16(), mask)",
    "masked_tensor(data.to(torch.complex64), mask)",
    "masked_tensor(data.to(torch.uint8), mask)",
    "mt.to_sparse()",
    "mt.to_sparse_csr()",
    "mt.to_sparse().get_data()",
    "mt[None].to_sparse_csr()",
    "coo, coo.layout, coo.is_sparse, coo.is_sparse_coo(), coo.is_sparse_csr()",
    "coo.get_mask()",
    "coo.is_contiguous()",
    "coo.sum(0)",
    "coo.to_sparse_csr()",
    "coo + mt",
    "coo * csr",
    "coo.argmax()",
    "masked_tensor(rows, torch.sparse_coo_tensor(places[[1, 0]][:, [0, 0, 1]], kept, (3, 3)))",
]
SPARSE = [
    "{0}",
    "{0}.to_dense()",
    "{0}.sin()",
    "{0} * {0}",
    "{0} * 2",
    "{0} + {0}",
    "{0}.sum()",
    "{0}.amax()",
    "{0}.prod()",
    "{0}.abs()",
    "{0} == {0}",
    "{0}.square().get_data()",
    "{0}.to_sparse()",
    "torch.fmax({0}, {0})",
    "torch.fmin({0}, {0} * 2)",
]


def _names() -> dict[str, Any]:
    data = torch.arange(12.0).reshape(3, 4) - 5
    mask = torch.tensor([[1, 0, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0]], dtype=torch.bool)
    places = torch.tensor([[0, 1, 1], [2, 0, 2]])
    values, kept = torch.tensor([3.0, 4.0, 5.0]), torch.tensor([True, False, True])
    rows = torch.sparse_coo_tensor(places, values, (3, 3))
    crow, col = torch.tensor([0, 1, 3, 3]), places[1]
    return {
        **globals(),
        "data": data,
        "leaf": data.clone().requires_grad_(),
        "mask": mask,
        "mt": masked_tensor(data, mask),
        "other": masked_tensor(data, ~mask),
        "places": places,
        "kept": kept,
        "rows": rows,
        "number": _sparse_number,
        "coo": masked_tensor(rows, torch.sparse_coo_tensor(places, kept, (3, 3))),
        "csr": masked_tensor(
            torch.sparse_csr_tensor(crow, col, values, (3, 3)),
            torch.sparse_csr_tensor(crow, col, kept, (3, 3)),
        ),
    }


def _sparse_number(kept: bool) -> Any:
    mask = torch.tensor(kept).to_sparse()
    return masked_tensor(torch.tensor(3.0).sparse_mask(mask), mask)


def _value(expression: str) -> str:
    return str(eval(expression, _names()))


def _gradient(expression: str) -> list[str]:
    names = _names()
    leaf = masked_tensor(names["data"], names["mask"], requires_grad=True)
    result = eval(expression, {**names, "x": leaf})
    result.sum().backward()
    data = names["leaf"]
    eval(expression, {**names, "x": as_masked_tensor(data, names["mask"])}).sum().backward()
    return [str(result.detach()), str(leaf.grad), str(data.grad)]


def _expressions() -> Iterator[str]:
    yield from EXPRESSIONS
    yield from (f"torch.{name}(mt)" for name in (*UNARY, *REDUCTIONS))
    for name in REDUCTIONS:
        yield from (f"mt.{name}()", f"mt.{name}(1)", f"torch.{name}(mt, dim=0, keepdim=True)")
    for name in BINARY:
        yield from (f"torch.{name}({pair})" for pair in ("mt, mt", "mt, data", "data, mt"))
    for name in ("coo", "csr"):
        yield from (each.format(name) for each in SPARSE)


CASES = {
    **{each: lambda each=each: _value(each) for each in _expressions()},
    **{f"gradient of {e}": lambda e=e: _gradient(e) for e in FUNCTIONS_WITH_GRADIENTS},
}
if __name__ == "__main__":
    both.record(CASES)

"""Lookups in tables, packed sequences and conversions of memory formats; see both.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import both

import torch
import torch.autograd.forward_ad as fwAD
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import rnn

CASES: dict[str, Callable[[], Any]] = {}
TABLE = torch.arange(12.0).view(6, 2)
ROWS = torch.tensor([0, 1, 2, 3])


def sparse_gradient(rows: int, width: int, indices: list[int]) -> Any:
    """The caller changes the indices after backward()."""
    layer = nn.Embedding(rows, width, sparse=True)
    chosen = torch.tensor(indices, dtype=torch.int64)
    layer(chosen).sum().backward()
    chosen.fill_(0)
    gradient: Any = layer.weight.grad
    return [gradient._indices(), gradient._values(), list(gradient.shape)]


for _arguments in ((10, 2, [7, 1, 3]), (0, 0, []), (10, 0, [1, 2]), (10, 3, [])):
    CASES[f"sparse gradient: {_arguments}"] = lambda a=_arguments: sparse_gradient(*a)


def detached_sparse_gradient() -> Any:
    layer = nn.Embedding(4, 2, sparse=True)
    (layer(torch.tensor([1])) ** 3).sum().backward(create_graph=True)
    gradient: Any = layer.weight.grad
    before = gradient.requires_grad
    gradient.detach_()
    return [before, gradient.requires_grad, gradient.grad_fn is None]


CASES["sparse gradient: detached"] = detached_sparse_gradient


def gathered(
    size: tuple[int, ...], dim: int, index: Any, dtype: torch.dtype = torch.float32
) -> Any:
    x = torch.arange(1.0, 1 + torch.Size(size).numel()).view(size).to(dtype).requires_grad_()
    result = torch.gather(x, dim, torch.tensor(index), sparse_grad=True)
    (result**2).sum().abs().backward()
    gradient: Any = x.grad
    facts = [list(gradient.shape), gradient.sparse_dim(), gradient.is_coalesced(), gradient.dtype]
    return [gradient._indices(), gradient._values(), *map(str, facts)]


for _gathering in (
    *(((3, 4), dim, [[0, 1], [1, 1], [2, 0]]) for dim in (0, 1, -1)),
    ((3, 4), 1, [[3]]),
    ((2, 3, 4), 1, [[[0, 2], [1, 1]]]),
    ((3,), 0, 1),
    ((), 0, [0, 0]),
    ((), -1, 0),
    ((3, 4), 0, [[2, 1]], torch.complex128),
):
    CASES[f"sparse gradient: gather: {_gathering}"] = lambda a=_gathering: gathered(*a)


def gathered_twice() -> Any:
    x = torch.arange(12.0).view(3, 4).requires_grad_()
    index, weight = torch.tensor([[0, 1], [1, 1]]), torch.ones(2, 2, requires_grad=True)
    result = torch.gather(x, 1, index, sparse_grad=True)
    (first,) = torch.autograd.grad(result, x, weight, create_graph=True)
    (second,) = torch.autograd.grad(first.to_dense().pow(2).sum(), weight)
    return [first.requires_grad, first.detach().to_dense(), second]


CASES["sparse gradient: gather: twice"] = gathered_twice


def gathered_sums(dense: bool) -> Any:
    x = torch.arange(12.0).view(3, 4).requires_grad_()
    parts = [torch.gather(x, 1, torch.tensor([[0, 1], [1, 1]]), sparse_grad=True) for _ in "ab"]
    (sum(part.sum() for part in parts) + (x.sum() if dense else 0)).backward()
    gradient: Any = x.grad
    return [str(gradient.layout), gradient.to_dense()]


for _dense in (False, True):
    CASES[f"sparse gradient: gather: sums: {_dense}"] = lambda dense=_dense: gathered_sums(dense)
CASES["sparse gradient: gather: by a method"] = lambda: (
    TABLE.clone().requires_grad_().gather(1, ROWS[:2, None], sparse_grad=True)
)
CASES["max_norm: int32 rows"] = lambda: [
    F.embedding(ROWS.int(), TABLE.clone(), max_norm=1.0),
    F.embedding_bag(ROWS.int(), TABLE.clone(), torch.tensor([0]).int(), max_norm=1.0),
]


def renormalized_dual() -> Any:
    with fwAD.dual_level():
        dual = fwAD.make_dual(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), torch.ones(2, 2))
        result = F.embedding(torch.tensor([0, 1]), dual, max_norm=1.0)
        return list(fwAD.unpack_dual(result))


CASES["max_norm: dual tensor"] = renormalized_dual


def refused_offsets(offsets: list[int], **settings: Any) -> Any:
    """Return the error's type and first line; PyTorch appends an empty tensor to one of them."""
    try:
        weight = TABLE.clone().requires_grad_()
        return F.embedding_bag(ROWS, weight, torch.tensor(offsets), **settings)
    except Exception as error:
        return [type(error).__name__, str(error).splitlines()[0]]


for _sparse in (False, True):
    for _mode in ("sum", "mean"):
        for _offsets in ([1, 3], [0, 5]):
            CASES[f"bags: {_sparse} {_mode} {_offsets}"] = (
                lambda sparse=_sparse, mode=_mode, offsets=_offsets: refused_offsets(
                    offsets, mode=mode, sparse=sparse
                )
            )
for _name, _weights in {"dtype": torch.ones(4).double(), "shape": torch.ones(3)}.items():
    CASES[f"error: weights of bags: {_name}"] = lambda weights=_weights: F.embedding_bag(
        ROWS, TABLE, torch.tensor([0, 2]), mode="sum", per_sample_weights=weights
    )

PACKED = rnn.pack_sequence([torch.tensor([1.0, 2.0]), torch.tensor([3.0])])
CASES["packed: conversions"] = lambda: [
    str(getattr(PACKED, name)().data.dtype) for name in ("long", "int", "short", "char", "byte")
]
CASES["error: packed: data alone"] = lambda: rnn.PackedSequence(torch.ones(3))
CASES["error: pad_sequence: a number"] = lambda: rnn.pad_sequence(5)
CASES["error: pad_sequence: a scalar"] = lambda: rnn.pad_sequence(torch.tensor(3))
CASES["error: pad_sequence: side"] = lambda: rnn.pad_sequence([torch.ones(2)], padding_side="up")


def strides(shape: tuple[int, ...], format: torch.memory_format) -> Any:
    given = torch.randn(shape)
    converted = given.to(memory_format=format)
    back = converted.to(memory_format=torch.contiguous_format)
    return [list(x.stride()) for x in (converted, back, given.contiguous(memory_format=format))]


# Dimensions of size 1 fit every format, but their strides tell later operators the format.
for _shape in ((1, 1, 7, 7), (8, 4, 1, 1), (2, 4, 5, 1), (2, 3, 4, 5)):
    CASES[f"channels last: {_shape}"] = lambda s=_shape: strides(s, torch.channels_last)
    CASES[f"channels last 3d: {_shape}"] = lambda s=_shape: strides((*s, 1), torch.channels_last_3d)
CASES["channels last: 1x1 convolution"] = lambda: list(
    nn.Conv2d(4, 8, 1).to(memory_format=torch.channels_last)(torch.randn(2, 4, 7, 7)).stride()
)

if __name__ == "__main__":
    both.record(CASES)

"""The operators of tensor expressions as functions of C, called on the memory of tensors."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

LIBRARY = Path(__file__).resolve().parents[2] / "torch/lib/libtorch_tensorexpr.so"
pytestmark = pytest.mark.skipif(
    not LIBRARY.exists(), reason="needs BUILD_TENSOREXPR=ON python setup.py develop"
)

_DTYPES = {torch.int32: 3, torch.int64: 4, torch.float32: 6, torch.float64: 7, torch.bool: 11}
"""The numbers of c10::ScalarType."""


def scalar(value: float) -> tuple[int, int]:
    """Return the words of a Scalar: its type and its value."""
    if isinstance(value, int):
        return _DTYPES[torch.int64], value
    return _DTYPES[torch.float64], struct.unpack("<q", struct.pack("<d", value))[0]


def call(
    function: str, out: torch.Tensor, inputs: Sequence[torch.Tensor], words: Sequence[int] = ()
) -> None:
    """Compute `out` by a function, whose further arguments are `words`."""

    def array(type: type[ctypes._SimpleCData], values: Sequence[int]) -> ctypes.Array:
        return (type * max(1, len(values)))(*values)

    bufs = (out, *inputs)
    getattr(ctypes.CDLL(str(LIBRARY)), function)(
        ctypes.c_int64(len(bufs)),
        array(ctypes.c_void_p, [each.data_ptr() for each in bufs]),
        array(ctypes.c_int64, [each.dim() for each in bufs]),
        array(ctypes.c_int64, list(chain.from_iterable(each.size() for each in bufs))),
        array(ctypes.c_int64, list(chain.from_iterable(each.stride() for each in bufs))),
        array(ctypes.c_int8, [_DTYPES[each.dtype] for each in bufs]),
        ctypes.c_int64(len(words)),
        array(ctypes.c_int64, words),
    )


def _check(
    function: str, expected: torch.Tensor, inputs: Sequence[torch.Tensor], *words: int
) -> None:
    out = torch.empty_like(expected)
    call(function, out, inputs, words)
    torch.testing.assert_close(out, expected)


def test_tensors_are_combined() -> None:
    a, b, c = torch.randn(3, 4), torch.randn(4, 5), torch.randn(3, 5)
    _check("nnc_aten_mm", a @ b, [a, b])
    _check("nnc_aten_mul", c * c, [c, c])
    _check("nnc_aten_eq", torch.eq(c, c), [c, c])
    _check("nnc_aten_sigmoid", torch.sigmoid(a.double()), [a.double()])


@pytest.mark.parametrize("diagonal", [-2, 0, 1])
def test_integers_are_passed(diagonal: int) -> None:
    x = torch.randn(4, 5)
    _check("nnc_aten_tril", torch.tril(x, diagonal), [x], diagonal)
    _check("nnc_aten_triu", torch.triu(x, diagonal), [x], diagonal)


def test_integers_and_bools_are_passed() -> None:
    x = torch.randn(3, 4)
    for dim in (0, -1):
        _check("nnc_aten__softmax", torch.softmax(x, dim), [x], dim, False)
    index = torch.tensor([2, 0])
    _check("nnc_aten_index_select", x.index_select(1, index), [x, index], 1)
    index = index.reshape(1, 2)
    _check("nnc_aten_gather", x.gather(1, index), [x, index], 1, False)


def test_scalars_keep_their_types() -> None:
    a, b, c = torch.randn(3, 4), torch.randn(4, 5), torch.randn(3, 5)
    _check(
        "nnc_aten_addmm",
        torch.addmm(c, a, b, beta=2, alpha=0.5),
        [c, a, b],
        *scalar(2),
        *scalar(0.5),
    )
    whole = torch.arange(6, dtype=torch.int32)
    _check("nnc_aten_add", torch.add(whole, whole, alpha=3), [whole, whole], *scalar(3))
    _check("nnc_aten_gt_Scalar", whole > 2.5, [whole], *scalar(2.5))
    _check("nnc_aten_pow_Scalar", torch.pow(2, whole), [whole], *scalar(2))


def test_floats_are_passed() -> None:
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    expected = torch.nn.functional.huber_loss(x, y, reduction="sum", delta=0.25)
    _check("nnc_aten_huber_loss", expected, [x, y], 2, scalar(0.25)[1])


def test_strided_memory_is_read_and_written() -> None:
    a, b = torch.randn(4, 3).t(), torch.randn(5, 4).t()
    out = torch.full((10, 3), 7.0).t()[:, ::2]
    call("nnc_aten_mm", out, [a, b])
    torch.testing.assert_close(out, a @ b)
    assert out.stride() == (1, 6)

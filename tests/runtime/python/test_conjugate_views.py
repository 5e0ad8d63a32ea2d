"""Conjugation and negation are views that share memory, for every operator and transform."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import conjugate_programs
import pytest
from conjugate_programs import PROGRAMS

import torch


def values() -> torch.Tensor:
    return torch.tensor([1 + 2j, 3 - 4j, 0.5j])


def test_conj_is_a_view() -> None:
    z = values()
    c = z.conj()
    assert c.is_conj() and torch.is_conj(c) and c._is_view() and c.data_ptr() == z.data_ptr()
    assert not c.conj().is_conj()
    assert c.tolist() == [1 - 2j, 3 + 4j, -0.5j]


def test_imaginary_parts_of_a_conjugate_are_a_view() -> None:
    z = values()
    n = z.conj().imag
    assert n.is_neg() and torch.is_neg(n) and n._base is z
    assert n.tolist() == [-2.0, 4.0, -0.5]
    n.copy_(torch.tensor([1.0, 2.0, 3.0]))
    assert z.tolist() == [1 - 1j, 3 - 2j, -3j]


def test_writing_a_conjugate_writes_its_base() -> None:
    z = values()
    z.conj().mul_(2j)
    assert z.tolist() == [4 - 2j, -8 - 6j, 1 + 0j]
    torch.add(values(), 1j, out=z.conj())
    assert z.tolist() == [1 - 3j, 3 + 3j, -1.5j]


def test_an_output_of_several_is_written() -> None:
    z = torch.zeros(3, dtype=torch.complex64)
    index = torch.zeros(3, dtype=torch.int64)
    found = torch.max(torch.eye(3) * 2, 0, out=(z.conj().imag, index))
    assert found[0].is_neg() and z.tolist() == [-2j] * 3 and index.tolist() == [0, 1, 2]


def test_lists_of_written_tensors() -> None:
    """PyTorch refuses these."""
    z, w = values(), values()
    torch._foreach_mul_([z.conj(), w.conj().imag], 2)
    assert z.tolist() == (values() * 2).tolist()
    assert w.tolist() == [1 + 4j, 3 - 8j, 1j]


def test_half_precision_complex() -> None:
    z = values().to(torch.complex32)
    assert z.conj().to(torch.complex64).tolist() == values().conj().tolist()


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int64, torch.float16])
def test_negative_views_of_real_tensors(dtype: torch.dtype) -> None:
    x = torch.tensor([1, 2, 0], dtype=dtype)
    n = x._neg_view()
    assert n.is_neg() and torch.equal(n, -x) and torch.equal(n.resolve_neg(), -x)
    n.add_(1)
    assert torch.equal(x, -(-torch.tensor([1, 2, 0], dtype=dtype) + 1))


def test_memory_is_not_given_away() -> None:
    for view, kind in ((values().conj(), "conjugate"), (values().conj().imag, "negative")):
        with pytest.raises(RuntimeError, match=f"{kind} bit set"):
            view.numpy()
        with pytest.raises(BufferError, match=f"{kind} bit set"):
            torch.utils.dlpack.to_dlpack(view)
        with pytest.raises(BufferError, match=f"{kind} bit set"):
            view.__dlpack__()


@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam"]
)
def test_optimizers_take_conjugated_gradients(name: str) -> None:
    results = []
    for resolve in (True, False):
        w = values().requires_grad_()
        w.grad = (values() * 1j).conj()
        if resolve:
            w.grad = w.grad.resolve_conj()
        getattr(torch.optim, name)([w], lr=0.5).step()
        results.append(w.detach())
    torch.testing.assert_close(*results)


def test_optimizers_do_not_lose_the_update_of_a_conjugated_parameter() -> None:
    parameter = torch.nn.Parameter(values().conj())
    parameter.grad = values()
    with pytest.raises(RuntimeError, match="view_as_real doesn't work"):
        torch.optim.Adam([parameter]).step()


def test_gradients_of_conjugate_views() -> None:
    x = torch.randn(3, dtype=torch.complex128, requires_grad=True)
    y = torch.randn(3, 2, dtype=torch.complex128, requires_grad=True)
    for function in (
        lambda a: a.conj() * a,
        lambda a: a.conj().imag.sin(),
        lambda a: (a * 1).conj().mul_(a),
        lambda a: a._neg_view().conj().exp(),
    ):
        assert torch.autograd.gradcheck(function, x)
        assert torch.autograd.gradgradcheck(function, x)
    for function in (lambda a: a.mH @ a, lambda a: torch.linalg.inv(a.mH @ a + torch.eye(2))):
        assert torch.autograd.gradcheck(function, y)
        assert torch.autograd.gradgradcheck(function, y)


def test_an_operator_of_a_library_gets_a_copy() -> None:
    library = torch.library.Library("conjugate_views", "DEF")
    library.define("first(Tensor x) -> Tensor")
    library.define("scale_(Tensor(a!) x) -> Tensor(a!)")
    library.define("rest(Tensor(a) x) -> Tensor(a)")
    seen = []

    def first(x):
        seen.append(x.is_conj())
        return x[:1].clone()

    def scale_(x):
        seen.append(x.is_conj())
        return x.mul_(2j)

    def rest(x):
        seen.append(x.is_conj())
        return x[1:]

    library.impl("first", first, "CPU")
    library.impl("scale_", scale_, "CPU")
    library.impl("rest", rest, "CPU")
    operators = torch.ops.conjugate_views
    z = values()
    c = z.conj()
    assert operators.first(c).tolist() == [1 - 2j]
    assert operators.scale_(c) is c
    assert z.tolist() == [4 - 2j, -8 - 6j, 1 + 0j]
    assert operators.rest(c).is_conj()
    assert seen == [False, False, True]
    library._destroy()


def test_a_queue_keeps_the_bits() -> None:
    context = torch.multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    sent = [values().conj(), values().conj().imag]
    queue.put(sent)
    received = queue.get()
    assert [each.is_conj() for each in received] == [True, False]
    assert [each.is_neg() for each in received] == [False, True]
    assert [each.tolist() for each in received] == [each.tolist() for each in sent]


def agrees(ours: Any, theirs: Any, where: str) -> None:
    if isinstance(theirs, list):
        assert isinstance(ours, list) and len(ours) == len(theirs), where
        for place, pair in enumerate(zip(ours, theirs, strict=True)):
            agrees(*pair, f"{where}[{place}]")
    elif isinstance(theirs, dict):
        assert isinstance(ours, dict) and set(ours) == set(theirs), where
        for name, value in theirs.items():
            agrees(ours[name], value, f"{where}.{name}")
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=2e-5, abs=2e-5), where
    else:
        assert ours == theirs, where


@pytest.fixture(scope="module")
def theirs() -> dict[str, Any]:
    command = [os.environ["TORCH_PEER"], str(Path(conjugate_programs.__file__))]
    ran = subprocess.run(command, cwd="/", capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.peer
@pytest.mark.skipif("TORCH_PEER" not in os.environ, reason="set TORCH_PEER to a Python with torch")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_agree_with_the_peer(name: str, theirs: dict[str, Any]) -> None:
    ours = json.loads(json.dumps(conjugate_programs.plain(PROGRAMS[name]())))
    agrees(ours, theirs[name], name)

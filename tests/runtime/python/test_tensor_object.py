"""Tensor objects: identity, lifetime, attributes, subclasses, copies and pickles."""

from __future__ import annotations

import base64
import copy
import gc
import pickle
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import torch


def test_each_tensor_has_one_python_object() -> None:
    tensor = torch.ones(2)
    assert tensor.add_(1) is tensor
    assert tensor.contiguous() is tensor
    assert tensor.to(torch.float32) is tensor


def test_tensors_are_freed_with_their_last_reference() -> None:
    tensor = torch.ones(2)
    reference = weakref.ref(tensor)
    assert reference() is tensor
    del tensor
    assert reference() is None


def test_recycled_objects_have_no_old_attributes() -> None:
    for _ in range(3):
        tensor = torch.ones(2)
        assert tensor.__dict__ == {}
        tensor.note = 1
        del tensor


def test_an_object_with_attributes_lives_as_long_as_its_tensor() -> None:
    tensor = torch.ones(2)
    tensor.note = "kept"
    reference = weakref.ref(tensor)
    capsule = tensor.__dlpack__()  # C++ holds the tensor
    del tensor
    back = reference()
    assert back is not None
    assert back.note == "kept"
    del capsule  # now only Python does
    assert back.tolist() == [1.0, 1.0]
    assert (back + 1).tolist() == [2.0, 2.0]
    del back
    assert reference() is None


def test_a_subclass_survives_in_cpp() -> None:
    tensor = torch.ones(2).as_subclass(Named)
    reference = weakref.ref(tensor)
    capsule = tensor.__dlpack__()
    del tensor
    gc.collect()
    assert type(reference()) is Named
    del capsule
    gc.collect()
    assert reference() is None


def test_cycles_through_attributes_are_collected() -> None:
    tensor = torch.ones(2)
    reference = weakref.ref(tensor)
    tensor.itself = tensor
    del tensor
    gc.collect()
    assert reference() is None


def test_attributes_live_as_long_as_cpp_holds_the_tensor() -> None:
    x = (torch.ones(2, requires_grad=True) * 2).requires_grad_()
    x.tag = [1]  # type: ignore[attr-defined]
    cycle: list[object] = [x]
    cycle.append(cycle)
    y = x * x  # its node saves x
    del x, cycle
    gc.collect()
    assert y.grad_fn._saved_self.tag == [1]

    first, second = torch.empty(2), torch.empty(2)
    first.other, second.other = second, first  # type: ignore[attr-defined]
    alive = weakref.ref(second)
    holder = torch.empty(2)
    holder.grad = first
    del first, second
    gc.collect()
    assert alive() is not None
    del holder
    gc.collect()
    assert alive() is None


def test_reference_counts_do_not_drift() -> None:
    a, b = torch.ones(2, 2), torch.ones(2, 2)
    kind_before = sys.getrefcount(torch.Tensor)
    before = sys.getrefcount(a), sys.getrefcount(torch.float32)
    for _ in range(2000):
        a + b, a + 1, a.view(-1), a[0], a.shape, a.dtype, a.sum(), torch.cat([a, b]), a.add_(0)
        torch.zeros(2, dtype=torch.float32)
    assert (sys.getrefcount(a), sys.getrefcount(torch.float32)) == before
    assert abs(sys.getrefcount(torch.Tensor) - kind_before) < 10


class Named(torch.Tensor):
    """A subclass, so that results are wrapped in it."""


@pytest.mark.parametrize(
    "make",
    [
        *(lambda: torch.rand(2), lambda: torch.randint(3, (2,)), lambda: torch.eye(2)),
        *(lambda: torch.cat([torch.ones(2)]), lambda: torch.stack([torch.ones(2)])),
        lambda: torch.nn.functional.pad(torch.ones(2), (1, 1)),
        lambda: torch.zeros(2).index_add(0, torch.tensor([0]), torch.ones(1)),
        lambda: torch.zeros(2).scatter(0, torch.tensor([0]), 1.0),
        lambda: torch.zeros(2).index_put((torch.tensor([0]),), torch.ones(1)),
        lambda: torch.addmm(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2)),
        lambda: torch.ones(2).masked_fill(torch.tensor([True, False]), 2),
        lambda: torch.ones(2).diag_embed(),
        lambda: torch.nn.functional.dropout(torch.ones(2)),
    ],
)
def test_new_tensors_have_version_0(make: Callable[[], torch.Tensor]) -> None:
    assert make()._version == 0


def test_results_keep_the_subclass() -> None:
    tensor = torch.ones(2).as_subclass(Named)
    assert type(tensor) is Named
    for result in (
        tensor + 1,
        1 - tensor,
        torch.add(tensor, tensor),
        tensor.sum(),
        tensor[0],
        -tensor,
        tensor == 1,
    ):
        assert type(result) is Named
    assert type(torch.max(tensor.view(1, 2), 1).values) is Named
    assert type(tensor.detach()) is Named
    assert isinstance(Named([1.0, 2.0]), Named)
    matrix = torch.ones(2, 3).as_subclass(Named)
    for result in (matrix.T, matrix.mT, matrix.H, matrix.real, matrix.data):
        assert type(result) is Named
    leaf = matrix.requires_grad_()
    leaf.sum().backward()
    assert type(leaf.grad) is torch.Tensor


def test_torch_function_overrides_calls() -> None:
    seen: list[Any] = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(func)
            return super().__torch_function__(func, types, args, kwargs)

    tensor = torch.ones(2).as_subclass(Logged)
    torch.add(tensor, 1)
    tensor.add(1)
    assert seen[0] == torch.add
    assert seen[1] == torch.Tensor.add

    class Foreign:
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return "mine"

    assert torch.add(torch.ones(2), Foreign()) == "mine"
    assert torch.cat([torch.ones(2), Foreign()]) == "mine"


def test_disabled_torch_function() -> None:
    class Plain(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    tensor = torch.ones(2).as_subclass(Plain)
    assert type(tensor + 1) is torch.Tensor
    assert type(torch.add(tensor, 1)) is torch.Tensor


def test_deepcopy_preserves_sharing() -> None:
    base = torch.arange(6.0)
    view = base[2:4]
    copied_base, copied_view = copy.deepcopy([base, view])
    copied_base[2] = 9
    assert copied_view[0] == 9
    assert base[2] == 2
    base.note = [1]
    again = copy.deepcopy(base)
    assert again.note == [1]
    assert again.note is not base.note


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.bool, torch.int64, torch.bfloat16, torch.complex64]
)
def test_pickle_round_trip(protocol: int, dtype: torch.dtype) -> None:
    tensor = torch.arange(6).to(dtype).reshape(2, 3).t()[1:]
    back = pickle.loads(pickle.dumps(tensor, protocol))
    assert torch.equal(back, tensor)
    assert (back.dtype, back.stride(), back.storage_offset()) == (
        dtype,
        tensor.stride(),
        tensor.storage_offset(),
    )


def test_pickle_keeps_sharing_subclasses_and_attributes() -> None:
    base = torch.arange(4.0)
    first, second = pickle.loads(pickle.dumps([base, base[1:]]))
    first[1] = 7
    assert second[0] == 7
    named = torch.ones(2).as_subclass(Named)
    named.note = "kept"
    back = pickle.loads(pickle.dumps(named))
    assert type(back) is Named
    assert back.note == "kept"
    meta = pickle.loads(pickle.dumps(torch.zeros(2, 3, device="meta")))
    assert meta.is_meta
    assert meta.shape == (2, 3)


# pickle.dumps(torch.tensor([1, 2, 3], dtype=torch.int16)[1:], 2) of PyTorch 2.13, in base 85.
PICKLE_OF_PYTORCH = (
    r"fC6K5Z*pU3E?;$YX>4-}Uvgz)b!lv5Uvy<|b8m8Ab}|Za04QU0Z*pU3E^~Bma$#p>3SVq*VPs!sa&K*4"
    r"VtI6Ba|&?*V_#!$WMyM>3T19%Z)9Z(aROKl0RRBPfC9pb3T(r?!kk9Kxgcu7s8AU$!hixz!>I!<!hiyO"
    r"aR4Y-5C8xGaB^>SZ)0z4Uv_13b7^mGaRE)ksRLLI0001NX>@dKWnX1(WNBe;aRS1KSPB3D0Cah9WnXh?"
    r"dS!EQ1ATD>C|Csm0047nZ*p{T1xo^00{{R3X>N3J21^831ONa4Y;SI7aR*BTb#*SnfC4C32LJ#7b98TV"
    r"VP|D=0AqA-a${%;Q)q8;bW?P1a$#p>3UL8g4gdfEIWsvqGC4UpIXE^kGB|MpSOWk60Ap}<aRW;OPIPeu"
    r"Q7*!O0$p(cSPlRH068-`IWjppIXO5sF)}!D0bwo!000000000100IC50C59Y1^@s6Y+-b1ZZUBLhH(W_"
    r"aR!BP2U2keO94v)g>eZ>0fli2iDP4LY;0v?bZKvHa|%y#WMy(?WJGCWbP90`DN=C^ba4$*aSkp"
)


def test_pickles_are_those_of_pytorch() -> None:
    theirs = pickle.loads(base64.b85decode(PICKLE_OF_PYTORCH))
    assert theirs.tolist() == [2, 3] and theirs.dtype is torch.int16
    tensor = torch.tensor([1, 2, 3], dtype=torch.int16)[1:]
    written = pickle.dumps(tensor, 2)
    assert b"_load_from_bytes" in written and b"_typed_storage" not in written
    assert written == pickle.dumps(torch.tensor([1, 2, 3], dtype=torch.int16)[1:], 2)


def test_objects_pickle_by_name() -> None:
    for thing in (torch.float32, torch.strided, torch.channels_last, torch.per_tensor_affine):
        assert pickle.loads(pickle.dumps(thing)) is thing
    for thing in (torch.device("cuda:1"), torch.Size([1, 2])):
        assert pickle.loads(pickle.dumps(thing)) == thing
        assert copy.deepcopy(thing) == thing
    result = torch.max(torch.ones(2, 2), 0)
    assert type(pickle.loads(pickle.dumps(result))) is torch.return_types.max


def test_data_model() -> None:
    tensor = torch.arange(6.0).reshape(2, 3)
    assert len(tensor) == 2
    assert [row.tolist() for row in tensor] == tensor.tolist()
    assert 3 in tensor
    assert 9 not in tensor
    assert hash(tensor) == id(tensor)
    assert range(5)[torch.tensor(3)] == 3
    assert float(torch.tensor(1.5)) == 1.5
    assert int(torch.tensor(2.9)) == 2
    assert complex(torch.tensor(2.0)) == 2
    assert bool(torch.tensor([0.0])) is False
    with pytest.raises(TypeError):
        range(3)[torch.tensor(1.0)]
    with pytest.raises(AttributeError):
        assert tensor.unknown


def test_many_threads_create_and_free_tensors() -> None:
    def work() -> None:
        for _ in range(300):
            tensor = torch.ones(50_000)
            (tensor + 1).sum()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_adjoint_of_a_complex_matrix_conjugates() -> None:
    x = torch.tensor([[1 + 2j, 3 - 1j]], requires_grad=True)
    expected = torch.tensor([[1 - 2j], [3 + 1j]])
    for adjoint in (x.H, x.mH):
        assert torch.equal(adjoint, expected)
        assert adjoint.requires_grad
    assert torch.equal(torch.tensor(1j).H, torch.tensor(-1j))


def test_complex_numbers_without_imaginary_part_are_real() -> None:
    assert (float(torch.tensor(1.5 + 0j)), int(torch.tensor(2 + 0j))) == (1.5, 2)
    with pytest.raises(RuntimeError, match="cannot be converted to type int64_t without overflow"):
        int(torch.tensor(1 + 1j))
    with pytest.raises(RuntimeError, match="cannot be converted to type double without overflow"):
        float(torch.tensor(1 + 1j))


def test_cdata_tells_tensors_apart() -> None:
    tensor = torch.ones(2)
    assert tensor._cdata == tensor.requires_grad_()._cdata
    assert tensor._cdata != tensor.detach()._cdata

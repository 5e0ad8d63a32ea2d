"""torch.save and torch.load with subclasses of tensors, other pickle modules and plain file objects."""

from __future__ import annotations

import copy
import io
import pickle
import types
from typing import Any

import pytest

import torch
from torch.utils._pytree import tree_map


class Wrapper(torch.Tensor):
    """A tensor that holds another one and has no memory of its own."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Any:
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.size(), strides=inner.stride(), dtype=inner.dtype
        )

    def __init__(self, inner: torch.Tensor) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        plain = tree_map(lambda x: x.inner if isinstance(x, Wrapper) else x, (args, kwargs or {}))
        result = func(*plain[0], **plain[1])
        return tree_map(lambda x: Wrapper(x) if isinstance(x, torch.Tensor) else x, result)


class WithSlots(torch.Tensor):
    """A subclass that keeps an attribute in a slot."""

    __slots__ = ("note",)


class WithState(torch.Tensor):
    """A subclass that says itself what a pickle has of it."""

    def __getstate__(self) -> dict[str, int]:
        return {"state": 7}


def reloaded(value: Any, **arguments: Any) -> Any:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, **arguments)


def test_wrappers_are_written_by_their_attributes() -> None:
    wrapper = Wrapper(torch.arange(6.0).reshape(2, 3).t())
    with pytest.raises(pickle.UnpicklingError, match="Wrapper"):
        reloaded(wrapper)
    with torch.serialization.safe_globals([Wrapper]):
        safely = reloaded(wrapper)
    copies = [safely, reloaded(wrapper, weights_only=False), pickle.loads(pickle.dumps(wrapper))]
    for each in [*copies, copy.deepcopy(wrapper)]:
        assert type(each) is Wrapper
        assert each.stride() == (1, 3)
        assert torch.equal(each.inner, wrapper.inner)


def test_attributes_of_subclasses_are_kept() -> None:
    slotted = torch.ones(2).as_subclass(WithSlots)
    slotted.note = "here"
    assert pickle.loads(pickle.dumps(slotted)).note == "here"
    stateful = torch.ones(2).as_subclass(WithState)
    assert pickle.loads(pickle.dumps(stateful)).state == 7


def test_sparse_tensors_of_older_files_do_not_say_whether_they_are_coalesced() -> None:
    parts = (torch.tensor([[0, 1]]), torch.tensor([3.0, 4.0]), (2,))
    tensor = torch._utils._rebuild_sparse_tensor(torch.sparse_coo, parts)
    assert tensor.to_dense().tolist() == [3.0, 4.0]


@pytest.mark.parametrize("zipped", [True, False])
def test_another_pickle_module_writes_and_reads(zipped: bool) -> None:
    used = []

    class Pickler(pickle.Pickler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            used.append("write")

    class Unpickler(pickle.Unpickler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            used.append("read")

    module = types.SimpleNamespace(Pickler=Pickler, Unpickler=Unpickler, dump=pickle.dump)
    buffer = io.BytesIO()
    torch.save(torch.ones(2), buffer, pickle_module=module, _use_new_zipfile_serialization=zipped)
    buffer.seek(0)
    assert torch.load(buffer, pickle_module=module).tolist() == [1.0, 1.0]
    assert used[0] == "write" and set(used[1:]) == {"read"}


def test_a_file_needs_only_read_seek_and_tell() -> None:
    buffer = io.BytesIO()
    torch.save(torch.arange(3), buffer)
    buffer.seek(0)
    file = types.SimpleNamespace(read=buffer.read, seek=buffer.seek, tell=buffer.tell)
    file.readline = buffer.readline
    assert torch.load(file).tolist() == [0, 1, 2]


@pytest.mark.parametrize("zipped", [True, False])
def test_memory_of_two_types_is_not_written(zipped: bool) -> None:
    tensor = torch.ones(4)
    both = [tensor, tensor.view(torch.int32)]
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        torch.save(both, io.BytesIO(), _use_new_zipfile_serialization=zipped)

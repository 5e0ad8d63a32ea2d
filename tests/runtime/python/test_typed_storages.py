"""TypedStorage, the classes of one dtype, and UntypedStorage: arguments, sizes, errors."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import torch


def untyped() -> torch.UntypedStorage:
    return torch.UntypedStorage(8)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    [
        ((), {"device": "cpu"}, RuntimeError, "'device' cannot be specified"),
        ((), {"dtype": torch.float}, RuntimeError, "'dtype' cannot be specified"),
        ((), {"other": 1}, TypeError, "unexpected keyword argument"),
        ((0, 0), {}, RuntimeError, "Too many positional arguments"),
        ((torch.ones(1),), {}, TypeError, "Argument type not recognized: <class 'torch.Tensor'>"),
        ((0,), {"wrap_storage": untyped()}, RuntimeError, "No positional arguments should be"),
        ((), {"wrap_storage": 0}, TypeError, "must be UntypedStorage, but got <class 'int'>"),
        ((), {"wrap_storage": torch.FloatStorage()}, TypeError, "must be UntypedStorage"),
    ],
)
def test_a_class_of_one_dtype_refuses_other_arguments(
    arguments: tuple[Any, ...], keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        torch.FloatStorage(*arguments, **keywords)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    [
        ((0, 0), {}, RuntimeError, "Too many positional arguments"),
        ((torch.ones(1),), {}, TypeError, "Argument type not recognized: <class 'torch.Tensor'>"),
        ((0,), {"wrap_storage": untyped()}, RuntimeError, "No positional arguments should be"),
        ((), {"wrap_storage": untyped()}, RuntimeError, "Argument 'dtype' must be specified"),
        (
            (),
            {"wrap_storage": untyped(), "dtype": torch.int8, "device": "cpu"},
            RuntimeError,
            "Argument 'device' should not be specified",
        ),
        ((), {"wrap_storage": 0, "dtype": torch.int8}, TypeError, "must be UntypedStorage"),
    ],
)
def test_a_typed_storage_refuses_other_arguments(
    arguments: tuple[Any, ...], keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        torch.TypedStorage(*arguments, **keywords)


def test_base_classes_have_no_instances() -> None:
    with pytest.raises(RuntimeError, match="Only child classes of _LegacyStorage"):
        torch.storage._LegacyStorage()
    with pytest.raises(RuntimeError, match="Cannot directly construct StorageBase"):
        torch._C.StorageBase()

    class Own(torch._C.StorageBase):
        pass

    assert Own().nbytes() == 0


def test_the_size_of_the_object_includes_its_memory() -> None:
    for make in (torch.FloatStorage, torch.UntypedStorage):
        empty, full = make(0), make(10)
        assert full.__sizeof__() - empty.__sizeof__() == full.nbytes()


def test_copies_have_memory_of_their_own() -> None:
    for storage in (torch.FloatStorage([1, 2]), torch.UntypedStorage([1, 2])):
        assert copy.copy(storage).tolist() == storage.tolist()
        assert copy.copy(storage).data_ptr() != storage.data_ptr()


def test_names_of_classes_by_dtype() -> None:
    assert torch.storage._dtype_to_storage_type_map()[torch.float32] == "FloatStorage"
    assert torch.storage._storage_type_to_dtype_map()["LongStorage"] is torch.int64


def test_indices_outside_of_a_storage() -> None:
    with pytest.raises(IndexError, match="index 5 out of range for storage of size 2"):
        torch.FloatStorage([1, 2])[5]
    with pytest.raises(IndexError, match="index -3 out of range for storage of size 2"):
        torch.UntypedStorage([1, 2])[-3]
    with pytest.raises(TypeError, match=r"can't index a torch\.UntypedStorage with str"):
        torch.UntypedStorage([1, 2])["a"]
    with pytest.raises(RuntimeError, match="can't index a"):
        torch.FloatStorage([1, 2])["a"]


def test_storages_on_the_meta_device_have_no_elements() -> None:
    typed = torch.TypedStorage([1, 2], device="meta", dtype=torch.float)
    bits = torch.UntypedStorage([1, 2], device="meta")
    assert (typed.size(), bits.size()) == (2, 2)
    assert repr(bits).startswith("...\n[torch.storage.UntypedStorage(device=meta)")
    assert bits.fill_(1) is bits
    for read in (typed.tolist, bits.tolist, lambda: typed[0], lambda: bits[0]):
        with pytest.raises(NotImplementedError, match="Not available for 'meta' device type"):
            read()
    for copied in (typed.cpu, bits.cpu, lambda: torch.TypedStorage(2).copy_(typed)):
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
            copied()


def test_a_tensor_takes_only_storages_of_its_dtype() -> None:
    doubles = torch.DoubleStorage([1, 2])
    floats = torch.ones(1)
    for arguments in ((doubles,), (doubles, 0, (1,), (1,))):
        with pytest.raises(RuntimeError, match="Expected a Storage of type float or an Untyped"):
            floats.set_(*arguments)
    assert torch.ones(1, dtype=torch.double).set_(doubles).tolist() == [1, 2]
    assert floats.set_(doubles.untyped()).shape == (4,)


def test_memory_that_an_array_refers_to_stays_where_it_is() -> None:
    x = torch.ones(5)
    assert x.untyped_storage().resizable()
    array = x.numpy()
    assert not x.untyped_storage().resizable()
    with pytest.raises(RuntimeError, match="not resizable"):
        x.resize_(1000)
    assert array.sum() == 5

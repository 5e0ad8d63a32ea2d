"""torch.FloatTensor and similar types, which older programs use."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

import torch

DTYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "ByteTensor": torch.uint8,
    "CharTensor": torch.int8,
    "ShortTensor": torch.int16,
    "IntTensor": torch.int32,
    "LongTensor": torch.int64,
    "BoolTensor": torch.bool,
}


@pytest.fixture
def default() -> Iterator[None]:
    """Restores the default dtype."""
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(("name", "dtype"), DTYPES.items())
def test_names_make_and_recognise_tensors_of_their_dtype(name: str, dtype: torch.dtype) -> None:
    kind = getattr(torch, name)
    tensor = kind([1, 0])
    assert tensor.dtype is dtype is kind.dtype and tensor.tolist() == [1, 0]
    assert isinstance(tensor, kind) and type(tensor) is torch.Tensor
    assert [isinstance(tensor, getattr(torch, other)) for other in DTYPES] == [
        other == name for other in DTYPES
    ]
    assert repr(kind) == f"<class 'torch.{name}'>" and pickle.loads(pickle.dumps(kind)) is kind
    assert kind.layout is torch.strided and not kind.is_cuda and not kind.is_sparse
    assert tensor.type() == f"torch.{name}"
    assert torch.ones(2, dtype=torch.complex64).real.type(kind).dtype is dtype


def test_arguments_are_sizes_data_tensors_and_storages() -> None:
    assert torch.FloatTensor(2, 3).shape == (2, 3)
    assert torch.LongTensor().shape == (0,)
    assert torch.FloatTensor(torch.Size([2, 3])).shape == (2, 3)
    assert torch.FloatTensor((2, 3)).tolist() == [2, 3]
    assert torch.LongTensor([1.5, 2]).tolist() == [1, 2]
    assert torch.FloatTensor([1], device="cpu").tolist() == [1]
    source = torch.ones(3)
    for same in (source, source.storage(), source.untyped_storage()):
        assert torch.FloatTensor(same).data_ptr() == source.data_ptr()
    assert torch.FloatTensor(source.storage()).tolist() == [1, 1, 1]
    assert torch.Tensor(source.untyped_storage()).tolist() == [1, 1, 1]


def test_tensors_of_the_bytes_of_storages() -> None:
    storage = torch.ones(2).untyped_storage()
    assert torch.tensor(storage, dtype=torch.float32).tolist() == [1, 1]
    assert torch.tensor(storage, dtype=torch.uint8).tolist() == [0, 0, 128, 63] * 2
    assert torch.tensor(storage).tolist() == [4575657222473777152]  # as PyTorch's: integers
    assert torch.tensor(storage, dtype=torch.float32).data_ptr() != storage.data_ptr()


def test_tensor_of_another_dtype_is_refused() -> None:
    with pytest.raises(TypeError, match="expected a tensor of type Long"):
        torch.LongTensor(torch.ones(2))
    with pytest.raises(RuntimeError, match="expects device type: cpu but device type: meta"):
        torch.FloatTensor([1], device="meta")
    for wrong in (3.0, None):
        with pytest.raises(TypeError, match="data must be a sequence"):
            torch.FloatTensor(wrong)
    with pytest.raises(TypeError, match="dtype must be a type, str, or dtype object"):
        torch.ones(2).type(3)
    assert torch.ones(2, dtype=torch.int64).type(torch.Tensor).dtype is torch.float32


def test_legacy_types_are_no_bases() -> None:
    with pytest.raises(TypeError, match=r"'torch\.FloatTensor' is not an acceptable base type"):
        type("Own", (torch.FloatTensor,), {})


@pytest.mark.usefixtures("default")
def test_default_type_by_name() -> None:
    torch.set_default_tensor_type(torch.DoubleTensor)
    assert torch.ones(1).dtype is torch.float64
    torch.set_default_tensor_type("torch.HalfTensor")
    assert torch.ones(1).dtype is torch.float16
    for wrong in (torch.LongTensor, "torch.LongTensor", 3, "torch.NoTensor"):
        with pytest.raises(TypeError, match="only floating-point types are supported"):
            torch.set_default_tensor_type(wrong)
    assert torch.ones(1).dtype is torch.float16

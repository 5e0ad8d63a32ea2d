"""NumPy, DLPack and buffers: memory is shared, kept alive and interpreted correctly."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import torch

DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.float16,
    torch.float32,
    torch.float64,
    torch.complex64,
    torch.complex128,
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_round_trip_shares_memory(dtype: torch.dtype) -> None:
    tensor = torch.zeros(2, 3, dtype=dtype)
    array = tensor.numpy()
    assert array.dtype.name == str(dtype).removeprefix("torch.")
    array[0, 1] = 1
    assert tensor[0, 1].item() == 1
    back = torch.from_numpy(array)
    assert back.dtype == dtype
    assert back.data_ptr() == tensor.data_ptr()


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_subclasses_of_arrays_share_memory() -> None:
    class Signal(np.ndarray):
        pass

    for array in (np.matrix([[1.0, 2.0], [3.0, 4.0]]), np.zeros((2, 2)).view(Signal)):
        tensor = torch.from_numpy(array)
        array[0, 1] = 5
        assert tensor.tolist() == array.tolist()
        assert torch.tensor(array).tolist() == array.tolist()


def test_strides_are_preserved() -> None:
    array = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)[::2]
    tensor = torch.from_numpy(array)
    np.testing.assert_array_equal(tensor.numpy(), array)
    assert tensor.stride() == tuple(step // 8 for step in array.strides)
    view = torch.arange(6.0).reshape(2, 3).t()
    np.testing.assert_array_equal(view.numpy(), np.arange(6.0).reshape(2, 3).T)


def test_the_owner_of_shared_memory_is_kept_alive() -> None:
    tensor = torch.from_numpy(np.full(1000, 3.0))
    gc.collect()
    assert tensor.sum() == 3000
    array = torch.full((1000,), 4.0).numpy()
    gc.collect()
    assert array.sum() == 4000


def test_empty_and_zero_dim() -> None:
    assert torch.empty(0, 3).numpy().shape == (0, 3)
    assert torch.tensor(2.5).numpy()[()] == 2.5
    assert torch.from_numpy(np.zeros((0, 2))).shape == (0, 2)
    assert torch.from_numpy(np.array(5)).item() == 5


def test_empty_arrays_keep_their_strides() -> None:
    array = np.zeros((2, 0, 3))
    assert torch.from_numpy(array).stride() == tuple(step // 8 for step in array.strides)


def test_unsuitable_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        torch.from_numpy(np.arange(3)[::-1])
    with pytest.raises(TypeError, match="only supported types"):
        torch.from_numpy(np.array(["x"]))
    with pytest.raises(TypeError, match=r"expected np\.ndarray"):
        torch.from_numpy([1])
    with pytest.raises(ValueError, match="byte order"):
        torch.from_numpy(np.arange(3, dtype=">i4"))
    with pytest.raises(TypeError, match="BFloat16"):
        torch.ones(2, dtype=torch.bfloat16).numpy()
    with pytest.raises(TypeError, match="meta"):
        torch.ones(2, device="meta").numpy()
    array = np.arange(3)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        torch.from_numpy(array)


def test_tensor_copies_and_as_tensor_shares() -> None:
    array = np.arange(3.0)
    copied, shared = torch.tensor(array), torch.as_tensor(array)
    array[0] = 9
    assert copied[0] == 0
    assert shared[0] == 9
    assert torch.as_tensor(array, dtype=torch.float32).dtype == torch.float32
    assert torch.asarray(array).data_ptr() == shared.data_ptr()
    assert torch.asarray(array, copy=True).data_ptr() != shared.data_ptr()


def test_numpy_functions_accept_tensors() -> None:
    tensor = torch.arange(3.0)
    assert np.asarray(tensor).tolist() == [0.0, 1.0, 2.0]
    assert np.array(tensor, dtype=np.int32).dtype == np.int32
    assert (tensor * np.float32(2)).dtype == torch.float32


@pytest.mark.parametrize("dtype", [*DTYPES, torch.bfloat16])
def test_dlpack_round_trip(dtype: torch.dtype) -> None:
    tensor = torch.arange(6).to(dtype).reshape(2, 3).t()
    back = torch.from_dlpack(tensor)
    assert back.dtype == dtype
    assert back.data_ptr() == tensor.data_ptr()
    assert back.stride() == tensor.stride()
    assert torch.equal(back, tensor)


def test_dlpack_with_numpy() -> None:
    array = np.arange(6.0).reshape(2, 3)
    tensor = torch.from_dlpack(array)
    array[0, 0] = 7
    assert tensor[0, 0] == 7
    back = np.from_dlpack(tensor)
    assert back[0, 0] == 7
    del array, tensor
    gc.collect()
    assert back.sum() == 22


def test_a_capsule_is_consumed_once() -> None:
    capsule = torch.ones(2).__dlpack__()
    assert torch.from_dlpack(capsule).sum() == 2
    with pytest.raises(RuntimeError, match="only once"):
        torch.from_dlpack(capsule)
    torch.ones(3).__dlpack__()  # dropped unconsumed: frees itself


def test_frombuffer() -> None:
    buffer = bytearray(b"\x01\x00\x02\x00\x03\x00")
    tensor = torch.frombuffer(buffer, dtype=torch.int16)
    assert tensor.tolist() == [1, 2, 3]
    buffer[0] = 9
    assert tensor[0] == 9
    assert torch.frombuffer(buffer, dtype=torch.int16, count=1, offset=2).tolist() == [2]
    with pytest.raises(ValueError, match="multiple of element size"):
        torch.frombuffer(buffer, dtype=torch.int32)


def test_storages() -> None:
    tensor = torch.arange(4, dtype=torch.int32)
    storage = tensor.untyped_storage()
    assert storage.nbytes() == 16
    assert tensor[1:].untyped_storage() is storage
    assert tensor.storage().tolist() == [0, 1, 2, 3]
    assert tensor.storage()[2] == 2
    assert storage.data_ptr() == tensor.data_ptr()
    again = torch.empty(0, dtype=torch.int32).set_(storage, 1, (2,), (1,))
    assert again.tolist() == [1, 2]
    assert torch.is_storage(storage)
    assert storage.clone().tolist() == storage.tolist()

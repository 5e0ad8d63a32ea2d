"""The memory of CUDA tensors as other libraries read it, and theirs as tensors."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref

import pytest

import torch


def test_the_interface_describes_the_memory() -> None:
    tensor = torch.arange(6, dtype=torch.float32, device="cuda").reshape(2, 3)
    assert tensor.__cuda_array_interface__ == {
        "typestr": "<f4",
        "shape": (2, 3),
        "strides": None,
        "data": (tensor.data_ptr(), False),
        "version": 2,
    }
    column = tensor[:, 1]
    interface = column.__cuda_array_interface__
    assert interface["strides"] == (12,)
    assert interface["data"][0] == tensor.data_ptr() + 4
    assert torch.empty(0, device="cuda").__cuda_array_interface__["data"] == (0, False)


@pytest.mark.parametrize(
    ("dtype", "code"),
    [(torch.bool, "|b1"), (torch.int64, "<i8"), (torch.float16, "<f2"), (torch.complex64, "<c8")],
)
def test_dtypes_have_numpys_codes(dtype: torch.dtype, code: str) -> None:
    tensor = torch.zeros(2, dtype=dtype, device="cuda")
    assert tensor.__cuda_array_interface__["typestr"] == code


def test_tensors_that_others_must_not_read_have_no_interface() -> None:
    tensor = torch.ones(2, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match="requires grad"):
        _ = tensor.__cuda_array_interface__
    assert not hasattr(torch.ones(2, 2, device="cuda").to_sparse(), "__cuda_array_interface__")
    assert not hasattr(torch.ones(2), "__cuda_array_interface__")
    assert "__cuda_array_interface__" not in dir(torch.ones(2))
    assert "__cuda_array_interface__" in dir(torch.ones(2, device="cuda"))


class Array:
    """An array of another library: a tensor's memory behind the interface alone."""

    def __init__(self, tensor: torch.Tensor, **entries: object) -> None:
        self.tensor = tensor
        self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, **entries}


@pytest.mark.parametrize("device", [None, "cuda"])
@pytest.mark.parametrize("convert", [torch.as_tensor, torch.asarray])
def test_arrays_become_tensors_over_the_same_memory(convert, device: str | None) -> None:
    memory = torch.arange(6, dtype=torch.int32, device="cuda").reshape(2, 3)
    for shown in (memory, memory.t(), memory[:, ::2], memory[1, 2], memory[:0]):
        tensor = convert(Array(shown), device=device)
        assert tensor.device == memory.device
        assert tensor.dtype == torch.int32
        assert tensor.shape == shown.shape
        assert torch.equal(tensor, shown)
        if shown.numel():
            assert (tensor.data_ptr(), tensor.stride()) == (shown.data_ptr(), shown.stride())
    convert(Array(memory)).fill_(7)
    assert memory.tolist() == [[7, 7, 7], [7, 7, 7]]


@pytest.mark.parametrize(
    "dtype",
    [
        torch.bool, torch.uint8, torch.int8, torch.uint16, torch.int16, torch.uint32, torch.int32,
        torch.uint64, torch.int64, torch.float16, torch.float32, torch.float64, torch.complex64,
        torch.complex128,
    ],
)  # fmt: skip
def test_arrays_keep_their_dtype(dtype: torch.dtype) -> None:
    memory = torch.tensor([0, 1, 1]).to("cuda", dtype)
    assert torch.as_tensor(Array(memory)).dtype is dtype
    assert torch.as_tensor(Array(memory)).tolist() == memory.tolist()


def test_conversions_copy_where_a_tensor_cannot_share() -> None:
    memory = torch.arange(4.0, device="cuda")
    copies = [
        torch.tensor(Array(memory)),
        torch.as_tensor(Array(memory), device="cpu"),
        torch.as_tensor(Array(memory), dtype=torch.float64),
        torch.asarray(Array(memory), copy=True),
    ]
    memory.zero_()
    for copy in copies:
        assert copy.tolist() == [0, 1, 2, 3]
    assert [copy.device.type for copy in copies] == ["cuda", "cpu", "cuda", "cuda"]
    with pytest.raises(ValueError, match="can't alias"):
        torch.asarray(Array(memory), copy=False)


def test_the_device_of_an_array_is_that_of_its_memory(two_devices: None) -> None:
    memory = torch.arange(3, device="cuda:1")
    tensor = torch.as_tensor(Array(memory))
    assert tensor.device == memory.device
    assert tensor.data_ptr() == memory.data_ptr()
    moved = torch.as_tensor(Array(memory), device="cuda:0")
    assert moved.device == torch.device("cuda:0")
    assert moved.tolist() == [0, 1, 2]


def test_a_tensor_keeps_its_array() -> None:
    array = Array(torch.ones(2, device="cuda"))
    alive = weakref.ref(array)
    tensor = torch.as_tensor(array)
    del array
    gc.collect()
    assert alive() is not None
    del tensor
    gc.collect()
    assert alive() is None


# Without the wait, it prints 0.0 under some of the seeds below.
WRITES_ON_ANOTHER_STREAM = """
import types, torch
side = torch.cuda.Stream()
memory = torch.zeros(1000, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(side):
    memory += 1
interface = {**memory.__cuda_array_interface__, "version": 3, "stream": side.cuda_stream}
array = types.SimpleNamespace(__cuda_array_interface__=interface)
print(torch.as_tensor(array).sum().item())
"""


@pytest.mark.parametrize("seed", [6, 9, 11])
def test_a_tensor_waits_for_the_stream_of_its_array(seed: int) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", WRITES_ON_ANOTHER_STREAM],
        env={**os.environ, "CUDA_EMULATION_SEED": str(seed)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert answer.stdout == "1000.0\n", answer.stderr


@pytest.mark.parametrize("stream", [1, None])
def test_arrays_of_the_default_stream_need_no_event(stream: int | None) -> None:
    memory = torch.ones(1000, device="cuda")
    assert torch.as_tensor(Array(memory, version=3, stream=stream)).sum().item() == 1000


def test_strides_may_be_absent() -> None:
    array = Array(torch.ones(2, 3, device="cuda"))
    del array.__cuda_array_interface__["strides"]
    assert torch.as_tensor(array).stride() == (3, 1)


@pytest.mark.parametrize(
    ("entries", "error", "message"),
    [
        ({"data": (64, True)}, TypeError, "the read only flag is not supported"),
        ({"data": 64}, TypeError, r"`data` must be a 2-tuple of \(int, bool\)"),
        ({"typestr": "float"}, ValueError, "cannot parse `typestr`"),
        ({"typestr": "<V2"}, TypeError, "can't convert np.ndarray of type"),
        ({"typestr": ">f4"}, ValueError, "byte order"),
        ({"shape": 3}, TypeError, "shape and strides must be sequences"),
        ({"strides": (4, 4)}, TypeError, "strides must be a sequence of the same length as shape"),
        ({"strides": (3,)}, ValueError, "strides not a multiple of the element byte size"),
        ({"strides": (-4,)}, ValueError, "negative"),
        ({"shape": (-1,)}, RuntimeError, "negative dimension -1"),
    ],
)
def test_descriptions_that_no_tensor_fits_are_errors(
    entries: dict[str, object], error: type[Exception], message: str
) -> None:
    array = Array(torch.ones(2, device="cuda"), **entries)
    with pytest.raises(error, match=message):
        torch.as_tensor(array)


@pytest.mark.parametrize("entry", ["shape", "typestr", "data"])
def test_descriptions_must_be_complete(entry: str) -> None:
    array = Array(torch.ones(2, device="cuda"))
    del array.__cuda_array_interface__[entry]
    with pytest.raises(TypeError, match=f"attribute `{entry}` must exist"):
        torch.as_tensor(array)

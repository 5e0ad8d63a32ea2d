"""dtype, device, Size, layout, finfo and iinfo objects."""

from __future__ import annotations

import numpy as np
import pytest

import torch


def test_dtypes() -> None:
    assert repr(torch.float32) == "torch.float32"
    assert torch.float is torch.float32
    assert torch.long is torch.int64
    assert torch.half is torch.float16
    assert torch.cdouble is torch.complex128
    assert torch.float16.itemsize == 2
    assert torch.bfloat16.is_floating_point
    assert not torch.int8.is_floating_point
    assert torch.complex64.is_complex
    assert torch.int8.is_signed
    assert not torch.uint8.is_signed
    assert torch.complex64.to_real() is torch.float32
    assert torch.float64.to_complex() is torch.complex128
    with pytest.raises(TypeError):
        torch.dtype()


def test_devices() -> None:
    assert torch.device("cpu") == torch.device("cpu")
    assert torch.device("cpu") != torch.device("cpu:0")
    assert repr(torch.device("cuda:1")) == "device(type='cuda', index=1)"
    assert str(torch.device("cuda", 1)) == "cuda:1"
    assert torch.device(torch.device("meta")).type == "meta"
    assert torch.device(type="cuda", index=2).index == 2
    assert {torch.device("cpu"): 1}[torch.device("cpu")] == 1
    for bad in ("foo", "cuda:-1", "cuda:x", ""):
        with pytest.raises(RuntimeError):
            torch.device(bad)
    with pytest.raises(RuntimeError, match="index"):
        torch.device("cuda:1", 1)
    assert torch.zeros(2, device="cpu").device == torch.device("cpu")
    assert torch.zeros(2, device=torch.device("meta")).is_meta


def test_sizes() -> None:
    size = torch.zeros(2, 3).shape
    assert isinstance(size, tuple)
    assert size == (2, 3)
    assert repr(size) == "torch.Size([2, 3])"
    assert type(size[1:]) is torch.Size
    assert type(size + torch.Size([4])) is type(size.__add__((4,))) is torch.Size
    assert type(size * 2) is torch.Size
    assert size[0] == 2
    assert size.numel() == 6
    assert torch.Size([np.int64(2), torch.tensor(3)]) == size
    assert hash(size) == hash((2, 3))
    assert torch.Size() == ()
    with pytest.raises(TypeError, match="item 0 is 'str'"):
        torch.Size(["x"])


def test_strides_are_plain_tuples() -> None:
    assert type(torch.zeros(2, 3).stride()) is tuple
    assert torch.zeros(2, 3).stride() == (3, 1)
    assert torch.zeros(2, 3).stride(-1) == 1
    assert torch.zeros(2, 3).size(-1) == 3
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.zeros(2, 3).size(5)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_finfo_agrees_with_numpy(name: str) -> None:
    ours, theirs = torch.finfo(getattr(torch, name)), np.finfo(name)
    for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution"):
        assert getattr(ours, field) == pytest.approx(float(getattr(theirs, field)), rel=1e-3), field
    assert ours.dtype == name
    assert torch.finfo(torch.bfloat16).eps == 2**-7
    with pytest.raises(TypeError, match="floating point"):
        torch.finfo(torch.int32)


@pytest.mark.parametrize(
    "name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_iinfo_agrees_with_numpy(name: str) -> None:
    ours, theirs = torch.iinfo(getattr(torch, name)), np.iinfo(name)
    assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)
    with pytest.raises(TypeError):
        torch.iinfo(torch.float32)


def test_constants() -> None:
    assert repr(torch.strided) == "torch.strided"
    assert torch.zeros(2).layout is torch.strided
    assert repr(torch.channels_last) == "torch.channels_last"
    assert torch.pi == pytest.approx(np.pi)
    assert torch.__version__.startswith("2.13.0+torchsmith.")
    assert isinstance(torch.__config__.show(), str)
    assert torch.cuda.is_available() is False
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        assert torch.nonsense


def test_generators() -> None:
    first = torch.Generator().manual_seed(3)
    second = torch.Generator().manual_seed(3)
    assert torch.equal(torch.rand(4, generator=first), torch.rand(4, generator=second))
    state = first.get_state()
    drawn = torch.rand(4, generator=first)
    first.set_state(state)
    assert torch.equal(torch.rand(4, generator=first), drawn)
    assert first.initial_seed() == 3
    assert first.device == torch.device("cpu")
    assert torch.manual_seed(5) is torch.default_generator
    assert torch.initial_seed() == 5
    torch.manual_seed(-1)
    assert torch.initial_seed() == 2**64 - 1


@pytest.mark.parametrize("seed", [2**64, 2**70, -(2**63) - 1])
def test_seeds_out_of_range(seed: int) -> None:
    for function in (torch.manual_seed, torch.Generator().manual_seed):
        with pytest.raises(ValueError, match="Overflow when unpacking long long"):
            function(seed)


@pytest.mark.parametrize("seed", [1.5, True, None, "1", torch.tensor(1)])
def test_seeds_of_other_types(seed: object) -> None:
    name = type(seed).__name__
    with pytest.raises(RuntimeError, match=f"manual_seed expected a long, but got {name}"):
        torch.Generator().manual_seed(seed)


def test_threads() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)


def test_limits_are_those_of_python_types_too() -> None:
    assert torch.finfo(float).dtype == torch.finfo(complex).dtype == "float64"
    assert torch.iinfo(int).max == 2**63 - 1
    with pytest.raises(TypeError, match=r"torch\.bool is not supported by torch\.iinfo"):
        torch.iinfo(bool)
    with pytest.raises(TypeError, match="requires a floating point input type"):
        torch.finfo(int)
    with pytest.raises(TypeError, match=r"must be torch\.dtype, not str"):
        torch.finfo("float")  # type: ignore[arg-type]

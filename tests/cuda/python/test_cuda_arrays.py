"""The memory of CUDA tensors as other libraries read it."""

from __future__ import annotations

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

"""What generated registrations of a back end do, as assertions. Run by test_generated_kernels.py.

python behaviour.py BUILD_FOLDER GENERATED_FOLDER NAME [KERNELS]
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "private_device"))

import device
from device import NAME

HERE = Path(__file__).resolve().parent


def on_second_device() -> torch.Tensor:
    assert torch.granite.current_device() == 0
    return torch.arange(4, dtype=torch.float32, device=f"{NAME}:1")


def test_functional_allocates_on_the_device() -> None:
    x = on_second_device()
    blocks = torch.ops.private_device.blocks()
    result = torch.ops.aten.granite_scale(x, 3)
    assert torch.ops.private_device.blocks() == blocks + 1
    assert result.device == x.device and result.tolist() == [0, 3, 6, 9]


def test_in_place_and_out() -> None:
    x = on_second_device()
    assert torch.ops.aten.granite_scale_(x, 2) is x
    assert x.tolist() == [0, 2, 4, 6]
    out = torch.empty(0, device=x.device)
    assert torch.ops.aten.granite_scale.out(x, 2, out=out) is out
    assert out.tolist() == [0, 4, 8, 12] and out.device == x.device
    strided = torch.empty(8, device=x.device)[::2]
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
        torch.ops.aten.granite_unguarded_scale.out(x, 2, out=strided.long())


def test_the_device_is_current_while_the_kernel_runs() -> None:
    x = on_second_device()
    out = torch.empty_like(x)
    calls = (
        lambda: torch.ops.aten.granite_scale(x, 2),
        lambda: torch.ops.aten.granite_scale_(x, 2),
        lambda: torch.ops.aten.granite_scale.out(x, 2, out=out),
    )
    for call in calls:
        call()
        assert torch.ops.generated_kernels.device_of_last_impl() == 1
        assert torch.granite.current_device() == 0
    assert torch.ops.aten.granite_current(x) == 1
    assert torch.ops.aten.granite_current.list([x]) == 1
    assert torch.ops.aten.granite_current.optional([None, x]) == 1
    assert torch.ops.aten.granite_new(1, device=x.device).item() == 1
    assert torch.granite.current_device() == 0


def test_device_guard_false_leaves_the_current_device() -> None:
    x = on_second_device()
    result = torch.ops.aten.granite_unguarded_scale(x, 2)
    assert result.device == x.device and result.tolist() == [0, 2, 4, 6]
    assert torch.ops.generated_kernels.device_of_last_impl() == 0
    assert torch.ops.aten.granite_unguarded_current(x) == 0


def test_shapes_come_from_meta() -> None:
    x = torch.empty(2, 3, device="meta")
    assert torch.ops.aten.granite_scale(x, 2).shape == (2, 3)


def test_kernels_of_other_devices_are_registered() -> None:
    assert torch.ops.generated_kernels.cuda_kernels() == 3
    with pytest.raises(NotImplementedError, match="granite_current"):
        torch.ops.aten.granite_current(torch.ones(1))


def test_kernels_of_other_layouts_are_registered() -> None:
    layouts = {"Sparse": 1, "SparseCsr": 2, "Quantized": 3, "Mkldnn": 4, "NestedTensor": 5}
    x = torch.ones(1)
    for name, number in layouts.items():
        assert torch.ops.generated_kernels.layout_of_key(x, f"{name}CPU") == number
    with pytest.raises(NotImplementedError, match="granite_layout"):
        torch.ops.aten.granite_layout(x)


if __name__ == "__main__":
    generated = Path(sys.argv[2])
    kernels = Path(sys.argv[4]) if len(sys.argv) > 4 else HERE / "kernels.cpp"
    sources = [kernels, *sorted(generated.rglob("*.cpp"))]
    device.load(sys.argv[1], sources, [generated / "aten/src", HERE.parent / "private_device"])
    globals()[sys.argv[3]]()

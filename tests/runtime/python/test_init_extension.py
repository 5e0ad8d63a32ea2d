"""Starting the extension: what importing torch sets up in C++ before any Python code uses it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import torch


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("strided", torch.layout),
        ("sparse_coo", torch.layout),
        ("contiguous_format", torch.memory_format),
        ("channels_last", torch.memory_format),
        ("per_tensor_affine", torch.qscheme),
        ("float32", torch.dtype),
        ("complex64", torch.dtype),
    ],
)
def test_objects_of_the_extension_exist_once(name: str, kind: type) -> None:
    found = getattr(torch, name)
    assert isinstance(found, kind) and str(found) == f"torch.{name}"
    assert any(found is value for value in vars(torch).values())


def test_results_have_the_objects_of_the_module() -> None:
    tensor = torch.zeros(2, 3, 4, 5)
    assert tensor.dtype is torch.float32 and tensor.layout is torch.strided
    assert type(tensor) is torch.Tensor and tensor.type() == "torch.FloatTensor"
    assert isinstance(tensor, torch.FloatTensor) and not isinstance(tensor, torch.LongTensor)


@pytest.mark.parametrize("path", [3, None, b"bin/torch_shm_manager"])
def test_the_path_of_the_manager_is_text(path: object) -> None:
    with pytest.raises(TypeError):
        torch._C._initExtension(path)


def test_the_package_can_be_started_twice() -> None:
    code = (
        "import torch; from pathlib import Path\n"
        "path = str(Path(torch.__file__).parent / 'bin/torch_shm_manager')\n"
        "torch._C._initExtension(path)\n"
        "assert torch.ones(2).share_memory_().sum() == 2 and torch.float32 is torch.ones(1).dtype\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

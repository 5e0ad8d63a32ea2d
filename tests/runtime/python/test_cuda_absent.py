"""torch.cuda in a build without CUDA: everything is there, and answers as PyTorch's CPU wheel does."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace

import cuda_probes
import pytest

import torch

PEER = os.environ.get("TORCH_PEER")
pytestmark = pytest.mark.skipif(
    torch.cuda.is_available(), reason="this build has a CUDA device; tests/cuda/python tests it"
)
# PyTorch raises these where a function of torch._C is missing, or by accident. Any error will do.
ACCIDENTS = ("AttributeError", "KeyError", "TypeError", "ModuleNotFoundError")
# Names of PyTorch's modules that are no interface, or belong to parts that do not exist here.
ABSENT = {
    "torch.cuda": set(),
    "torch.backends.cuda": {"cuFFTPlanCacheAttrContextProp"},
    "torch.accelerator": set(),
    "torch.amp": set(),
    "torch.cpu": set(),
    "torch.cuda.amp": set(),
    "torch.cuda.comm": set(),
    "torch.cuda.gds": set(),
    "torch.cuda.graphs": set(),
    "torch.cuda.memory": set(),
    "torch.cuda.nvtx": set(),
    "torch.cuda.profiler": set(),
    "torch.cuda.random": set(),
}


def test_every_function_raises_or_returns_what_it_did_in_pytorch() -> None:
    """The answers that do not need a peer to know."""
    assert torch.cuda.is_available() is False
    assert torch.cuda.device_count() == 0
    assert torch.cuda.memory_allocated() == 0
    torch.cuda.manual_seed_all(3)
    torch.cuda.empty_cache()
    for call in (
        torch.cuda.init,
        torch.cuda.synchronize,
        torch.cuda.current_device,
        torch.cuda.get_device_name,
        torch.cuda.mem_get_info,
        torch.ones(1).cuda,
        lambda: torch.ones(1, device="cuda"),
    ):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            call()


@pytest.mark.parametrize("convert", [torch.tensor, torch.as_tensor, torch.asarray])
def test_memory_of_a_cuda_device_is_an_error(convert: Callable[[object], object]) -> None:
    memory = {"shape": (2,), "typestr": "<f4", "data": (4096, False), "version": 3}
    with pytest.raises(RuntimeError, match="Cannot initialize CUDA without ATen_cuda library"):
        convert(SimpleNamespace(__cuda_array_interface__=memory))


def test_importing_torch_does_not_import_torch_cuda() -> None:
    program = "import sys, torch; torch.manual_seed(0); print('torch.cuda' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.strip() == "False", result.stderr


def test_everything_listed_can_be_got() -> None:
    for name in ABSENT:
        module = importlib.import_module(name)
        missing = [each for each in module.__all__ if not hasattr(module, each)]
        assert not missing, f"{name}: {missing}"
        assert not hasattr(module, "no_such_name")


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_all_probes_agree_with_pytorch() -> None:
    assert PEER
    result = subprocess.run([PEER, "-I", cuda_probes.__file__], capture_output=True, text=True)
    theirs = json.loads(result.stdout)
    program = [sys.executable, cuda_probes.__file__]
    ours = json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)
    differences = []
    for expression, expected in theirs.items():
        mine = ours[expression]
        if expected[0] == "raised":
            accident = expected[1] in ACCIDENTS and mine[0] == "raised"
            same = accident or mine[:2] == expected[:2]
        else:
            same = mine == expected
        if not same:
            differences.append(f"{expression}: PyTorch {expected}, we {mine}")
    assert not differences, "\n".join(differences)


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
@pytest.mark.parametrize("name", ABSENT)
def test_the_documented_names_of_pytorch_exist(name: str) -> None:
    assert PEER
    program = f"import importlib; print(*importlib.import_module('{name}').__all__)"
    listed = subprocess.run([PEER, "-I", "-c", program], capture_output=True, text=True, check=True)
    module = importlib.import_module(name)
    lacking = {each for each in listed.stdout.split() if not hasattr(module, each)}
    assert lacking == ABSENT[name]

"""What kernels do that a back end's YAML file declares. Run by test_stubs_of_back_ends.py.

python behaviour.py BUILD_FOLDER
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "private_device"))

import device  # noqa: E402
from device import NAME  # noqa: E402


def load(folder: str) -> None:
    """Generate the stubs, and load them with the device."""
    stubs = Path(folder, "more")
    command = [sys.executable, "-m", "tools.codegen.gen_backend_stubs", "-o", str(stubs)]
    command += ["-s", str(HERE / "kernels.yaml"), "--impl-path", str(HERE / "kernels.cpp")]
    subprocess.run(command, cwd=HERE.parents[2], check=True)
    sources = []
    for file in (HERE / "kernels.cpp", *sorted(stubs.glob("Register*.cpp"))):
        sources.append(stubs / f"more_{file.name}")  # a name that the device's own files lack
        shutil.copy(file, sources[-1])
    device.load(folder, sources, [HERE.parent / "private_device"])


def counted(call: Callable[[], object]) -> int:
    """Return how many of the kernels a call runs."""
    before = torch.ops.more_kernels.calls()
    call()
    return int(torch.ops.more_kernels.calls() - before)


def functional_kernels_compute() -> None:
    x = torch.tensor([0.0, 1.0], device=f"{NAME}:1")
    result = torch.exp(x)
    assert result.device == x.device
    torch.testing.assert_close(result.cpu(), x.cpu().exp())
    assert counted(lambda: torch.exp(x)) == 1
    assert torch.ops.more_kernels.device_of_last_call() == 1
    values, indices = torch.topk(torch.tensor([1.0, 3.0, 2.0], device=NAME), 2)
    assert (values.tolist(), indices.tolist()) == ([3.0, 2.0], [1, 2])
    assert torch.ops.more_kernels.device_of_last_call() == 0


def in_place_and_out_variants_call_them() -> None:
    x = torch.tensor([0.0, 1.0], device=NAME)
    expected = x.cpu().exp()
    out = torch.empty(0, device=NAME)
    assert counted(lambda: torch.exp(x, out=out)) == 1
    assert out.tolist() == expected.tolist()
    assert counted(lambda: x.exp_()) == 1
    assert x.tolist() == expected.tolist()
    values, indices = torch.empty(0, device=NAME), torch.empty(0, dtype=torch.int64, device=NAME)
    torch.topk(x, 1, out=(values, indices))
    assert indices.tolist() == [1] and values.shape == (1,)
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.exp(x, out=torch.empty(2, dtype=torch.int64, device=NAME))
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.ones(2, dtype=torch.int64, device=NAME).exp_()


def gradients_work() -> None:
    x = torch.tensor([0.0, 1.0], device=NAME, requires_grad=True)
    torch.exp(x).sum().backward()
    torch.testing.assert_close(x.grad.cpu(), x.detach().cpu().exp())
    y = torch.tensor([-1.0, 2.0], device=NAME, requires_grad=True)
    result = torch.nn.functional.silu(y)
    assert result.grad_fn.name() == "MulBackward0", "composed by the kernel of the autograd key"
    result.sum().backward()
    host = y.detach().cpu().requires_grad_()
    torch.nn.functional.silu(host).sum().backward()
    torch.testing.assert_close(y.grad.cpu(), host.grad)


def other_devices_keep_their_kernels() -> None:
    assert counted(lambda: torch.ones(2).exp_()) == 0
    assert counted(lambda: torch.nn.functional.silu(torch.ones(2, requires_grad=True))) == 0


if __name__ == "__main__":
    load(sys.argv[1])
    functional_kernels_compute()
    in_place_and_out_variants_call_them()
    gradients_work()
    other_devices_keep_their_kernels()

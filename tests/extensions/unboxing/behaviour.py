"""What generated unboxing functions do. Run by test_unboxing.py.

python behaviour.py BUILD_FOLDER
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def load(folder: Path) -> None:
    """Generate the functions of a few operators, compile them and load the library."""
    made = folder / "generated"
    command = [sys.executable, "-m", "tools.jit.gen_unboxing", "-d", str(made / "ATen")]
    command += ["--op-selection-yaml-path", str(HERE / "operators.yaml")]
    subprocess.run(command, cwd=ROOT, check=True)
    # The library has the registry only if it was built with USE_LIGHTWEIGHT_DISPATCH.
    sources = [HERE / "calls.cpp", ROOT / "torch/csrc/jit/runtime/unboxed_kernels.cpp"]
    sources += sorted(made.rglob("*.cpp"))
    cpp_extension.load(
        "unboxing_test",
        list(map(str, sources)),
        extra_include_paths=[str(made)],
        is_python_module=False,
        build_directory=str(folder),
    )


def check() -> None:
    calls = torch.ops.unboxing_test
    x, y = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([10.0, 20.0, 30.0])
    assert torch.equal(calls.add(x, y, 2), torch.add(x, y, alpha=2))
    matrix = torch.arange(6.0).reshape(2, 3)
    assert torch.equal(calls.sum(matrix, [1], True), matrix.sum([1], keepdim=True))
    assert torch.equal(calls.cat([x, y], 0), torch.cat([x, y]))
    zeros = calls.zeros([2, 3])
    assert zeros.shape == (2, 3) and zeros.dtype is torch.int64 and not zeros.any()
    expected = torch.topk(x, 2)
    assert all(map(torch.equal, calls.topk(x, 2), expected))
    result = calls.layer_norm(matrix)
    assert len(result) == 3
    assert torch.equal(result[0], torch.nn.functional.layer_norm(matrix, (3,)))
    changed = x.clone()
    assert calls.relu_(changed) is changed and changed.tolist() == [1.0, 0.0, 3.0]
    # Gradients are recorded, as the functions call the operators through the dispatcher.
    leaf = x.clone().requires_grad_()
    calls.add(leaf, y, 3).sum().backward()
    assert leaf.grad.tolist() == [1.0, 1.0, 1.0]
    signatures = calls.signatures().splitlines()
    names = {
        line.split(":")[-1].strip() for line in (HERE / "operators.yaml").open() if line[0] == "-"
    }
    assert {each.partition("(")[0].removeprefix("aten::") for each in signatures} == names
    assert calls.has_kernel(signatures[0])
    assert not calls.has_kernel("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")


if __name__ == "__main__":
    load(Path(sys.argv[1]))
    check()

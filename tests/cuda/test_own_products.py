"""Products of matrices and triangular systems by this project's kernels give the CPU's results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
from sample_table import TABLE, problems

names = {"mm", "bmm", "addmm", "baddbmm", "addmv", "linalg_solve_triangular"}
for operator in TABLE:
    if operator.name in names:
        found = [x for x in problems(operator) if "not implemented for" not in x]
        assert not found, (operator.title, found)

torch.manual_seed(0)
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64):
    for m, n, k in ((1, 1, 1), (64, 64, 16), (65, 130, 33), (3, 200, 17)):
        a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
        for left in (a, a.t().contiguous().t()):
            for right in (b, b.t().contiguous().t()):
                actual = (left.cuda() @ right.cuda()).cpu()
                torch.testing.assert_close(actual, left @ right)
"""


def test_own_kernels_agree_with_the_cpu(cuda_environment: dict[str, str]) -> None:
    answer = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, str(HERE)],
        env={**cuda_environment, "ATEN_CUDA_GEMM": "own"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "cuda_emulation:" not in answer.stderr, answer.stderr

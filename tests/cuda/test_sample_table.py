"""CUDA operators give the CPU's results: values, in place, out=, strides, errors and gradients.

The comparison needs a build with CUDA, in this checkout or in build-emulated:
`CUDA_EMULATION=ON BUILD_DIR=build-emulated python setup.py build`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samples import TABLE
from tools.drivers.inputs import InputFiles

HERE = Path(__file__).resolve().parent
NATIVE = HERE.parents[1] / "aten" / "src" / "ATen" / "native"
WITHOUT_KERNELS = {
    line
    for line in (HERE / "without_kernels.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
}
PARTS = 2
# What PyTorch refuses on CUDA as well.
REFUSED = {
    r"(mm|bmm|matmul|mv|dot|vdot|addmm|addmv|baddbmm|einsum|tensordot)": (
        r"\"addmm_cuda\" not implemented for '(Byte|Char|Short|Int|Long)'"
    ),
}


@pytest.fixture(scope="session")
def problems(
    once: Callable[[str, Callable[[Path], object]], Path], cuda_environment: dict[str, str]
) -> dict[str, list[str]]:
    """The differences between the devices by operator, found once for all workers."""

    def compare(folder: Path) -> None:
        folder.mkdir()
        command = [sys.executable, str(HERE / "sample_table.py")]
        running = [
            subprocess.Popen(
                [*command, str(folder / f"{part}.json"), str(part), str(PARTS)],
                env=cuda_environment,
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for part in range(PARTS)
        ]
        for process in running:
            output, _ = process.communicate(timeout=500)
            assert process.returncode == 0, output
            assert "cuda_emulation:" not in output, output

    folder = once("cuda_sample_table", compare)
    answers = [json.loads((folder / f"{part}.json").read_text()) for part in range(PARTS)]
    return {title: found for answer in answers for title, found in answer.items()}


def unexplained(title: str, problem: str) -> bool:
    missing = re.search(r"Could not run 'aten::([\w.]+)' with arguments from the 'CUDA'", problem)
    if missing:
        return missing[1] not in WITHOUT_KERNELS
    return not any(
        re.fullmatch(titles, title) and re.search(text, problem) for titles, text in REFUSED.items()
    )


@pytest.mark.parametrize("title", [x.title for x in TABLE if "_for_cpu" not in x.title])
def test_devices_agree(problems: dict[str, list[str]], title: str) -> None:
    found = [problem for problem in problems[title] if unexplained(title, problem)]
    assert not found, "\n".join(found)


def test_list_of_operators_without_kernels_is_exact() -> None:
    """A kernel's arrival removes a line; the list may only shrink."""
    files = InputFiles.read(NATIVE / "native_functions.yaml", NATIVE / "tags.yaml")
    missing = {
        function.full_name.removeprefix("aten::")
        for function in files.build().operators.functions
        if "CPU" in function.dispatch
        and "CUDA" not in function.dispatch
        and "_for_cpu" not in function.full_name
    }
    assert missing == WITHOUT_KERNELS

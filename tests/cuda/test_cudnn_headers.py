"""What the emulated cuDNN stands in for: the real headers have the same names, numbers and functions."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.setup_helpers.probes.cuda import find_library

ROOT = Path(__file__).resolve().parents[2]
EMULATED = ROOT / "c10/cuda/emulated/include"
SOURCES = [
    ROOT / "aten/src/ATen/cuda" / name
    for name in ("CUDADnn.cpp", "CudnnConvolution.cpp", "CudnnDescriptors.cpp")
]
PLACES = [Path("/usr/local/cuda"), Path("/usr/local"), Path("/usr")]


@pytest.fixture(scope="module")
def real_headers() -> list[Path]:
    """Return the folders of cuDNN's headers and of the toolkit's."""
    cudnn = find_library("cudnn.h", "cudnn", "nvidia-cudnn-cu13", PLACES)
    runtime = find_library("cuda_runtime_api.h", "cudart", "nvidia-cuda-runtime", PLACES)
    if cudnn is None or runtime is None:
        pytest.skip("needs headers: pip install nvidia-cudnn-cu13 nvidia-cuda-runtime")
    return [cudnn[0].parent, runtime[0].parent]


def compiler() -> str:
    """Return the C++ compiler."""
    found = shutil.which("c++")
    assert found is not None
    return found


def numbers(names: list[str], folders: list[Path], folder: Path) -> list[int]:
    """Return the values of enumerators, with the cudnn.h of `folders`."""
    source, program = folder / "numbers.cpp", folder / "numbers"
    prints = "".join(f'  std::printf("%d\\n", int({name}));\n' for name in names)
    source.write_text(f"#include <cstdio>\n#include <cudnn.h>\nint main() {{\n{prints}}}\n")
    includes = [f"-I{path}" for path in [*folders, ROOT]]
    subprocess.run([compiler(), "-std=c++20", *includes, source, "-o", program], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return [int(line) for line in output.split()]


def test_enumerators_have_the_real_numbers(real_headers: list[Path], tmp_path: Path) -> None:
    text = (EMULATED / "cudnn.h").read_text(encoding="utf-8")
    names = re.findall(r"\b(CUDNN_\w+) = \d+", text)
    assert len(names) > 25
    emulated = numbers(names, [EMULATED], tmp_path)
    assert dict(zip(names, numbers(names, real_headers, tmp_path), strict=True)) == dict(
        zip(names, emulated, strict=True)
    )


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_sources_compile_with_the_real_headers(real_headers: list[Path], source: Path) -> None:
    command = [
        compiler(), "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
        f"-I{ROOT}", f"-I{ROOT}/aten/src", *(f"-isystem{path}" for path in real_headers), source,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

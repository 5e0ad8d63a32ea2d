"""libcaffe2_nvrtc compiles kernels with NVIDIA's NVRTC, which needs no GPU and no driver."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import torch
from tools.setup_helpers.probes.cuda import find_library
from torch.cuda import jiterator

ROOT = Path(__file__).resolve().parents[2]
C10 = ROOT / "torch" / "lib" / "libc10.so"
PLACES = [Path("/usr/local/cuda"), Path("/usr/local"), Path("/usr")]
SCALE = """
template <typename T>
__global__ void scale(T* data, T by, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= by;
}
"""

Compile = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="module")
def compile_kernel(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Return a function that compiles a kernel with NVRTC, in a process of its own."""
    found = find_library("nvrtc.h", "nvrtc", "nvidia-cuda-nvrtc", PLACES)
    if found is None:
        pytest.skip("needs NVRTC: pip install nvidia-cuda-nvrtc")
    compiler = shutil.which("c++")
    assert compiler is not None
    header, nvrtc = found
    folder = tmp_path_factory.mktemp("nvrtc")
    library, program = folder / "libcaffe2_nvrtc.so", folder / "compile_kernel"
    shared = [compiler, "-std=c++20", f"-I{ROOT}", f"-I{ROOT}/aten/src", f"-I{header.parent}"]
    sources = sorted((ROOT / "aten/src/ATen/cuda/nvrtc").glob("*.cpp"))
    runpaths = [f"-Wl,-rpath,{nvrtc.parent}:{C10.parent}"]
    for command in (
        [*shared, "-shared", "-fPIC", *sources, C10, nvrtc, *runpaths, "-o", library],
        [*shared, ROOT / "tests/cuda/nvrtc/compile_kernel.cpp", "-ldl", "-o", program],
    ):
        subprocess.run(command, check=True)

    def compile_source(source: str, name: str, *options: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [program, library, name, *options],
            input=source.encode(),
            capture_output=True,
            check=False,
        )

    return compile_source


def test_a_virtual_architecture_gives_ptx(compile_kernel: Compile) -> None:
    answer = compile_kernel(SCALE, "scale<float>", "--gpu-architecture=compute_90")
    assert answer.returncode == 0, answer.stderr
    name, _, image = answer.stdout.partition(b"\n")
    assert name.startswith(b"_Z5scaleIf")
    assert b".target sm_90" in image
    assert b".entry " + name + b"(" in image


def test_a_real_architecture_gives_machine_code(compile_kernel: Compile) -> None:
    answer = compile_kernel(SCALE, "scale<double>", "--gpu-architecture=sm_90")
    assert answer.returncode == 0, answer.stderr
    name, _, image = answer.stdout.partition(b"\n")
    assert name.startswith(b"_Z5scaleId")
    assert image.startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("source", "name", "option", "message"),
    [
        ("__global__ void broken() { return 1 }", "broken", "-std=c++17", "broken.cu(1)"),
        (SCALE, "missing", "-std=c++17", "missing"),
        (SCALE, "scale<float>", "--no-such-option", "no-such-option"),
    ],
)
def test_errors_have_the_messages_of_the_compiler(
    compile_kernel: Compile, source: str, name: str, option: str, message: str
) -> None:
    answer = compile_kernel(source, name, option)
    assert answer.returncode == 1
    text = answer.stderr.decode()
    assert text.startswith("Kernel compilation failed:\n")
    assert message in text


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.bool], ids=str)
def test_kernels_of_the_jiterator_compile(compile_kernel: Compile, dtype: torch.dtype) -> None:
    one = jiterator._create_jit_fn(
        "template <typename T> T f(T x, T y, T alpha) { return x + alpha * y; }", alpha=1.0
    )
    several = jiterator._create_multi_output_jit_fn(
        "template <typename T> void g(T x, T& a, T& b) { a = x + x; b = x; }", 2
    )
    sources = one._source(dtype, 3, inputs=2, numbers=1), several._source(dtype, 1, 1, 0)
    for source in sources:
        options = ["--gpu-architecture=compute_90", *jiterator._OPTIONS]
        answer = compile_kernel(source, "jiterator_kernel", *options)
        assert answer.returncode == 0, answer.stderr.decode()
        assert b".entry jiterator_kernel(" in answer.stdout

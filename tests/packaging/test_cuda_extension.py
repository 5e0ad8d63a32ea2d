"""CUDA code of users, built by cpp_extension, setuptools and CMake against a torch with kernels by nvcc."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch.utils import _cuda_toolkit, cpp_extension  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "cpp" / "scale.cu"
HAS_KERNELS = bool(getattr(torch._C, "_cuda_getArchFlags", lambda: None)())
CALL = """
try:
    torch.ops.mine_cuda.scale(torch.ones(2), 3.0)
except RuntimeError as error:
    print(error)
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_KERNELS, reason="build with USE_CUDA=1"),
    pytest.mark.skipif(cpp_extension.CUDA_HOME is None, reason="install a CUDA toolkit"),
]


def run(*command: str, cwd: Path) -> str:
    result = subprocess.run(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_a_cuda_file_is_loaded(tmp_path: Path) -> None:
    path = cpp_extension.load(
        "mine_cuda", str(SOURCE), is_python_module=False, build_directory=str(tmp_path)
    )
    assert isinstance(path, str)
    with pytest.raises(RuntimeError, match="expected a CUDA tensor"):
        torch.ops.mine_cuda.scale(torch.ones(2), 3.0)


def test_setuptools_builds_cuda_files(tmp_path: Path) -> None:
    shutil.copyfile(SOURCE, tmp_path / "scale.cu")
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\n"
        "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
        "arguments = {'cxx': [], 'nvcc': ['-lineinfo']}\n"
        "extension = CUDAExtension('mine', ['scale.cu'], extra_compile_args=arguments)\n"
        "setup(name='mine', ext_modules=[extension], cmdclass={'build_ext': BuildExtension})\n"
    )
    output = run(sys.executable, "setup.py", "build_ext", "--inplace", cwd=tmp_path)
    assert "-lineinfo" in output
    library = next(tmp_path.glob("mine*.so"))
    code = f"import torch; torch.ops.load_library({str(library)!r})\n{CALL}"
    assert "expected a CUDA tensor" in run(sys.executable, "-c", code, cwd=tmp_path)


def test_cmake_links_torch_cuda(tmp_path: Path) -> None:
    shutil.copyfile(SOURCE, tmp_path / "scale.cu")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\n"
        "project(mine LANGUAGES CXX CUDA)\n"
        "find_package(Torch REQUIRED)\n"
        "add_library(mine SHARED scale.cu)\n"
        "target_compile_options(mine PRIVATE --extended-lambda --expt-relaxed-constexpr)\n"
        'target_link_libraries(mine PRIVATE "${TORCH_LIBRARIES}" Torch::torch_cuda)\n'
        "target_link_options(mine PRIVATE LINKER:-z,defs)\n"
    )
    run(
        *("cmake", "-G", "Ninja", "-B", "b", "-DCMAKE_CUDA_ARCHITECTURES=90-real"),
        f"-DCMAKE_CUDA_COMPILER={_cuda_toolkit.toolkit() / 'bin' / 'nvcc'}",
        f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}",
        cwd=tmp_path,
    )
    run("cmake", "--build", "b", cwd=tmp_path)
    code = f"import torch; torch.ops.load_library({str(tmp_path / 'b/libmine.so')!r})\n{CALL}"
    assert "expected a CUDA tensor" in run(sys.executable, "-c", code, cwd=tmp_path)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("9.0", ["sm_90"]),
        ("8.0;9.0a+PTX", ["sm_80", "sm_90a", "compute_90a"]),
        ("Ampere 12.0", ["sm_80", "sm_86", "compute_86", "sm_120"]),
    ],
)
def test_lists_of_architectures(
    monkeypatch: pytest.MonkeyPatch, text: str, names: list[str]
) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", text)
    arguments = _cuda_toolkit.architecture_arguments()
    assert [a.partition("code=[")[2].rstrip("]") for a in arguments] == names
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "Hoper")
    with pytest.raises(ValueError, match="Hoper is no architecture"):
        _cuda_toolkit.architecture_arguments()

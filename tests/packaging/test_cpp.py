"""C++ code of users, built by cpp_extension, setuptools and CMake."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch.utils import cpp_extension  # noqa: E402

HERE = Path(__file__).resolve().parent / "cpp"
SCALE = """
import sys, torch
from torch.utils.cpp_extension import load
load("mine", [sys.argv[1]], is_python_module=False, build_directory=sys.argv[2], verbose=True)
print(torch.ops.mine.scale(torch.ones(2), 3.0).tolist())
"""


def run_python(*arguments: str, cwd: Path, **variables: str) -> str:
    """Return the output of a fresh interpreter that imports the same torch."""
    search = os.pathsep.join(
        [str(Path(torch.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    )
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": search, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_user_operator_is_rebuilt_only_when_edited(tmp_path: Path) -> None:
    source = tmp_path / "scale.cpp"
    shutil.copyfile(HERE / "scale.cpp", source)
    arguments = ["-c", SCALE, str(source), str(tmp_path / "built")]
    first = run_python(*arguments, cwd=tmp_path)
    assert first.endswith("[3.0, 3.0]\n")
    assert " -c " in first
    assert run_python(*arguments, cwd=tmp_path) == "[3.0, 3.0]\n"
    source.write_text(source.read_text().replace("x * by", "x * by + 1"))
    assert run_python(*arguments, cwd=tmp_path).endswith("[4.0, 4.0]\n")


def test_compiler_error_is_reported(tmp_path: Path) -> None:
    source = tmp_path / "broken.cpp"
    source.write_text("int broken( {\n")
    with pytest.raises(RuntimeError, match=r"broken\.cpp:1"):
        cpp_extension.load("broken", [str(source)], build_directory=str(tmp_path / "built"))


def test_python_module_is_built_by_setuptools(tmp_path: Path) -> None:
    shutil.copyfile(HERE / "module.cpp", tmp_path / "module.cpp")
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\n"
        "from torch.utils.cpp_extension import BuildExtension, CppExtension\n"
        "setup(name='total', ext_modules=[CppExtension('total_module', ['module.cpp'])],\n"
        "      cmdclass={'build_ext': BuildExtension})\n"
    )
    run_python("setup.py", "build_ext", "--inplace", cwd=tmp_path)
    code = "import torch, total_module; print(total_module.total(2.5))"
    assert run_python("-c", code, cwd=tmp_path) == "10.0\n"


def test_program_links_through_find_package(tmp_path: Path) -> None:
    shutil.copyfile(HERE / "CMakeLists.txt", tmp_path / "CMakeLists.txt")
    shutil.copyfile(HERE / "main.cpp", tmp_path / "main.cpp")
    place = f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}"
    for command in (["cmake", "-G", "Ninja", "-B", "b", place], ["cmake", "--build", "b"]):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    out = subprocess.run([tmp_path / "b" / "program"], check=True, capture_output=True, text=True)
    assert out.stdout == f"30 12 {torch.__version__}\n"


def test_include_paths_contain_the_headers() -> None:
    folders = [Path(path) for path in cpp_extension.include_paths()]
    for header in ("torch/torch.h", "torch/library.h", "ATen/ATen.h", "c10/core/TensorImpl.h"):
        assert any((folder / header).is_file() for folder in folders), header
    with pytest.raises(ValueError, match="only the CPU"):
        cpp_extension.include_paths("cuda")


def test_paths_may_leave_out_those_of_torch() -> None:
    assert cpp_extension.include_paths(torch_include_dirs=False) == []
    assert cpp_extension.library_paths(torch_include_dirs=False) == []
    assert cpp_extension.library_paths("cpu", True) == cpp_extension.library_paths()
    with pytest.raises(ValueError, match="no libraries for 'windows'"):
        cpp_extension.library_paths(cross_target_platform="windows")

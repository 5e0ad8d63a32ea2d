"""Extensions from strings: functions become those of a module, and unchanged ones are built once."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import ModuleType

import pytest

import torch
from torch.utils import cpp_extension

SOURCE = """
at::Tensor scaled(const at::Tensor& x, double by) { return x * by; }
std::tuple<at::Tensor, int64_t> sums(at::Tensor x, std::vector<int64_t> dims) {
  return {x.sum(dims), x.dim()};
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inline")


@pytest.fixture(scope="module")
def module(folder: Path) -> ModuleType:
    functions = {"scaled": 'Return "x" times by.', "sums": ""}
    made = cpp_extension.load_inline(
        "inline_test", SOURCE, functions=functions, build_directory=str(folder)
    )
    assert isinstance(made, ModuleType)
    return made


def test_functions_take_and_return_what_operators_do(module: ModuleType) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    assert module.scaled(x, 3).tolist() == [[3.0] * 3] * 2
    assert module.scaled(x, 3).requires_grad
    total, dims = module.sums(x, [0])
    assert (total.tolist(), dims) == ([2.0] * 3, 2)
    text = module.scaled.__doc__.splitlines()  # the signature comes first, as with pybind11
    assert text == ["scaled(Tensor _0, float _1) -> Tensor", "", 'Return "x" times by.']
    assert module.sums.__doc__.splitlines()[2] == "sums"


def test_bad_calls_raise_python_exceptions(module: ModuleType) -> None:
    with pytest.raises(TypeError, match=r"scaled\(\): argument 1 must be Tensor, not int"):
        module.scaled(1, 2)
    with pytest.raises(TypeError, match="takes 2 arguments but 1 were given"):
        module.scaled(torch.ones(1))
    with pytest.raises(IndexError, match="Dimension out of range"):
        module.sums(torch.ones(1), [4])


def test_an_unchanged_extension_is_not_built_again(module: ModuleType, folder: Path) -> None:
    before = {
        path.name: path.stat().st_mtime_ns for path in folder.iterdir() if path.name != "lock"
    }
    functions = {"scaled": 'Return "x" times by.', "sums": ""}
    cpp_extension.load_inline(
        "inline_test", SOURCE, functions=functions, build_directory=str(folder)
    )
    after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir() if path.name != "lock"}
    assert after == before


def test_an_error_of_the_compiler_is_shown(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="undeclared_name"):
        cpp_extension.load_inline(
            "broken", ["int f() { return undeclared_name; }"], build_directory=str(tmp_path)
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"with_sycl": True}, "no SYCL"), ({"name": "a-b"}, "name of an extension must be")],
)
def test_what_cannot_be_built_is_refused(
    tmp_path: Path, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cpp_extension.load(**{"name": "x", "sources": "x.cpp", **arguments})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no SYCL"):
        cpp_extension.SyclExtension("x", [])


def test_a_program_is_linked_and_runs(tmp_path: Path) -> None:
    source = tmp_path / "main.cpp"
    source.write_text("#include <cstdio>\nint main() { std::puts(WORD WORDS); }\n")
    flags = ["-O1 -DWORD='\"sea\"'", '-D "WORDS=\\"side\\""']  # split as a shell does
    program = cpp_extension.load(
        "program", str(source), flags, build_directory=str(tmp_path), is_standalone=True
    )
    assert program == str(tmp_path / "program")
    assert subprocess.run([str(program)], capture_output=True, text=True).stdout == "seaside\n"
    before = (tmp_path / "program").stat().st_mtime_ns
    cpp_extension.load(
        "program", str(source), flags, build_directory=str(tmp_path), is_standalone=True
    )
    assert (tmp_path / "program").stat().st_mtime_ns == before


def test_compilers_are_recognized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compatible, version = cpp_extension.get_compiler_abi_compatibility_and_version("c++")
    assert compatible and version >= "10"
    assert cpp_extension.check_compiler_ok_for_platform("c++")
    assert not cpp_extension.check_compiler_ok_for_platform("true")
    assert not cpp_extension.check_compiler_ok_for_platform("no-such-compiler")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not cpp_extension.is_ninja_available()
    with pytest.raises(RuntimeError, match="pip install ninja"):
        cpp_extension.verify_ninja_availability()

"""What type checkers and editors see of the package, although much of it is made at run time."""

from __future__ import annotations

import ast
import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

import torch

MYPY = shutil.which("mypy")
needs_mypy = pytest.mark.skipif(MYPY is None, reason="mypy is not installed: pip install mypy")

PACKAGE = Path(torch.__file__).parent
TENSOR = "torch._tensor.Tensor"
PROGRAM = """
import torch
import torch.nn.functional as F
from torch import Tensor, nn

x = torch.ones(2, 3)
"""
REVEALED = {
    "torch.float32": "torch._C.dtype",
    "x + 1": TENSOR,
    "1 + x": TENSOR,
    "x.shape": "torch._C.Size",
    "x.item()": "int | float",
    "x.absolute()": TENSOR,
    "x.to_sparse()": TENSOR,
    "x.sparse_dim()": "int",
    "x.trace()": TENSOR,
    "x.index_fill_(0, x, 1)": TENSOR,
    "x.max(0).values": TENSOR,
    "x.split(1)": f"tuple[{TENSOR}, ...]",
    "x.backward()": "None",
    "torch.Tensor([1.0])": TENSOR,
    "torch.multiply(x, x)": TENSOR,
    "torch.det(x)": TENSOR,
    "torch.dequantize([x])": f"tuple[{TENSOR}, ...]",
    "torch.qint8": "torch._C.dtype",
    "torch.einsum('ij->i', x)": TENSOR,
    "torch.linalg.det(x)": TENSOR,
    "torch.linalg.norm(x, 2, out=x)": TENSOR,
    "torch.special.erf(x)": TENSOR,
    "torch.svd(x).S": TENSOR,
    "torch.manual_seed(0)": "torch._C.Generator",
    "torch.is_tensor(x)": "bool",
    "torch.cuda.device_count()": "int",
    "torch.distributed.is_available()": "bool",
    "nn.Linear(2, 3)": "torch.nn.modules.linear.Linear",
    "nn.Conv3d(1, 1, 1)": "torch.nn.modules._convolutions3d.Conv3d",
    "torch.nn.parallel.DataParallel(nn.ReLU())": "torch.nn.parallel.data_parallel.DataParallel",
    "torch.optim.SGD([x])": "torch.optim.sgd.SGD",
    "torch.quantization.MinMaxObserver()": "torch.ao.quantization.observer.MinMaxObserver",
    "F.relu(x)": TENSOR,
    "F.conv2d(x, x)": TENSOR,
    "F.grid_sample(x, x)": TENSOR,
    "torch.no_grad()(len)": "def (typing.Sized) -> int",
    "torch.no_grad(len)": "def (typing.Sized) -> int",
    "torch.inference_mode(len)": "def (typing.Sized) -> int",
}
MODULES = (
    *("torch", "torch.ao.quantization", "torch.compiler", "torch.cuda", "torch.distributed"),
    *("torch.export", "torch.fft", "torch.linalg", "torch.mps", "torch.mtia", "torch.nested"),
    *("torch.nn", "torch.nn.functional", "torch.nn.utils", "torch.onnx", "torch.optim"),
    *("torch.return_types", "torch.sparse", "torch.special", "torch.types", "torch.utils.data"),
    "torch.xpu",
)
_UNTYPED = frozenset(("torch.JITException", "torch.Storage"))


def check(program: Sequence[str], folder: Path, *options: str) -> list[str]:
    """Return what mypy says of a program's lines, without the file and line."""
    assert MYPY is not None
    path = folder / "program.py"
    path.write_text("\n".join(program))
    command = [MYPY, *options, "--no-error-summary", "--hide-error-context", "--no-incremental"]
    command += ["--python-executable", sys.executable, path.name]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not run.stderr, run.stderr
    return [line.partition(":")[2] for line in run.stdout.splitlines()]


@needs_mypy
def test_expressions_of_a_strict_program_have_types(tmp_path: Path) -> None:
    program = [*PROGRAM.splitlines(), *(f"reveal_type({text})" for text in REVEALED)]
    said = check(program, tmp_path, "--strict")
    first = len(PROGRAM.splitlines()) + 1
    revealed = {
        text: next((line for line in said if line.startswith(f"{first + i}:")), "")
        for i, text in enumerate(REVEALED)
    }
    expected = {
        text: f'{first + i}: note: Revealed type is "{hint}"'
        for i, (text, hint) in enumerate(REVEALED.items())
    }
    assert revealed == expected
    assert [line for line in said if " error: " in line] == []


@needs_mypy
def test_public_names_have_types(tmp_path: Path) -> None:
    names = [
        f"{module}.{name}"
        for module in MODULES
        for name in _public_names(module)
        if f"{module}.{name}" not in _UNTYPED
    ]
    program = [*(f"import {module}" for module in MODULES)]
    program += [f"reveal_type({name})" for name in names]
    said = check(program, tmp_path)
    wrong = [line for line in said if " error: " in line or 'type is "Any"' in line]
    places = {int(line.partition(":")[0]) for line in wrong}
    unknown = {names[place - len(MODULES) - 1] for place in places}
    assert {name for name in unknown if not name.startswith(_OPEN)} == set()


_OPEN = ("torch.compiler.", "torch.onnx.")
"""Modules whose functions, or classes of the C extension, are not described in all detail."""


def _public_names(module: str) -> list[str]:
    made = importlib.import_module(module)
    names = dir(made) if module == "torch" else getattr(made, "__all__", dir(made))
    # Which modules are attributes depends on what was imported before.
    modules = {name for name, value in vars(made).items() if isinstance(value, ModuleType)}
    return [name for name in names if not name.startswith("_") and name not in modules]


@needs_mypy
def test_attributes_of_tensors_are_known(tmp_path: Path) -> None:
    names = [name for name in dir(torch.Tensor) if not name.startswith("_")]
    program = ["import torch", "x: torch.Tensor", *(f"x.{name}" for name in names)]
    assert check(program, tmp_path) == []


def test_the_stub_declares_the_attributes_of_tensors() -> None:
    inherited = set(dir(object)) | {"__dict__"}
    stub = _members(PACKAGE / "_C" / "__init__.pyi", "TensorBase")
    stub |= _members(PACKAGE / "_tensor.py", "Tensor")
    assert set(dir(torch.Tensor)) - stub - inherited == set()


def _members(path: Path, name: str) -> set[str]:
    (found,) = (
        node
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    text = "\n".join(ast.unparse(node) for node in found.body)
    return set(re.findall(r"^(?:async )?def (\w+)", text, re.M)) | set(
        re.findall(r"^(\w+)(?:: | = )", text, re.M)
    )


@pytest.mark.parametrize("path", sorted((PACKAGE / "_C").glob("_late*.pyi")), ids=lambda p: p.stem)
def test_what_stubs_of_late_names_declare_exists(path: Path) -> None:
    module = importlib.import_module(_module_of(path.stem))
    declared = {
        name for name in _declared(path) if not hasattr(module, name) and name not in _REEXPORTED
    }
    assert declared == set()


_REEXPORTED = frozenset(("_VariableFunctions", "_linalg", "_special"))


def _module_of(stem: str) -> str:
    """Return the package that imports a stub: of `_late_nn_utils`, torch.nn.utils."""
    name = stem.removeprefix("_late").replace("_", ".")
    return {".return.types": "torch.return_types"}.get(name, f"torch{name}")


def _declared(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case ast.ImportFrom(names=parts) | ast.Import(names=parts):
                names |= {part.asname for part in parts if part.asname}
    return names

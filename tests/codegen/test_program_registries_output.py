"""Programs as TorchScript, and the tables of their operators: shape functions and decompositions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from collected import Collected
from operator_files import ROOT

from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.drivers.registries import generate, main
from tools.jit.registries import DECOMPOSITIONS, SHAPE_FUNCTIONS, Registry
from tools.jit.torchscript import Callables, read_program

PROGRAMS, TABLE = SHAPE_FUNCTIONS.programs, SHAPE_FUNCTIONS.table
_OF_TENSORS = (
    "import torch\nfrom torch import Tensor\nHALF = 0.5\n\n\ndef half(x: Tensor) -> Tensor:\n    "
)
_HEAD = "def double(x: list[int], default: int | None = None) -> list[int]:\n    "


def _tree(folder: Path) -> Path:
    for registry in (SHAPE_FUNCTIONS, DECOMPOSITIONS):
        for name in (registry.programs, registry.table):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def _lowered(body: str, folder: Path, head: str = _HEAD, operators: Callables | None = None) -> str:
    path = folder / "programs.py"
    path.write_text(head + body.replace("\n", "\n    ") + "\n")
    return read_program(path, "programs", operators=operators).text


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("y: list[int] = []\nreturn y", "y = annotate(List[int], [])"),
        ("x.append(len(x))\nreturn x", "torch.append(x, torch.len(x))"),
        ("x[0] = 1\nreturn x", "torch._set_item(x, 0, 1)"),
        ("x += [max(1, 2)]\nreturn x", "x = x + [ops.prim.max(1, 2)]"),
        (
            'raise ValueError(f"{{{x}")',
            "RaiseException(torch.format('{{{}', x), 'builtins.ValueErr",
        ),
        ("return x if not len(x) else x", "x if torch.__not__(torch.len(x)) else x"),
        ("return double(x)", "return __torch__.programs.double(x)"),
        ("return double(x, default=len(x))", "programs.double(x, default=torch.len(x))"),
        (
            '"""Summary."""\nreturn x',
            "def double(x: List[int], default: Optional[int]=None) -> List",
        ),
    ],
)
def test_python_becomes_what_archives_have(written: str, made: str, tmp_path: Path) -> None:
    text = _lowered(written, tmp_path)
    assert made in text and "Summary" not in text


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("return [y for y in x]", "2:12: TorchScript has no ListComp"),
        ("return sorted(x)", "2:12: no function is called 'sorted'"),
        ("return doublet(x)", "(did you mean \"double\"?)"),
        ("return x.index(1)", "TorchScript has no x.index"),
        ("return max(x, key=x)", "arguments of builtins are passed by position"),
        ("x.append(item=1)\nreturn x", "arguments of builtins are passed by position"),
        ("return double(**x)", "keyword arguments have names"),
        ("return x.shapes", "TorchScript has no x.shapes here (did you mean \"shape\"?)"),
        ("raise ValueError", "an exception is raised with one message"),
        ("y: dict[str, int] = x\nreturn x", "TorchScript has no type dict[str, int]"),
        ("x[:1] = x\nreturn x", "TorchScript assigns to variables and elements"),
        ('return f"{x!r}"', "TorchScript formats values without options"),
        ("import math", "TorchScript has no Import"),
        ("return (", "was never closed"),
    ],
)  # fmt: skip
def test_what_torchscript_lacks_is_reported(written: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        _lowered(written, tmp_path)
    assert message in str(caught.value) and "programs.py:" in str(caught.value)


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("return x.sum(keepdim=True)", "return torch.sum(x, keepdim=True)"),
        ("return torch.where(x > 0, x, HALF)", "return torch.where(x > 0, x, 0.5)"),
        ("return (-x).exp().log1p() * HALF", "return torch.log1p(torch.exp(-x)) * 0.5"),
        ("return x.reshape(x.shape)", "return torch.reshape(x, torch.size(x))"),
        ("return x.to(dtype=x.dtype)", "return torch.to(x, dtype=ops.prim.dtype(x))"),
        (
            "return half(x=x)",
            "def half(x: Tensor) -> Tensor:\n    return __torch__.programs.half(x=x)",
        ),
    ],
)
def test_methods_and_operators_become_functions(
    written: str, made: str, model: Operators, tmp_path: Path
) -> None:
    text = _lowered(written, tmp_path, _OF_TENSORS, Callables.of(model))
    assert made in text and "import" not in text and "HALF" not in text


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("return x.sigmod()", '7:12: TorchScript has no x.sigmod (did you mean "sigmoid"?)'),
        ("return torch.sigmod(x)", "torch has no operator 'sigmod' (did you mean \"sigmoid\"?)"),
        ("return x.where(x > 0, x)", "TorchScript has no x.where"),
        ("return x.device", "TorchScript has no x.device here"),
    ],
)
def test_operators_that_do_not_exist_are_reported(
    written: str, message: str, model: Operators, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        _lowered(written, tmp_path, _OF_TENSORS, Callables.of(model))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (TABLE, '"bmm": "bmm"', '"bm": "bmm"', "no function is called 'bm'"),
        (TABLE, '"bmm": "bmm"', '"bmm": "bmn"', "no operator is called 'bmn' (did you mean"),
        (TABLE, '"bmm": "bmm"', '"bmm": "mm"', "mm has two shape functions: bmm and mm"),
        (TABLE, '"bmm": "bmm"', '"bmm": bmm', "an entry of OPERATORS is the name"),
        (TABLE, "OPERATORS =", "OTHERS =", "the file has no table OPERATORS"),
        (TABLE, "OPERATORS =", "OPERATORS = =", f"{TABLE}:"),
        (PROGRAMS, "return self[:]", "return list(self)", f"{PROGRAMS}:"),
    ],
)
def test_mistakes_are_reported_at_their_place(
    file: str, old: str, new: str, message: str, model: Operators, tmp_path: Path
) -> None:
    path = _tree(tmp_path) / file
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        generate(SHAPE_FUNCTIONS, tmp_path, model, Collected())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (DECOMPOSITIONS.table, '"mv": "mv"', '"mv": "silu"', "mv takes (self, vec), but silu has"),
        (
            DECOMPOSITIONS.table,
            '"mv": "mv"',
            '"mv": "dot"',
            "dot has two decompositions: dot and mv",
        ),
        (DECOMPOSITIONS.programs, ".sigmoid()", ".sigmod()", 'did you mean "sigmoid"?'),
        (DECOMPOSITIONS.programs, "import torch", "import math", "TorchScript has no Import"),
    ],
)
def test_mistakes_in_decompositions_are_reported(
    file: str, old: str, new: str, message: str, model: Operators, tmp_path: Path
) -> None:
    path = _tree(tmp_path) / file
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        generate(DECOMPOSITIONS, tmp_path, model, Collected())
    assert message in str(caught.value) and f"{file}:" in str(caught.value)


@pytest.mark.parametrize("registry", [SHAPE_FUNCTIONS, DECOMPOSITIONS])
def test_a_missing_file_is_reported(registry: Registry, model: Operators, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the file"):
        generate(registry, tmp_path, model, Collected())


@pytest.mark.parametrize(
    ("registry", "row"),
    [
        (SHAPE_FUNCTIONS, '{"aten::t(Tensor(a) self) -> Tensor(a)", "t"},'),
        (DECOMPOSITIONS, '{"aten::silu(Tensor self) -> Tensor", "silu"},'),
    ],
)
def test_the_command_writes_the_file(registry: Registry, row: str, tmp_path: Path) -> None:
    assert main(registry, "command", ["-d", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / registry.file).read_text()
    assert row in text
    assert text.count("\ndef ") == (ROOT / registry.programs).read_text().count("\ndef ")


def test_a_mistake_ends_the_command_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["-s", str(tmp_path), "-d", str(tmp_path / "out")]
    assert main(DECOMPOSITIONS, "command", arguments) != 0
    error = capsys.readouterr().err
    assert "native_functions.yaml" in error and "Traceback" not in error

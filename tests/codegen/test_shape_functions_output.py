"""The shape functions as TorchScript, and the table of their operators."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from collected import Collected
from operator_files import ROOT

from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.drivers.shape_functions import generate, main
from tools.jit.shape_functions import FILE, PROGRAMS, TABLE
from tools.jit.torchscript import read_program

_HEAD = "def double(x: list[int], default: int | None = None) -> list[int]:\n    "


def _tree(folder: Path) -> Path:
    (folder / "torch/jit").mkdir(parents=True)
    for name in (PROGRAMS, TABLE):
        shutil.copy(ROOT / name, folder / name)
    return folder


def _lowered(body: str, folder: Path) -> str:
    path = folder / "programs.py"
    path.write_text(_HEAD + body.replace("\n", "\n    ") + "\n")
    return read_program(path, "programs").text


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
        ("return double(x=x)", "arguments are passed by position"),
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
        generate(tmp_path, model, Collected())
    assert message in str(caught.value)


def test_a_missing_file_is_reported(model: Operators, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the file"):
        generate(tmp_path, model, Collected())


def test_the_command_writes_the_file(tmp_path: Path) -> None:
    assert main(["-d", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / FILE).read_text()
    assert '{"aten::t(Tensor(a) self) -> Tensor(a)", "t"},' in text
    assert text.count("\ndef ") == (ROOT / PROGRAMS).read_text().count("\ndef ")

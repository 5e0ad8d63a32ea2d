"""upgraders.yaml: what operators did in old versions becomes functions and a table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.base.file_manager import FileManager
from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile
from tools.drivers.upgraders import generate
from tools.jit.upgraders import read_upgraders

OWN = Path(__file__).parents[2] / "aten/src/ATen/native/upgraders.yaml"
ENTRY = """\
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  from: 2
  until: 6
  program: |
    both = self if alpha is None else self * alpha
    return torch.sub(both, other, out=out)
"""


def read(text: str, model: Operators) -> None:
    read_upgraders(OperatorFile.parse(text, "upgraders.yaml"), model)


def test_an_entry_becomes_a_function_and_a_row(model: Operators, tmp_path: Path) -> None:
    files = FileManager(tmp_path, "")
    generate(model, OperatorFile.parse(ENTRY, "upgraders.yaml"), files)
    files.make()
    files.commit(())
    text = (tmp_path / "torch/jit/generated/operator_upgraders.py").read_text()
    assert "def add_out_2_6(self, other, *, alpha=1, out):\n    both = self if" in text
    assert '    ("aten::add.out", 2, 6, "aten::add.out(Tensor self, ' in text
    (tmp_path / "torch/__init__.py").write_text("")
    program = (
        "from torch.jit.generated.operator_upgraders import *; print(UPGRADERS[0][4].__name__)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert found.stdout == "add_out_2_6\n"


def test_only_a_changed_entry_writes_the_file(model: Operators, tmp_path: Path) -> None:
    def written(text: str) -> list[str]:
        files = FileManager(tmp_path, "")
        generate(model, OperatorFile.parse(text, "upgraders.yaml"), files)
        files.make()
        return list(files.commit(())[0])

    assert len(written(ENTRY)) == 1
    assert written(f"# A remark.\n{ENTRY}") == []
    assert len(written(ENTRY.replace("until: 6", "until: 7"))) == 1


MISTAKES = {
    ENTRY.replace("add.out", "ad.out"): "1:9: no operator 'ad.out' (did you mean",
    ENTRY.replace("until: 6", "until: six"): '3:10: "until" takes the number of a version',
    ENTRY.replace("until: 6", "until: 1"): "the range 2 to 1 is empty",
    ENTRY.replace("  until: 6\n", ""): "1:1: an entry needs `until:`",
    ENTRY.replace("until:", "untl:"): 'unknown field "untl"',
    ENTRY.replace("(both,", "(bth,"): "the program uses 'bth', which is not defined (did you",
    ENTRY.replace("return torch", "return return"): "the program is not Python: invalid syntax",
    ENTRY.replace("Tensor self,", "Tesor self,"): "Tesor",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_reported_at_their_place(text: str, model: Operators) -> None:
    with pytest.raises(InputError) as caught:
        read(text, model)
    assert MISTAKES[text] in str(caught.value)


def test_the_file_of_the_build_is_sound(model: Operators) -> None:
    upgraders = read_upgraders(OperatorFile.read(OWN), model)
    assert len({(u.schema.name, u.first) for u in upgraders}) == len(upgraders) == 18

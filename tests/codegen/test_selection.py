"""Lists of selected operators: their mistakes, merging, and what a selective build generates."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from collected import Collected
from operator_files import DEPRECATED, DERIVATIVES, DOCS, NATIVE, ROOT, TAGS
from staged_tree import STAGES, StagedTree

from tools.base.errors import BuildError
from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile
from tools.codegen.selection import DTYPES, Selection, merged, read_selection
from tools.drivers import annotated, aten, autograd, python
from tools.drivers.inputs import InputFiles, Inputs

LIST = """\
- operator: aten::mul.Tensor
  dtypes: [Float, Long]
  training: True
- operator: aten::add.Tensor
  dtypes: [Float]
- operator: mine::own
"""


def selection(text: str, model: Operators | None = None) -> Selection:
    file = OperatorFile.parse(text, "operators.yaml")
    return read_selection(file, None if model is None else model.functions)


def test_the_dtypes_are_those_of_the_header() -> None:
    header = (ROOT / "c10/core/ScalarType.h").read_text()
    rows = r"_\((?:[\w:<>]+, )?([A-Z]\w+), \d+(?:, \d)?\)"  # _(type, name, number[, bytes])
    assert set(re.findall(rows, header)) == DTYPES


def test_a_list_is_read_and_written() -> None:
    read = selection(LIST)
    assert read.operators["aten::mul.Tensor"].dtypes == {"Float", "Long"}
    assert read.built_dtypes == {"Bool", "Float", "Long"}
    assert selection(read.text()).operators == read.operators


def test_lists_merge() -> None:
    other = selection("- operator: aten::add.Tensor\n  dtypes: [Long]\n  training: True\n")
    both = merged([selection(LIST), other])
    added = both.operators["aten::add.Tensor"]
    assert added.training and added.dtypes == {"Float", "Long"}
    assert len(both.operators) == 3
    assert merged([other, selection(LIST)]).operators == both.operators


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "- operator: aten::mul.Tenso\n",
            'operators.yaml:1:13: no operator is called "aten::mul.Tenso" '
            '(did you mean "aten::mul.Tensor"?)',
        ),
        ("- operator: mul\n", 'begin with a namespace, such as "aten::"'),
        (
            "- operator: aten::add.Tensor\n  dtypes: [Floa]\n",
            'operators.yaml:2:12: unknown dtype "Floa" (did you mean "Float"?)',
        ),
        (
            "- operator: aten::add.Tensor\n  dtype: [Float]\n",
            'operators.yaml:2:3: unknown field "dtype" (did you mean "dtypes"?)',
        ),
        ("- dtypes: [Float]\n", "operators.yaml:1:1: an item needs a name"),
        ("- operator: aten::add.Tensor\n  training: 7\n", '"training" must be True or False'),
        ("- operator: [\n", "operators.yaml:"),
        ("", "operators.yaml:1:1: the list has no operators"),
    ],
)
def test_mistakes_name_the_place(model: Operators, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        selection(text, model)
    assert message in str(error.value)


def test_all_mistakes_are_reported_together(model: Operators) -> None:
    with pytest.raises(InputError) as error:
        selection("- operator: aten::ad.Tensor\n- operator: aten::mull.Tensor\n", model)
    assert str(error.value).count("no operator is called") == 2


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return InputFiles.read(NATIVE, TAGS, DERIVATIVES, DEPRECATED, DOCS).build()


@pytest.fixture(scope="module")
def generated(inputs: Inputs) -> Collected:
    files = Collected()
    chosen = selection(LIST, inputs.operators)
    assert inputs.derivatives is not None
    aten.generate(inputs.operators, files, selection=chosen)
    autograd.generate(inputs.operators, inputs.derivatives, files, selection=chosen)
    python.generate(inputs.operators, files, deprecated=inputs.deprecated, selection=chosen)
    return files


def text_of(files: Collected, name: str) -> str:
    found = [text for path, text in files.items() if path.rpartition("/")[2].startswith(name)]
    assert found, name
    return "\n".join(found)


def test_only_selected_kernels_are_registered(generated: Collected) -> None:
    cpu = text_of(generated, "RegisterCPU_")
    assert "wrapper_CPU_mul_Tensor(" in cpu and "wrapper_CPU_add_Tensor(" in cpu
    assert "wrapper_CPU_sub" not in cpu and "wrapper_CPU_mul__Tensor" not in cpu
    assert "&at::_ops::sub_Tensor::entry," in text_of(generated, "RegisterSchema_")


def test_only_trained_operators_have_formulas(generated: Collected) -> None:
    nodes = text_of(generated, "Functions_")
    assert "MulBackward0 " in nodes
    assert "AddBackward0" not in nodes and "SubBackward0" not in nodes
    kernels = text_of(generated, "VariableType_")
    assert "MulBackward0" in kernels and "sub_Tensor" not in kernels
    assert "add_Tensor(" in kernels  # its backward raises
    assert "MulBackward0" in text_of(generated, "python_functions")


def test_left_out_functions_raise(generated: Collected) -> None:
    functions = text_of(generated, "python_torch_functions")
    assert 'return raise_left_out("sub");' in functions
    assert 'raise_left_out("mul")' not in functions
    assert '{"sub", method(THPVariable_sub)' in functions
    message = text_of(generated, "ATenOpList")
    assert "was left out of this build: SELECTED_OP_LIST=operators.yaml" in message


@pytest.mark.parametrize("name", ["aten::div_.Scalar", "aten::mul.out"])
def test_tests_of_overrides_know_any_selection(inputs: Inputs, name: str) -> None:
    files = Collected()
    annotated.generate(
        inputs.operators, files, selection=selection(f"- operator: {name}\n", inputs.operators)
    )
    assert text_of(files, "annotated_fn_args").count("torch.") <= 2


def test_stages_follow_the_list(tmp_path: Path) -> None:
    tree = StagedTree(tmp_path)
    assert tree.run() == set(STAGES)
    registered = "aten/src/ATen/RegisterCPU_0.cpp"
    assert "wrapper_CPU_mul" in tree.files()[registered]
    (tmp_path / "operators.yaml").write_text("- operator: aten::add.out\n")
    tree.selected = str(tmp_path / "operators.yaml")
    assert tree.run() == {"aten", "autograd", "python", "jit", "annotated"}
    assert not tree.run()
    assert "wrapper_CPU_mul" not in tree.files()[registered]
    (tmp_path / "operators.yaml").write_text("- operator: aten::mul.out\n")
    assert tree.run() == {"aten", "autograd", "python", "jit", "annotated"}
    assert "wrapper_CPU_mul_out" in tree.files()[registered]
    before = tree.files()
    (tmp_path / "operators.yaml").write_text("- operator: aten::multiple\n")
    with pytest.raises(BuildError, match="failed") as error:
        tree.run()
    assert "operators.yaml:1:13: no operator is called" in error.value.cause
    assert tree.files() == before


def test_commands(tmp_path: Path) -> None:
    first, second, both = (tmp_path / f"{name}.yaml" for name in ("first", "second", "both"))
    first.write_text(LIST)
    second.write_text("- operator: aten::sub.Tensor\n")

    def run(module: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", f"tools.code_analyzer.{module}", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert run("gen_operators_yaml", first, second, "-o", both).returncode == 0
    listed = run("gen_oplist", both)
    assert listed.stdout.split() == [
        "aten::add.Tensor",
        "aten::mul.Tensor",
        "aten::sub.Tensor",
        "mine::own",
    ]
    assert run("gen_oplist", both, "--training").stdout.split() == ["aten::mul.Tensor"]
    second.write_text("- operator: aten::subb.Tensor\n")
    wrong = run("gen_operators_yaml", first, second, "-o", both)
    assert wrong.returncode == 2 and "second.yaml:1:13: no operator is called" in wrong.stderr

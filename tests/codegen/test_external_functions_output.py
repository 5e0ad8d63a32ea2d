"""The functions over raw memory that tensor expressions call."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from collected import Collected
from operator_files import NATIVE, ROOT, TAGS

from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.codegen.read import read_operators
from tools.drivers.explain import operator
from tools.drivers.external_functions import generate, main
from tools.jit.external_functions import DIRECTORY, function_names

_FAMILY = f"{DIRECTORY}/external_functions_codegen"


def _function(model: Operators, name: str) -> str:
    files = Collected()
    generate(model, files)
    text = files[f"{_FAMILY}_0.cpp"]
    start = text.index(f'extern "C" void {name}(')
    return " ".join(text[start : text.index("}});", start)].split())


def test_every_function_is_declared_defined_and_registered(model: Operators) -> None:
    files = Collected()
    generate(model, files, limits={"external_functions_codegen": 80})
    sources = [text for path, text in files.items() if path.endswith(".cpp")]
    joined = "".join(sources)
    names = sorted(function_names(model).values())
    assert len(sources) > 2 and len(names) > 200
    assert sorted(re.findall(r" (\w+);$", files[f"{_FAMILY}.h"], re.M)) == names
    assert sorted(re.findall(r'^extern "C" void (\w+)\(', joined, re.M)) == names
    assert sorted(re.findall(r'^    "(\w+)", \{', joined, re.M)) == names


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("mm.out", "nnc_aten_mm"),
        ("eq.Tensor_out", "nnc_aten_eq"),
        ("eq.Scalar_out", "nnc_aten_eq_Scalar"),
        ("pow.Tensor_Tensor_out", "nnc_aten_pow"),
        ("pow.Scalar_out", "nnc_aten_pow_Scalar"),
        ("all.all_out", "nnc_aten_all_all"),
        ("smooth_l1_loss_backward.grad_input", "nnc_aten_smooth_l1_loss_backward"),
        ("mm", None),
        ("topk.values", None),
        ("cat.out", None),
        ("div.out_mode", None),
        ("cumsum.out", None),
    ],
)
def test_overloads_have_names_of_their_own(
    operator: str, name: str | None, model: Operators
) -> None:
    assert function_names(model).get(model.by_name[operator]) == name


def test_arguments_are_read_in_the_schemas_order(model: Operators) -> None:
    text = _function(model, "nnc_aten_addmm")
    assert (
        "addmm_out::call(tensors[1], tensors[2], tensors[3], "
        "scalar_argument(extra_args + 0), scalar_argument(extra_args + 2), tensors[0]);" in text
    )
    assert 'check_counts("nnc_aten_addmm", bufs_num, 4, args_num, 4);' in text
    assert "nnc_aten_addmm, 3, {ExternalArgument::Scalar, ExternalArgument::Scalar" in text
    assert "call(tensors[1], extra_args[0], extra_args[1] != 0, tensors[0])" in _function(
        model, "nnc_aten__softmax"
    )


def test_names_are_those_of_pytorchs_generator(peer_packaged: Path) -> None:
    """It names a function for the operator, and takes only overloads of positional tensors."""
    native, tags = peer_packaged / "native_functions.yaml", peer_packaged / "tags.yaml"
    program = f"""
from torchgen.gen import parse_native_yaml
for function in parse_native_yaml({str(native)!r}, {str(tags)!r}).native_functions:
    arguments = function.func.arguments
    types = {{str(argument.type) for argument in arguments.flat_positional}}
    if len(arguments.out) == 1 and not arguments.flat_kwarg_only and types <= {{"Tensor"}}:
        print("nnc_aten_" + function.func.name.name.base)
"""
    command = [os.environ["TORCH_PEER"], "-I", "-c", program]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = set(found.stdout.split())
    ours = set(function_names(read_operators(native.read_text(), tags.read_text())).values())
    assert len(theirs) > 200 and theirs <= ours


def test_equal_names_are_reported_at_the_operator() -> None:
    text = NATIVE.read_text()
    text += """
- func: eq_Scalar.Tensor(Tensor self) -> Tensor
- func: eq_Scalar.Tensor_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: eq_Scalar_Tensor_out
"""
    line = text[: text.index("- func: eq_Scalar.Tensor_out")].count("\n") + 1
    with pytest.raises(InputError) as caught:
        generate(read_operators(text, TAGS.read_text()), Collected())
    message = "are both called nnc_aten_eq_Scalar"
    assert message in str(caught.value) and f":{line}:" in str(caught.value)


def test_the_command_writes_one_file_and_its_header(tmp_path: Path) -> None:
    assert main(["-d", str(tmp_path / "out")]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "external_functions_codegen.h",
        "external_functions_codegen_0.cpp",
    ]


def test_explain_shows_the_function(tmp_path: Path) -> None:
    assert main(["-d", str(tmp_path / DIRECTORY)]) == 0
    text = operator(ROOT, tmp_path, ["add.out"])
    assert "external function of tensor expressions" in text
    assert re.search(r"external_functions_codegen_0\.cpp:\d+ +nnc_aten_add$", text, re.M)


def test_mistakes_in_the_operators_have_a_place_and_no_traceback(tmp_path: Path) -> None:
    native = tmp_path / "aten/src/ATen/native"
    native.mkdir(parents=True)
    (native / "tags.yaml").write_text(TAGS.read_text())
    (native / "native_functions.yaml").write_text("- func: f.out(Tenser a) -> Tensor\n")
    command = [sys.executable, "-m", "tools.jit.gen_external_functions", "-s", str(tmp_path)]
    command += ["-d", str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "native_functions.yaml:1:" in done.stderr and 'did you mean "Tensor"' in done.stderr
    assert not (tmp_path / "out").exists()

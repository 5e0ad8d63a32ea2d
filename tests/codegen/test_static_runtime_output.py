"""The operators that the static runtime computes into memory that it plans."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from collected import Collected
from operator_files import ROOT, TAGS

from tools.codegen.model import Operators
from tools.codegen.read import read_operators
from tools.codegen.selection import SelectedOperator, Selection
from tools.drivers.explain import operator
from tools.drivers.static_runtime import generate, main
from tools.jit.static_runtime import DIRECTORY, FAMILY, out_variants

_PEER = f"{Path(__file__).parent}/peer_static_runtime.py"


def _names(model: Operators) -> dict[str, str]:
    return {str(f.func.name): str(out.func.name) for f, out in out_variants(model).items()}


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("mm", "mm.out"),
        ("add.Tensor", "add.out"),
        ("pow.Tensor_Scalar", "pow.Tensor_Scalar_out"),
        ("gelu_backward", "gelu_backward.grad_input"),
        ("add_.Tensor", None),  # writes an argument
        ("add.out", None),
        ("max.dim", None),  # two results
        ("view", None),  # the memory of an argument
        ("item", None),  # no tensor
        ("cat", "cat.out"),
    ],
)
def test_operators_that_return_one_new_tensor_have_their_out_variant(
    name: str, variant: str | None, model: Operators
) -> None:
    assert name in model.by_name
    assert _names(model).get(name) == variant


def test_overloads_and_their_arguments_have_any_names() -> None:
    text = """
- func: h(Tensor self, *, int n=1) -> Tensor
  dispatch:
    CPU: h
- func: h.other_out(Tensor self, *, int n=1, Tensor(a!) result) -> Tensor(a!)
  dispatch:
    CPU: h_out
"""
    assert _names(read_operators(text, TAGS.read_text())) == {"h": "h.other_out"}


def test_every_operator_has_a_kernel_and_a_row(tmp_path: Path, model: Operators) -> None:
    assert main(["-d", str(tmp_path)]) == 0
    (file,) = tmp_path.iterdir()
    text = file.read_text()
    rows = dict(re.findall(r'^ *\{"aten::([\w.]+)", &(\w+)\},$', text, re.M))
    assert file.name == f"{FAMILY}_0.cpp"
    assert rows.keys() == _names(model).keys()
    assert sorted(rows.values()) == sorted(re.findall(r"^void (\w+)\(", text, re.M))


def test_kernels_call_the_cpus_function_with_the_schemas_arguments(model: Operators) -> None:
    files = Collected()
    generate(model, files)
    text = files[f"{DIRECTORY}/{FAMILY}_0.cpp"]
    start = text.index("void add_Tensor(")
    assert " ".join(text[start : text.index("}", start)].split()) == (
        "void add_Tensor(const c10::IValue* arguments, at::Tensor& out) { at::cpu::add_outf( "
        "c10::impl::unboxed_argument<const at::Tensor &>(arguments[0]).get(), "
        "c10::impl::unboxed_argument<const at::Tensor &>(arguments[1]).get(), "
        "c10::impl::unboxed_argument<const at::Scalar &>(arguments[2]).get(), out);"
    )


def test_a_selective_build_has_its_operators_only(model: Operators) -> None:
    chosen = ("aten::add.Tensor", "aten::add.out", "aten::mul.Tensor")
    operators = {name: SelectedOperator(name, frozenset(), False) for name in chosen}
    files = Collected()
    generate(model, files, selection=Selection(operators))
    found = re.findall(r'\{"aten::([\w.]+)", &', files[f"{DIRECTORY}/{FAMILY}_0.cpp"])
    assert found == ["add.Tensor"]


def test_operators_of_pytorchs_generator_have_the_same_variants(peer_packaged: Path) -> None:
    """PyTorch leaves out many, and takes some that copy, or that recorded graphs do not have."""
    native, tags = peer_packaged / "native_functions.yaml", peer_packaged / "tags.yaml"
    command = [os.environ["TORCH_PEER"], "-I", _PEER, str(native), str(tags)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = dict(line.split() for line in found.stdout.splitlines())
    model = read_operators(native.read_text(), tags.read_text())
    ours = _names(model)
    assert len(theirs) > 200
    useless = {
        name
        for name, out in theirs.items()
        if model.by_name[out].is_generated or model.by_name[name].composite_implicit
    }
    assert {"prod", "absolute"} <= useless and len(useless) < len(theirs) / 3
    assert {name: ours.get(name) for name in theirs.keys() - useless} == {
        name: out for name, out in theirs.items() if name not in useless
    }


def test_explain_shows_the_kernel(tmp_path: Path) -> None:
    assert main(["-d", str(tmp_path / DIRECTORY)]) == 0
    text = operator(ROOT, tmp_path, ["add.Tensor"])
    assert "static runtime, into planned memory" in text
    assert re.search(rf"{FAMILY}_0\.cpp:\d+ +add_Tensor$", text, re.M)

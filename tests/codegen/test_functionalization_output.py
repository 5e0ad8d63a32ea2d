"""Functionalization's generated files: the table of replacements, inverses and copies of views."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from collected import files_of
from operator_files import ROOT

from tools.codegen import functional
from tools.codegen.model import Operators
from tools.codegen.read import read_operators
from tools.codegen.schema import SchemaKind

_TABLE = re.compile(r'^ +"(\S+) (\S+)\\n"$', re.MULTILINE)
_VIEW = re.compile(r'^ +\{"([^"]+)", &make_view_meta<(.+)>\},$', re.MULTILINE)
_CLASS = re.compile(r"^struct TORCH_API (\w+_ViewMeta) final : ViewMeta \{$", re.MULTILINE)
_ATEN = "aten/src/ATen"

VIEWS = """
- func: part(Tensor(a) self, SymInt[] sizes, int dim=0) -> Tensor(a)
  dispatch:
    CompositeExplicitAutograd: part

- func: part_copy(Tensor self, SymInt[] sizes, int dim=0) -> Tensor
  dispatch:
    CompositeExplicitAutogradNonFunctional: part_copy_kernel
  autogen: part_copy.out
  tags: view_copy

- func: part_(Tensor(a!) self, SymInt[] sizes, int dim=0) -> Tensor(a!)
  tags: inplace_view
  dispatch:
    CompositeExplicitAutograd: part_

- func: parts(Tensor(a -> *) self, int n) -> Tensor(a)[]
  dispatch:
    CompositeExplicitAutograd: parts

- func: whole(Tensor(a) self) -> Tensor(a)

- func: change_(Tensor(a!) self, Tensor(b!) other) -> Tensor(a!)
  dispatch:
    CPU: change_
  autogen: change, change.out
"""
TAGS = "- tag: view_copy\n  desc: a\n- tag: inplace_view\n  desc: b\n- tag: generated\n  desc: c\n"


@pytest.fixture(scope="module")
def small() -> Operators:
    return read_operators(VIEWS, TAGS)


def test_mutations_name_the_variant_that_computes(small: Operators) -> None:
    text = files_of(small, "register_functionalization")[f"{_ATEN}/RegisterFunctionalization_0.cpp"]
    assert dict(_TABLE.findall(text)) == {
        "aten::part_": "aten::part",
        "aten::part_copy.out": "aten::part_copy",
        "aten::change_": "aten::change",
        "aten::change.out": "aten::change",
    }
    assert _VIEW.findall(text) == [
        ("aten::part", "part_ViewMeta, at::IntArrayRef, int64_t"),
        ("aten::parts", "parts_ViewMeta, int64_t"),
    ]


def test_steps_to_views_own_the_arguments(small: Operators) -> None:
    files = files_of(small, "view_meta_classes")
    header = files[f"{_ATEN}/ViewMetaClasses.h"]
    assert _CLASS.findall(header) == ["part_ViewMeta", "parts_ViewMeta"]
    assert "const Geometry& input, at::IntArrayRef sizes, int64_t dim)" in header
    assert ": ViewMeta(reapply_views, input), sizes(sizes.begin(), sizes.end()), dim(dim)" in header
    assert "  std::vector<int64_t> sizes;\n  int64_t dim;\n};" in header
    assert header.count("to_out_index(int64_t index) const override {") == 1
    assert "auto step = std::make_shared<parts_ViewMeta>(*this);" in header


def test_steps_call_the_view_or_its_copy_and_the_inverse(small: Operators) -> None:
    source = files_of(small, "view_meta_classes")[f"{_ATEN}/ViewMetaClasses.cpp"]
    assert "if (!reapply_views) return at::_ops::part_copy::call(base, sizes, dim);" in source
    assert "  return at::_ops::part::call(base, sizes, dim);" in source
    assert "parts_copy" not in source and "at::_ops::parts::call(base, n);" in source
    common = "base, mutated_view, inverse_return_mode()"
    assert f"FunctionalInverses::part_inverse({common}, sizes, dim);" in source
    assert f"FunctionalInverses::parts_inverse({common}, out_index, n);" in source


def test_inverses_take_the_arguments_of_the_view(small: Operators) -> None:
    text = files_of(small, "functional_inverses")[f"{_ATEN}/FunctionalInverses.h"]
    common = "const at::Tensor& base, const at::Tensor& mutated_view, InverseReturnMode"
    one = f"part_inverse({common} inverse_return_mode, at::IntArrayRef sizes, int64_t dim);"
    several = f"parts_inverse({common} inverse_return_mode, int64_t mutated_view_idx, int64_t n);"
    assert f"static at::Tensor {one}" in text
    assert f"static at::Tensor {several}" in text
    assert "whole_inverse" not in text


def test_copies_call_the_view(small: Operators) -> None:
    text = files_of(small, "view_copy_kernels")[f"{_ATEN}/CompositeViewCopyKernels.cpp"]
    signature = "part_copy_kernel(const at::Tensor & self, at::IntArrayRef sizes, int64_t dim)"
    assert f"at::Tensor {signature} {{" in text
    assert "return copy_of(at::_ops::part::call(self, sizes, dim));" in text


def test_every_view_of_the_tree_has_a_copy(model: Operators) -> None:
    missing = {view.full_name for view, copy in functional.views(model).items() if copy is None}
    assert missing == set()


def test_only_known_operators_write_without_a_variant(model: Operators) -> None:
    variants = functional.functional_variants(model)
    without = {
        function.root_name
        for function in model.functions
        if function.func.arguments.mutable
        and not function.composite_implicit
        and function not in variants
    }
    fused = {name for name in without if name.startswith(("_fused_", "_amp_"))}
    assert without - fused == {"resize", "set", "polygamma"}


def test_inverses_are_defined(model: Operators) -> None:
    source = (ROOT / _ATEN / "FunctionalInverses.cpp").read_text()
    defined = set(re.findall(r"^Tensor FunctionalInverses::(\w+)\(", source, re.MULTILINE))
    assert defined == {functional.inverse_name(view) for view in functional.views(model)}


@pytest.mark.peer
def test_replacements_agree_with_the_peer(peer_packaged: Path) -> None:
    program = str(Path(__file__).with_name("peer_functionalization.py"))
    peer = [os.environ["TORCH_PEER"], program]
    found = subprocess.run(peer, capture_output=True, text=True, check=True)
    variants, copies, inverses, kernels, classes = json.loads(found.stdout)
    operators = read_operators(
        (peer_packaged / "native_functions.yaml").read_text(),
        (peer_packaged / "tags.yaml").read_text(),
    )
    own = functional.functional_variants(operators)
    views = functional.views(operators)
    in_place_views = {f.full_name for f, variant in own.items() if variant in views}
    own_names = {f.full_name: variant.full_name for f, variant in own.items()}
    assert len(variants) > 1200
    assert {name: own_names[name] for name in own_names.keys() - in_place_views} == variants
    assert {view.full_name: functional.inverse_name(view) for view in views} == inverses
    header = files_of(operators, "view_meta_classes")[f"{_ATEN}/ViewMetaClasses.h"]
    own_classes = _CLASS.findall(header)
    # A view in place takes the step of the view; PyTorch has another class for it, with the same members.
    in_place = {
        f"{f.unambiguous}_ViewMeta"
        for f, v in own.items()
        if f.func.kind is SchemaKind.inplace and v in views
    }
    assert len(own_classes) == len(set(own_classes)) > 40
    assert {*own_classes, *in_place} == set(classes)
    # PyTorch counts slice_scatter as the copy of the view slice_inverse.
    del copies["slice_inverse"]
    own_copies = {v.full_name: copy.full_name for v, copy in views.items() if copy is not None}
    assert own_copies == copies
    files = files_of(operators, "view_copy_kernels")
    text = files[f"{_ATEN}/CompositeViewCopyKernels.cpp"]
    emitted = set(re.findall(r"^// aten::(\S+)\(", text, re.MULTILINE))
    assert emitted >= set(kernels) - {"view_copy"}

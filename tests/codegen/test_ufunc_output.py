"""The impl and the loops that `ufunc_inner_loop` generates, as text.

test_source_agreement.py compares them with PyTorch's, and the tests of the runtime run them.
"""

from __future__ import annotations

import re

import pytest
from collected import Collected, files_of
from operator_files import DERIVATIVES, NATIVE, ROOT, TAGS

from tools.codegen.emit.common import ATEN
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, read_operators
from tools.codegen.selection import Selection, read_selection
from tools.drivers import aten
from tools.drivers.inputs import InputFiles
from tools.drivers.kernels import selected_sources

GROUP = """\
- func: blend(Tensor self, Tensor other, *, {number}) -> Tensor
  structured_delegate: blend.out
- func: blend.out(Tensor self, Tensor other, *, {number}, Tensor(a!) out) -> Tensor(a!)
  structured: True
  structured_inherits: TensorIteratorBase
  ufunc_inner_loop:
{loops}"""


def blend(loops: str, number: str = "Scalar alpha=1") -> Collected:
    indented = "".join(f"    {line}\n" for line in loops.splitlines())
    model = read_operators(GROUP.format(number=number, loops=indented), TAGS.read_text())
    return files_of(model, "ufunc_kernels")


def cases(files: Collected, file: str) -> dict[str, str]:
    """Return the code for each dtype."""
    text = files[f"{ATEN}/{file}"]
    found = re.findall(r"^      AT_DISPATCH_CASE\(c10::ScalarType::(\w+), \[&\] \{\n(.*?)^      \}\)",
                       text, re.MULTILINE | re.DOTALL)  # fmt: skip
    return dict(found)


def test_each_dtype_has_the_most_specific_loop() -> None:
    loops = "Generic: both (All, Half, Complex)\nScalarOnly: one (Bool)\n"
    loops += "CPUScalar: own (Half, BFloat16)\nCPUVector: lanes (Bool)"
    found = cases(blend(loops), "UfuncCPUKernel_blend.cpp")
    assert "vector_loop<scalar_t, 2>(iter, both_formula(), alpha_)" in found["Float"]
    assert "vector_loop<scalar_t, 2>(iter, both_formula(), alpha_)" in found["Half"]
    assert "vector_loop<scalar_t, 2>(iter, lanes_formula(), alpha_)" in found["Bool"]
    assert "element_loop<scalar_t, scalar_t, 2>(iter, own_formula(), alpha_)" in found["BFloat16"]
    complex = found["ComplexFloat"]
    assert "element_loop<scalar_t, ufunc::compute_type<scalar_t, both_formula, 3>, 2>" in complex
    assert set(found) == {"Bool", "Byte", "Char", "Short", "Int", "Long", "Float", "Double"} | {
        "Half", "BFloat16", "ComplexFloat", "ComplexDouble"}  # fmt: skip


def test_only_numbers_that_are_1_by_default_are_factors() -> None:
    for number, factor in (("Scalar alpha=1", True), ("Scalar alpha=2", False)):
        found = cases(blend("Generic: f (Float)".replace("Float", "Floating"), number),
                      "UfuncCPUKernel_blend.cpp")["Float"]  # fmt: skip
        assert ("with_factor" in found) == factor
        assert ("lane_number<scalar_t>(alpha)" in found) != factor


def test_numbers_beside_16_bit_floats_have_functors_on_cuda() -> None:
    files = blend("Generic: f (Floating, Half)")
    found = cases(files, "UfuncCUDA_blend.cu")
    assert "CUDAFunctorOnOther_f<scalar_t>{*self_, alpha_}" in found["Half"]
    assert "CUDAFunctorOnSelf_f<scalar_t>{*other_, alpha_}" in found["Half"]
    assert "gpu_kernel(iter, CUDAFunctor_f<scalar_t>{alpha_});" in found["Half"]
    assert "OnSelf" not in found["Float"] and "OnOther" not in found["Float"]


def test_a_functor_of_the_author_replaces_the_generated_ones() -> None:
    files = blend("Generic: f (Floating, Half)\nCUDAFunctor: MyFunctor (Half)")
    found = cases(files, "UfuncCUDA_blend.cu")
    assert "gpu_kernel(iter, ufunc::MyFunctor<scalar_t>{alpha_});" in found["Half"]
    assert "gpu_kernel(iter, CUDAFunctor_f<scalar_t>{alpha_});" in found["Float"]
    assert "struct MyFunctor" not in files[f"{ATEN}/UfuncCUDA_blend.cu"]


# ---- selective builds


def generated(model: Operators, chosen: Selection) -> Collected:
    files = Collected()
    aten.generate(model, files, "ufunc_kernels", selection=chosen)
    return files


def selection(*items: str) -> Selection:
    text = "".join(f"- operator: aten::{item}\n" for item in items)
    return read_selection(OperatorFile.parse(text, "operators.yaml"))


def test_a_selective_build_has_the_selected_operators_and_dtypes(model: Operators) -> None:
    files = generated(model, selection("hypot\n  dtypes: [Float]").with_calls([]))
    assert {path.rpartition("/")[2] for path in files} == {
        "UfuncCPU_hypot.cpp", "UfuncCPUKernel_hypot.cpp", "UfuncCUDA_hypot.cu"}  # fmt: skip
    assert set(cases(files, "UfuncCPUKernel_hypot.cpp")) == {"Float"}
    assert set(cases(files, "UfuncCUDA_hypot.cu")) == {"Float"}


def test_operators_that_call_a_stub_keep_its_loops() -> None:
    """sub adds a negative multiple, and clamp takes maxima."""
    inputs = InputFiles.read(NATIVE, TAGS, DERIVATIVES).build()
    assert inputs.derivatives is not None
    chosen = selection("sub.Tensor", "clamp.Tensor")
    sources = selected_sources(ROOT, inputs.operators, inputs.derivatives, chosen)
    files = generated(inputs.operators, chosen.with_calls(sources.called))
    for root in ("add", "maximum", "minimum"):
        text = files[f"{ATEN}/UfuncCPU_{root}.cpp"]
        assert f"DEFINE_DISPATCH({root}_stub);" in text
        assert "::impl(" not in text and "_native.h" not in text
    assert f"{ATEN}/UfuncCPU_hypot.cpp" not in files


# ---- what an edit compiles


@pytest.fixture(scope="module")
def ufuncs(model: Operators) -> Collected:
    return files_of(model, "ufunc_kernels")


SCANS = {"ScanOps.cpp", "ScanKernel.cu"}  # logcumsumexp adds with logaddexp's formula


def test_an_edited_formula_compiles_only_the_loops_that_use_it(ufuncs: Collected) -> None:
    """No other source and no header includes it, and what is generated does not depend on it."""
    for header in sorted((ROOT / "aten/src/ATen/native/ufunc").glob("[a-z]*.h")):
        line = f"#include <ATen/native/ufunc/{header.name}>"
        root = header.stem
        including = {path.rpartition("/")[2] for path, text in ufuncs.items() if line in text}
        assert including == {f"UfuncCPUKernel_{root}.cpp", f"UfuncCUDA_{root}.cu"}
        sources = (
            p for p in (ROOT / "aten/src").rglob("*") if p.suffix in {".cpp", ".h", ".cu", ".cuh"}
        )
        users = {path.name for path in sources if line in path.read_text(encoding="utf-8")}
        assert users == (SCANS if root == "logaddexp" else set())


def test_every_formula_exists(model: Operators, ufuncs: Collected) -> None:
    for group in model.groups:
        for loop in group.out.ufunc_inner_loop:
            header = ROOT / f"aten/src/ATen/native/ufunc/{group.out.root_name}.h"
            assert re.search(rf"\b{loop.name}\b", header.read_text(encoding="utf-8"))
    assert len(ufuncs) >= 3 * 8

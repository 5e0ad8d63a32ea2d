"""The sources of a selective build: definitions, what needs what, dtypes, and groups."""

from __future__ import annotations

import re
from functools import cache

import pytest
from operator_files import DEPRECATED, DERIVATIVES, DOCS, NATIVE, ROOT, TAGS

from tools.code_analyzer.gen_selected_dtypes_header import header_text
from tools.code_analyzer.groups import GroupedFile, groups_of
from tools.code_analyzer.source_graph import SourceGraph, reduced, without_dtypes
from tools.codegen.emit.register import registrations
from tools.codegen.selection import SelectedOperator, Selection
from tools.drivers.inputs import InputFiles, Inputs
from tools.drivers.kernels import SelectedSources, selected_sources, source_graph

MACROS = "#define TORCH_IMPL_FUNC(name) void structured_##name::impl\n"
UNARY = """
#include <ATen/native/UnaryOps.h>
namespace at::native {
namespace {
constexpr int kLeast = 4; // of exp()
template <class T = int, class F>
void loop(const F& f) { f(T{1}); }
struct Pair { int first; };
Tensor classify(const Tensor& self) { return self; }
} // namespace
#define AT_UNARY(op)             \\
  DEFINE_DISPATCH(op##_stub);    \\
  TORCH_IMPL_FUNC(op##_out)(const Tensor& self) { op##_stub(kLeast); }
AT_UNARY(exp)
AT_UNARY(sin)
#undef AT_UNARY
Tensor isnan(const Tensor& self) { return classify(at::cos(self)); }
Tensor cos(const Tensor& self) { return helper(Pair{1}.first); }
Reader::Reader(int x) : x_{x}, y_{1} { loop([] {}); }
} // namespace at::native
"""
KERNEL = """
namespace at::native {
namespace {
void exp_kernel(int x) {}
void sin_kernel(int x) {}
} // namespace
REGISTER_DISPATCH(exp_stub, &exp_kernel)
REGISTER_DISPATCH(sin_stub, &sin_kernel)
} // namespace at::native
"""
HELPER = "namespace at::native {\nTensor helper(int x) { return {}; }\n} // namespace at::native\n"


def graph(*others: str) -> SourceGraph:
    sources = {"Unary.cpp": UNARY, "cpu/Unary.cpp": KERNEL, "Helper.cpp": HELPER}
    return SourceGraph.of(sources, {"Meta.h": MACROS}, others)


def names(graph: SourceGraph, file: str) -> list[tuple[list[str], bool]]:
    (found,) = (each for each in graph.sources if each.name == file)
    return [(sorted(each.names), each.local) for each in found.definitions]


def test_definitions_have_the_names_of_a_file() -> None:
    assert names(graph(), "Unary.cpp") == [
        (["kLeast"], True),
        (["loop"], True),
        (["Pair"], True),
        (["classify"], True),
        (["exp_stub", "structured_exp_out"], False),
        (["sin_stub", "structured_sin_out"], False),
        (["isnan"], False),
        (["cos"], False),
        (["Reader"], False),
    ]
    assert (["exp_stub"], False) in names(graph(), "cpu/Unary.cpp")


def kept(graph: SourceGraph, *kernels: str) -> dict[str, str]:
    needed = graph.needed(kernels)
    return {f.name: reduced(f, needed[f.name]) for f in graph.sources if f.name in needed}


def test_a_kernel_needs_what_it_names_and_no_more() -> None:
    files = kept(graph(), "structured_exp_out")
    assert set(files) == {"Unary.cpp", "cpu/Unary.cpp"}
    assert "AT_UNARY(exp)" in files["Unary.cpp"] and "AT_UNARY(sin)" not in files["Unary.cpp"]
    assert "kLeast" in files["Unary.cpp"] and "classify" not in files["Unary.cpp"]
    assert "exp_kernel" in files["cpu/Unary.cpp"] and "sin_kernel" not in files["cpu/Unary.cpp"]
    assert files["Unary.cpp"].count("\n") == UNARY.count("\n")  # lines keep their numbers


def test_calls_of_the_dispatcher_need_no_kernel() -> None:
    files = kept(graph(), "isnan")
    assert set(files) == {"Unary.cpp"}
    assert "Tensor classify" in files["Unary.cpp"] and "Tensor cos" not in files["Unary.cpp"]
    assert set(kept(graph(), "cos")) == {"Unary.cpp", "Helper.cpp"}


def test_files_that_are_compiled_whole_need_what_they_name() -> None:
    assert set(kept(graph("at::native::helper(1);"))) == {"Helper.cpp"}


SWITCH = """
  switch (dtype) {
    case kFloat:
      return f(float());
    case c10::ScalarType::Half: {
      return g({1, 2});
    }
    case kChar:
    case kByte:
    case kLong:
      return f(1); // case kInt:
    case kDouble:
      h();
      break;
    default:
      break;
  }
"""


def test_cases_of_other_dtypes_raise() -> None:
    text = without_dtypes(SWITCH, frozenset({"Float", "Long"}))
    assert text.count("\n") == SWITCH.count("\n")
    assert (
        "return f(float());" in text and "case kByte:\n    case kLong:\n      return f(1)" in text
    )
    assert "::at::detail::dtype_left_out(::c10::ScalarType::Half);" in text
    assert "g({1, 2})" not in text and "h();" not in text
    assert without_dtypes(SWITCH, frozenset({"Float", "Long", "Half", "Double"})) == SWITCH


def test_the_header_has_the_dtypes_of_all_operators() -> None:
    operators = {
        "aten::add.Tensor": SelectedOperator("aten::add.Tensor", frozenset({"Half"}), False),
        "aten::mul.Tensor": SelectedOperator("aten::mul.Tensor", frozenset({"Float"}), False),
    }
    found = re.findall(r"case c10::ScalarType::(\w+):", header_text(Selection(operators)))
    assert found == ["Bool", "Float", "Half", "Long"]  # masks and indices always
    assert "case c10::ScalarType::BFloat16:" in header_text(
        Selection({"aten::add.Tensor": SelectedOperator("aten::add.Tensor", frozenset(), False)})
    )


def group(*texts: str) -> list[list[str]]:
    files = (GroupedFile.of(str(index), text) for index, text in enumerate(texts))
    return groups_of(files, limit=1000)


def test_files_join_unless_they_see_hidden_names_of_each_other() -> None:
    hidden = "namespace {\nvoid check() {}\n}\n"
    assert group("void a() {}", "void b() {}") == [["0", "1"]]
    assert group(hidden, "void b() { check(); }", "void c() {}") == [["0", "2"], ["1"]]
    assert group("#define MAX 1\n", "int MAX();") == [["0"], ["1"]]
    assert group("using namespace c10;", "void b() {}") == [["0"], ["1"]]
    header = "#include <ATen/ops/sum.h>\n"
    assert group(header, "void b() { sum(x); }") == [["0"], ["1"]]
    assert group(header, "void b() { at::sum(x); x.sum(); }") == [["0", "1"]]
    assert group(header, header + "void b() { sum(x); }") == [["0", "1"]]
    assert group("void a() {}" + " " * 990, "void b() {}") == [["0"], ["1"]]


@cache
def inputs() -> Inputs:
    return InputFiles.read(NATIVE, TAGS, DERIVATIVES, DEPRECATED, DOCS).build()


def sources(*operators: str) -> SelectedSources:
    built = inputs()
    assert built.derivatives is not None
    chosen = {n: SelectedOperator(n, frozenset({"Float"}), False) for n in operators}
    return selected_sources(ROOT, built.operators, built.derivatives, Selection(chosen))


def test_the_kernels_of_all_operators_are_found() -> None:
    """What the registrations call is defined where the parser sees it."""
    every = [f"{f.namespace}::{f.full_name}" for f in inputs().operators.functions]
    files = sources(*every).files
    native = {n for n in files if n.startswith("selected/ATen/native/") and n.endswith(".cpp")}
    folder = ROOT / "aten/src/ATen/native"
    made = {f"selected/ATen/native/{path.name}" for path in folder.glob("*.cpp")}
    made |= {f"selected/ATen/native/cpu/{path.name}" for path in (folder / "cpu").glob("*.cpp")}
    # The fallback is for devices outside the library; names of views reach it.
    assert made - native <= {"selected/ATen/native/CPUFallback.cpp"}
    graph = source_graph(ROOT)
    functions = inputs().operators.functions
    copies = {f.full_name.split(".")[0] for f in functions if "view_copy" in f.tags}
    for key, rows in registrations(inputs().operators).items():
        for row in rows:
            kernel = row.kernel
            if key == "CUDA" or kernel is None or row.function.completed_from is not None:
                continue
            if row.function.full_name.split(".")[0] in copies:  # CompositeViewCopyKernels.cpp
                continue
            if kernel.name.startswith("ufunc_"):  # UfuncCPU_*.cpp
                continue
            name = f"structured_{kernel.name}" if kernel.structured else kernel.name
            assert graph.defines(name), name


@pytest.mark.parametrize("operator", ["aten::relu", "aten::linear", "aten::max_pool2d"])
def test_few_operators_need_few_files(operator: str) -> None:
    found = sources(operator)
    assert sum(name.endswith(".cpp") for name in found.files) < 105
    assert not any("MatrixSpectra" in name or "UpSample" in name for name in found.files)
    assert "empty" in found.called

"""Tensors in C++: torch::tensor, torch::from_blob, and text. The text is that of PyTorch 2.13."""

from __future__ import annotations

from types import ModuleType

import pytest

from torch.utils import cpp_extension

SOURCE = r"""
#include <memory>
#include <sstream>

namespace {
template <typename... T> std::string text(const T&... parts) {
  std::stringstream out;
  (out << ... << parts);
  return out.str();
}
} // namespace

std::vector<std::string> texts() {
  return {
      text(torch::eye(3)), text(torch::tensor(1.5)), text(torch::tensor({1.5, 2.25, -3.125})),
      text(torch::arange(8).reshape({2, 2, 2})), text(torch::tensor({1000.5, 2.25})),
      text(torch::full({2, 2}, 123456.75)), text(torch::full({2}, 0.00123)),
      text(torch::tensor({1e-5, 1.0})), text(torch::empty({0})), text(torch::Tensor()),
      text(torch::arange(40).to(torch::kFloat64).reshape({2, 20}) / 7)};
}

std::string literals() {
  const std::vector<double> numbers{1, 2};
  return text(
      torch::tensor({{1, 2}, {3, 4}}), torch::tensor({true, false}), torch::tensor(numbers),
      torch::tensor(numbers, torch::kFloat64), torch::tensor({1, 2}, torch::dtype(torch::kInt32)),
      torch::tensor({{0.5}}, torch::requires_grad()).requires_grad());
}

at::Tensor ragged() { return torch::tensor({{1, 2}, {3}}); }

std::string blobs() {
  float data[] = {1, 2, 3, 4, 5, 6};
  const auto rows = torch::from_blob(data, {2, 3});
  data[0] = 9;
  int freed = 0;
  {
    const auto owned = torch::from_blob(new float[2]{1, 2}, {2}, [&freed](void* memory) {
      delete[] static_cast<float*>(memory);
      ++freed;
    });
    freed += static_cast<int>(owned.sum().item<float>());
  }
  return text(rows, torch::from_blob(data, {2, 2}, {1, 3}), freed);
}
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    made = cpp_extension.load_inline(
        "tensors_in_cpp",
        SOURCE,
        functions=["texts", "literals", "ragged", "blobs"],
        build_directory=str(tmp_path_factory.mktemp("tensors")),
    )
    assert isinstance(made, ModuleType)
    return made


COLUMNS = """\
Columns 1 to 10 0.0000  0.1429  0.2857  0.4286  0.5714  0.7143  0.8571  1.0000  1.1429  1.2857
 2.8571  3.0000  3.1429  3.2857  3.4286  3.5714  3.7143  3.8571  4.0000  4.1429

Columns 11 to 20 1.4286  1.5714  1.7143  1.8571  2.0000  2.1429  2.2857  2.4286  2.5714  2.7143
 4.2857  4.4286  4.5714  4.7143  4.8571  5.0000  5.1429  5.2857  5.4286  5.5714
[ CPUDoubleType{2,20} ]"""
TEXTS = [
    " 1  0  0\n 0  1  0\n 0  0  1\n[ CPUFloatType{3,3} ]",
    "1.5\n[ CPUFloatType{} ]",
    " 1.5000\n 2.2500\n-3.1250\n[ CPUFloatType{3} ]",
    "(1,.,.) = \n 0  1\n  2  3\n\n(2,.,.) = \n 4  5\n  6  7\n[ CPULongType{2,2,2} ]",
    " 1000.5000\n    2.2500\n[ CPUFloatType{2} ]",
    "100000 *\n 1.2346  1.2346\n  1.2346  1.2346\n[ CPUFloatType{2,2} ]",
    "0.001 *\n 1.2300\n 1.2300\n[ CPUFloatType{2} ]",
    " 1.0000e-05\n 1.0000e+00\n[ CPUFloatType{2} ]",
    "[ CPUFloatType{0} ]",
    "[ Tensor (undefined) ]",
    COLUMNS,
]


def test_tensors_are_printed(module: ModuleType) -> None:
    assert module.texts() == TEXTS


def test_literals_make_tensors(module: ModuleType) -> None:
    assert module.literals() == (
        " 1  2\n 3  4\n[ CPULongType{2,2} ] 1\n 0\n[ CPUBoolType{2} ] 1\n 2\n[ CPUFloatType{2} ]"
        " 1\n 2\n[ CPUDoubleType{2} ] 1\n 2\n[ CPUIntType{2} ]1"
    )
    with pytest.raises(RuntimeError, match=r"all sub-lists to have sizes: \[2\], but got sub-list"):
        module.ragged()


def test_memory_of_the_program_becomes_a_tensor(module: ModuleType) -> None:
    assert module.blobs() == (
        " 9  2  3\n 4  5  6\n[ CPUFloatType{2,3} ] 9  4\n 2  5\n[ CPUFloatType{2,2} ]4"
    )

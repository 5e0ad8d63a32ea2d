#include <torch/csrc/jit/runtime/operator.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>
#include <torch/library.h>

namespace torch::jit {

TEST(Operator, IsFoundBySignatureAndCalledWithAStack) {
  const auto add =
      findOperatorFor("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  ASSERT_NE(add, nullptr);
  Stack stack{at::ones({2}), at::ones({2}), 3};
  add->call(stack);
  ASSERT_EQ(stack.size(), 1);
  EXPECT_EQ(stack[0].toTensor().sum().item<double>(), 8);
}

TEST(Operator, NamesItsOverloadsInOrder) {
  std::vector<std::string> overloads;
  for (const auto& found : getAllOperatorsFor("aten::sum")) {
    overloads.push_back(found->schema().overload_name());
  }
  EXPECT_EQ(overloads.front(), "");
  EXPECT_NE(std::find(overloads.begin(), overloads.end(), "dim_IntList"), overloads.end());
  EXPECT_TRUE(getAllOperatorsFor("aten::no_such").empty());
  EXPECT_EQ(findOperatorFor("aten::sum() -> Tensor"), nullptr);
}

TEST(Operator, OfALibraryIsFoundWhileItIsDefined) {
  const std::string signature = "operator_test::twice(Tensor x) -> Tensor";
  {
    Library library(Library::DEF, "operator_test", std::nullopt, __FILE__, __LINE__);
    library.def("twice(Tensor x) -> Tensor");
    EXPECT_NE(findOperatorFor(signature), nullptr);
    EXPECT_EQ(getAllOperatorsFor("operator_test::twice").size(), 1);
  }
  EXPECT_EQ(findOperatorFor(signature), nullptr);
}

} // namespace torch::jit

// Operators defined at run time, before they have an autograd kernel.
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/node.h>
#include <torch/library.h>

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace torch::autograd {
namespace {

using UnaryOp = at::Tensor(const at::Tensor&);

c10::TypedOperatorHandle<UnaryOp> operator_named(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<UnaryOp>();
}

struct Recorder : c10::WarningHandler {
  void process(const c10::Warning& warning) override { messages.push_back(warning.msg()); }
  std::vector<std::string> messages;
};

TEST(NotImplemented, BackwardWarnsAndGivesNothing) {
  torch::Library m(torch::Library::DEF, "underived", std::nullopt, __FILE__, __LINE__);
  m.def("twice(Tensor x) -> Tensor");
  m.impl("twice", DispatchKey::CPU, [](const at::Tensor& x) { return x.detach() * 2; });
  const auto twice = operator_named("underived::twice");
  EXPECT_FALSE(twice.call(at::ones({2})).requires_grad());

  const at::Tensor x = at::ones({2}).set_requires_grad(true);
  const at::Tensor y = twice.call(x);
  EXPECT_EQ(y.grad_fn()->name(), "torch::autograd::WarnNotImplemented");
  Recorder recorder;
  const c10::WarningUtils::WarningHandlerGuard guard(&recorder);
  y.sum().backward();
  EXPECT_FALSE(x.grad().defined());
  ASSERT_EQ(recorder.messages.size(), 1);
  EXPECT_TRUE(recorder.messages[0].starts_with("underived::twice: an autograd kernel was not"));
}

TEST(NotImplemented, ARegisteredKernelTakesOver) {
  torch::Library m(torch::Library::DEF, "derived_later", std::nullopt, __FILE__, __LINE__);
  m.def("twice(Tensor x) -> Tensor");
  m.impl("twice", DispatchKey::CPU, [](const at::Tensor& x) { return x.detach() * 2; });
  m.impl("twice", DispatchKey::Autograd, [](const at::Tensor& x) { return x * 2; });
  const at::Tensor y =
      operator_named("derived_later::twice").call(at::ones({2}).set_requires_grad(true));
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
}

} // namespace
} // namespace torch::autograd

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <gtest/gtest.h>

#include <thread>

namespace {

using c10::Dispatcher;
using c10::DispatchKey;
using c10::OperatorHandle;
using torch::jit::Stack;

at::Tensor twice_cpu(const at::Tensor& x) {
  return x + x;
}

OperatorHandle operator_named(const char* name) {
  return Dispatcher::singleton().findSchemaOrThrow(name, "");
}

TEST(Dispatcher, RefusesUnknownNames) {
  EXPECT_FALSE(Dispatcher::singleton().findSchema({"aten::no_such_operator", ""}).has_value());
  EXPECT_THROW(Dispatcher::singleton().findSchemaOrThrow("aten::no_such_operator", ""), c10::Error);
}

TEST(Dispatcher, FindsGeneratedOperatorsAndParsesTheirSchemas) {
  const OperatorHandle add = Dispatcher::singleton().findSchemaOrThrow("aten::add", "Tensor");
  EXPECT_EQ(
      toString(add.schema()),
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  EXPECT_EQ(add.schema().arguments().size(), 3u);
}

TEST(Dispatcher, CallsGeneratedOperatorsBoxed) {
  const OperatorHandle add = Dispatcher::singleton().findSchemaOrThrow("aten::add", "Tensor");
  Stack stack{at::ones({2}), at::ones({2}), c10::Scalar(3)};
  add.callBoxed(stack);
  ASSERT_EQ(stack.size(), 1u);
  EXPECT_TRUE(at::equal(stack[0].toTensor(), at::full({2}, 4.0)));
}

// A reference to an argument that only the stack holds is still a result.
TEST(Dispatcher, BoxedCallsReturnTheirMutableArguments) {
  const OperatorHandle out = Dispatcher::singleton().findSchemaOrThrow("aten::add", "out");
  Stack stack{7, at::ones({2}), at::ones({2}), c10::Scalar(3), at::empty({2})};
  out.callBoxed(stack);
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].toInt(), 7);
  EXPECT_TRUE(at::equal(stack[1].toTensor(), at::full({2}, 4.0)));

  const OperatorHandle max = Dispatcher::singleton().findSchemaOrThrow("aten::max", "dim_max");
  const at::Tensor indices = at::empty({1}, at::kLong);
  stack = {at::arange(3).view({1, 3}), 1, false, at::empty({1}, at::kLong), indices};
  max.callBoxed(stack);
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].toTensor().item<int64_t>(), 2);
  EXPECT_TRUE(stack[1].toTensor().is_same(indices));
}

TEST(Dispatcher, CallsFactoriesBoxedByDevice) {
  const OperatorHandle zeros = Dispatcher::singleton().findSchemaOrThrow("aten::zeros", "");
  Stack stack{
      std::vector<int64_t>{2, 3}, c10::IValue(), c10::IValue(), c10::Device("meta"), c10::IValue()};
  zeros.callBoxed(stack);
  EXPECT_TRUE(stack[0].toTensor().is_meta());
}

TEST(Library, DefinesImplementsAndForgets) {
  {
    torch::Library m(torch::Library::DEF, "testns1", std::nullopt, __FILE__, __LINE__);
    m.def("twice(Tensor x) -> Tensor");
    m.impl("twice", DispatchKey::CPU, &twice_cpu);
    const auto twice = operator_named("testns1::twice").typed<at::Tensor(const at::Tensor&)>();
    EXPECT_TRUE(at::equal(twice.call(at::ones({2})), at::full({2}, 2.0)));
    EXPECT_THROW(twice.call(at::ones({2}, at::device(at::kMeta))), c10::NotImplementedError);
    EXPECT_THROW(m.def("twice(Tensor x) -> Tensor"), c10::Error);
  }
  EXPECT_FALSE(Dispatcher::singleton().findSchema({"testns1::twice", ""}).has_value());
  torch::Library again(torch::Library::DEF, "testns1", std::nullopt, __FILE__, __LINE__);
  again.def("twice(Tensor x) -> Tensor");
  EXPECT_TRUE(Dispatcher::singleton().findSchema({"testns1::twice", ""}).has_value());
}

TEST(Library, InfersSchemasFromFunctions) {
  torch::Library m(torch::Library::DEF, "testns2", std::nullopt, __FILE__, __LINE__);
  m.def("scale", [](const at::Tensor& x, double by, std::optional<int64_t> power) {
    return at::mul(x, c10::Scalar(by)) + c10::Scalar(power.value_or(0));
  });
  const OperatorHandle scale = operator_named("testns2::scale");
  EXPECT_EQ(scale.schema().arguments().size(), 3u);
  Stack stack{at::ones({1}), 2.0, c10::IValue()};
  scale.callBoxed(stack);
  EXPECT_EQ(stack[0].toTensor().item<float>(), 2.0f);
}

TEST(Library, KernelsMayBeRegisteredBeforeTheDefinition) {
  torch::Library impl(torch::Library::IMPL, "testns3", DispatchKey::CPU, __FILE__, __LINE__);
  impl.impl("early", &twice_cpu);
  EXPECT_FALSE(Dispatcher::singleton().findSchema({"testns3::early", ""}).has_value());
  torch::Library def(torch::Library::FRAGMENT, "testns3", std::nullopt, __FILE__, __LINE__);
  def.def("early(Tensor x) -> Tensor");
  const auto early = operator_named("testns3::early").typed<at::Tensor(const at::Tensor&)>();
  EXPECT_EQ(early.call(at::ones({1})).item<float>(), 2.0f);
}

TEST(Library, OverridesGeneratedKernelsUntilItGoes) {
  const at::Tensor x = at::full({1}, -1.0);
  {
    torch::Library m(torch::Library::IMPL, "aten", DispatchKey::CPU, __FILE__, __LINE__);
    m.impl("abs", [](const at::Tensor& self) { return at::full_like(self, 42); });
    EXPECT_EQ(at::abs(x).item<float>(), 42.0f);
    int64_t calls = 0;
    torch::Library counting(torch::Library::IMPL, "aten", DispatchKey::CPU, __FILE__, __LINE__);
    counting.impl("abs", [&calls](const at::Tensor& self) {
      ++calls;
      return self;
    });
    EXPECT_EQ(at::abs(x).item<float>(), -1.0f);
    EXPECT_EQ(calls, 1);
  }
  EXPECT_EQ(at::abs(x).item<float>(), 1.0f);
}

TEST(Library, RefusesKernelsOfAnotherSignature) {
  torch::Library m(torch::Library::IMPL, "aten", DispatchKey::CPU, __FILE__, __LINE__);
  EXPECT_THROW(m.impl("abs", [](const at::Tensor& self, int64_t) { return self; }), c10::Error);
  EXPECT_THROW(m.impl("abs", [](const at::Tensor&) { return int64_t{0}; }), c10::Error);
  EXPECT_NO_THROW(m.impl(
      "add_.Tensor",
      [](at::Tensor& self, const at::Tensor&, const at::Scalar&) -> at::Tensor& { return self; }));
}

int64_t boxed_calls = 0;
void counting_fallback(const OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
  ++boxed_calls;
  op.redispatchBoxed(keys.remove(DispatchKey::BackendSelect), stack);
}

TEST(Library, FallbacksSeeEveryOperatorAndFallthroughSkips) {
  torch::Library m(torch::Library::IMPL, "_", DispatchKey::BackendSelect, __FILE__, __LINE__);
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&counting_fallback>());
  torch::Library skip(torch::Library::IMPL, "aten", DispatchKey::BackendSelect, __FILE__, __LINE__);
  skip.impl("neg", torch::CppFunction::makeFallthrough());
  c10::impl::IncludeDispatchKeyGuard guard(DispatchKey::BackendSelect);
  boxed_calls = 0;
  const at::Tensor x = at::ones({2});
  const int64_t before = boxed_calls;
  at::abs(x);
  EXPECT_GT(boxed_calls, before);
  const int64_t after_abs = boxed_calls;
  at::neg(x);
  EXPECT_EQ(boxed_calls, after_abs);
}

TEST(Library, ImplicitCompositesYieldToBackendKernels) {
  torch::Library m(torch::Library::DEF, "testns4", std::nullopt, __FILE__, __LINE__);
  m.def("f(Tensor x) -> Tensor");
  m.impl("f", DispatchKey::CompositeImplicitAutograd, [](const at::Tensor& x) { return x + 1; });
  const auto f = operator_named("testns4::f").typed<at::Tensor(const at::Tensor&)>();
  EXPECT_EQ(f.call(at::zeros({1})).item<float>(), 1.0f);
  EXPECT_NE(f.entry().slot(DispatchKey::AutogradCPU), nullptr);
  m.impl("f", DispatchKey::CPU, [](const at::Tensor& x) { return x + 2; });
  EXPECT_EQ(f.entry().slot(DispatchKey::AutogradCPU), nullptr); // the fallback is boxed
  EXPECT_EQ(f.call(at::zeros({1})).item<float>(), 2.0f);
}

TEST(Dispatcher, EntriesFillTheirSlotsWhenFirstCalled) {
  torch::Library m(torch::Library::DEF, "testns5", std::nullopt, __FILE__, __LINE__);
  m.def("f(Tensor x) -> Tensor");
  m.impl("f", DispatchKey::CPU, [](const at::Tensor& x) { return x + 1; });
  const auto f = operator_named("testns5::f").typed<at::Tensor(const at::Tensor&)>();
  EXPECT_EQ(f.entry().slot(DispatchKey::CPU), nullptr);
  EXPECT_EQ(f.call(at::zeros({1})).item<float>(), 1.0f);
  EXPECT_NE(f.entry().slot(DispatchKey::CPU), nullptr);
  m.impl("f", DispatchKey::CPU, [](const at::Tensor& x) { return x + 2; });
  EXPECT_EQ(f.call(at::zeros({1})).item<float>(), 2.0f);
}

TEST(Dispatcher, QuestionsFillTheSlotsToo) {
  torch::Library m(torch::Library::DEF, "testns6", std::nullopt, __FILE__, __LINE__);
  m.def("f(Tensor x) -> Tensor");
  m.impl("f", DispatchKey::CPU, [](const at::Tensor& x) { return x + 1; });
  const auto f = operator_named("testns6::f");
  EXPECT_TRUE(f.hasComputedKernelForDispatchKey(DispatchKey::CPU));
  EXPECT_FALSE(f.hasComputedKernelForDispatchKey(DispatchKey::CUDA));
}

TEST(Dispatcher, MissingTensorsAreReported) {
  EXPECT_THROW(at::cat({}), c10::Error);
  EXPECT_THROW(at::neg(at::Tensor()), c10::Error);
}

TEST(Dispatcher, CallsAndRegistrationsMayRace) {
  const at::Tensor x = at::full({1}, -1.0);
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop) {
      const float value = at::abs(x).item<float>();
      ASSERT_TRUE(value == 1.0f || value == 42.0f);
    }
  });
  for (int i = 0; i < 200; ++i) {
    torch::Library m(torch::Library::IMPL, "aten", DispatchKey::CPU, __FILE__, __LINE__);
    m.impl("abs", [](const at::Tensor& self) { return at::full_like(self, 42); });
  }
  stop = true;
  caller.join();
}

} // namespace

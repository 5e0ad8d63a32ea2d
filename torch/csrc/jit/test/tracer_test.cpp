#include <torch/csrc/jit/frontend/tracer.h>

#include <ATen/ops/add.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/split.h>
#include <gtest/gtest.h>

namespace torch::jit::tracer {

TEST(Tracer, RecordsCallsWithTheirValues) {
  startTracing();
  EXPECT_TRUE(isTracing());
  const at::Tensor x = at::ones({2, 2});
  at::Tensor y = at::mul(x, x);
  y.add_(x, 3);
  const Trace trace = stopTracing();
  EXPECT_FALSE(isTracing());
  EXPECT_EQ(
      trace.str(),
      "%0 = aten::ones([2, 2], None, None, None, None)\n"
      "%1 = aten::mul.Tensor(%0, %0)\n"
      "%1 = aten::add_.Tensor(%1, %0, 3)\n");
}

TEST(Tracer, NumbersEveryResultOfACall) {
  const at::Tensor x = at::ones({4});
  startTracing();
  at::split(x, 2);
  const Trace trace = stopTracing();
  ASSERT_EQ(trace.calls().size(), 1);
  EXPECT_EQ(trace.str(), "[%1, %2] = aten::split.Tensor(%0, 2, 0)\n");
}

TEST(Tracer, LeavesOutCallsThatThrow) {
  const at::Tensor x = at::ones({2}), y = at::ones({3});
  startTracing();
  EXPECT_THROW(at::add(x, y), c10::Error);
  at::add(x, x);
  EXPECT_EQ(stopTracing().calls().size(), 1);
}

TEST(Tracer, RecordsGradientsToo) {
  const at::Tensor x = at::ones({2}).set_requires_grad(true);
  startTracing();
  const at::Tensor y = at::mul(x, x);
  EXPECT_TRUE(y.requires_grad());
  EXPECT_EQ(stopTracing().str(), "%1 = aten::mul.Tensor(%0, %0)\n");
}

TEST(Tracer, RefusesToNest) {
  startTracing();
  EXPECT_THROW(startTracing(), c10::Error);
  stopTracing();
  EXPECT_THROW(stopTracing(), c10::Error);
}

} // namespace torch::jit::tracer

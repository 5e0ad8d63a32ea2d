// at::legacy::th on CUDA devices: the same results as on the CPU.

#include <ATen/LegacyTHFunctions.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>

#include <gtest/gtest.h>

namespace at {
namespace {

namespace th = legacy::th;

Tensor values(int64_t count, ScalarType type = kFloat) {
  return at::linspace(-2, 2, count, type);
}

Tensor moved(const Tensor& on_cpu) {
  return on_cpu.to(kCUDA);
}

void expect_close(const Tensor& on_device, const Tensor& on_cpu) {
  EXPECT_TRUE(on_device.is_cuda());
  EXPECT_EQ(on_device.sizes(), on_cpu.sizes());
  EXPECT_TRUE(at::allclose(on_device.cpu(), on_cpu));
}

TEST(LegacyTH, FindsTheDispatcherOfTheDevice) {
  for (const ScalarType type : {kFloat, kDouble}) {
    const Tensor x = values(12, type).reshape({3, 4});
    const Tensor y = th::_thnn_elu_forward(x);
    expect_close(th::_thnn_elu_forward(moved(x)), y);
    expect_close(
        th::_thnn_elu_backward(moved(x), 1, 1, 1, moved(y)), th::_thnn_elu_backward(x, 1, 1, 1, y));
  }
}

TEST(LegacyTH, ReducesLosses) {
  const Tensor x = values(12), target = x.mul(x);
  for (const int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
    expect_close(
        th::_thnn_mse_loss_forward(moved(x), moved(target), reduction),
        th::_thnn_mse_loss_forward(x, target, reduction));
  }
}

TEST(LegacyTH, PoolsAdaptively) {
  const Tensor images = values(2 * 7 * 5, kDouble).sin().reshape({2, 7, 5});
  const auto [maxima, places] = th::_thnn_adaptive_max_pool2d_forward(images, {3, 2});
  const auto [on_device, places_on_device] =
      th::_thnn_adaptive_max_pool2d_forward(moved(images), {3, 2});
  expect_close(on_device, maxima);
  EXPECT_TRUE(at::equal(places_on_device.cpu(), places));
}

TEST(LegacyTH, RefusesTypesAndFunctionsWithoutKernels) {
  const Tensor integers = at::ones({2}, at::dtype(kLong).device(kCUDA));
  EXPECT_THROW(th::_thnn_abs_forward(integers), c10::NotImplementedError);
  EXPECT_THROW(th::_th_histc(moved(values(4))), c10::NotImplementedError);
  EXPECT_THROW(th::_thnn_abs_forward(values(4).to(kBFloat16)), c10::Error);
}

} // namespace
} // namespace at

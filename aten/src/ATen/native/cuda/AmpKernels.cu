// The two steps of gradient scaling; ATen/native/AmpOps.cpp has them for the CPU. They read and
// write their numbers on the device, so that nothing waits for it.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/cuda/Loops.cuh>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale_native.h>
#include <ATen/ops/_amp_update_scale_native.h>
#include <c10/cuda/CUDAGuard.h>

#include <cmath>

namespace at::native {

namespace {

void check_number(const Tensor& tensor, ScalarType dtype, const char* name) {
  TORCH_CHECK(tensor.is_cuda(), name, " must be a CUDA tensor.");
  TORCH_CHECK(tensor.numel() == 1, name, " must be a 1-element tensor.");
  TORCH_CHECK(
      tensor.scalar_type() == dtype, name, " must be ",
      dtype == ScalarType::Float ? "a float tensor." : "an int tensor.");
}

// Every thread that finds an overflow writes the same value.
template <typename T>
struct Unscale {
  float* found_inf;
  const float* factor;
  C10_DEVICE T operator()(T gradient) const {
    using E = at::opmath_type<T>;
    const E value = static_cast<E>(gradient);
    if (!(value - value == E(0))) {
      *found_inf = 1;
    }
    return *factor == 1 ? gradient : static_cast<T>(value * static_cast<E>(*factor));
  }
};

__global__ void update_scale_kernel(
    float* scale, int* steps, const float* found_inf, double growth, double backoff,
    int64_t interval) {
  if (*found_inf != 0) {
    *scale = static_cast<float>(*scale * backoff);
    *steps = 0;
    return;
  }
  const int successful = *steps + 1;
  if (successful != interval) {
    *steps = successful;
    return;
  }
  const auto grown = static_cast<float>(*scale * growth);
  if (grown - grown == 0) {
    *scale = grown;
  }
  *steps = 0;
}

} // namespace

void _amp_foreach_non_finite_check_and_unscale_cuda_(
    TensorList scaled_grads, Tensor& found_inf, const Tensor& inv_scale) {
  if (scaled_grads.empty()) {
    return;
  }
  check_number(inv_scale, ScalarType::Float, "inv_scale");
  check_number(found_inf, ScalarType::Float, "found_inf");
  for (const Tensor& gradient : scaled_grads) {
    TORCH_CHECK(gradient.is_cuda(), "one of scaled_grads was not a CUDA tensor.");
    const c10::cuda::CUDAGuard guard(gradient.device());
    Tensor out = gradient;
    auto iter = TensorIterator::unary_op(out, gradient);
    AT_DISPATCH_FLOATING_TYPES_AND2(
        kHalf, kBFloat16, iter.dtype(), "_amp_foreach_non_finite_check_and_unscale_cuda", [&] {
          gpu_kernel_nocast(
              iter,
              Unscale<scalar_t>{
                  found_inf.mutable_data_ptr<float>(), inv_scale.const_data_ptr<float>()});
        });
  }
}

Tensor& _amp_update_scale_cuda_(
    Tensor& current_scale, Tensor& growth_tracker, const Tensor& found_inf,
    double scale_growth_factor, double scale_backoff_factor, int64_t growth_interval) {
  check_number(growth_tracker, ScalarType::Int, "growth_tracker");
  check_number(current_scale, ScalarType::Float, "current_scale");
  check_number(found_inf, ScalarType::Float, "found_inf");
  const c10::cuda::CUDAGuard guard(current_scale.device());
  C10_CUDA_CHECK(at::cuda::launch(
      update_scale_kernel, 1, 1, 0, c10::cuda::getCurrentCUDAStream(),
      current_scale.mutable_data_ptr<float>(), growth_tracker.mutable_data_ptr<int>(),
      found_inf.const_data_ptr<float>(), scale_growth_factor, scale_backoff_factor,
      growth_interval));
  return current_scale;
}

} // namespace at::native

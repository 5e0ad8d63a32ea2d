// The two steps of gradient scaling: unscale the gradients while looking for overflows, and adapt
// the scale to the result.
#include <ATen/native/AmpOps.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale_native.h>
#include <ATen/ops/_amp_update_scale_native.h>
#include <ATen/ops/copy.h>

#include <cmath>

namespace at::native {

DEFINE_DISPATCH(amp_unscale_stub);

namespace {

void check_number(const Tensor& tensor, ScalarType dtype, const char* name) {
  TORCH_CHECK(tensor.numel() == 1, name, " must be a 1-element tensor.");
  TORCH_CHECK(
      tensor.scalar_type() == dtype, name, " must be ",
      dtype == ScalarType::Float ? "a float tensor." : "an int tensor.");
}

bool unscale(const Tensor& gradient, float factor) {
  const bool dense = gradient.is_non_overlapping_and_dense();
  const Tensor values = dense ? gradient : Tensor(gradient.contiguous());
  const bool overflowed = amp_unscale_stub(
      values.device().type(), values.mutable_data_ptr(), values.numel(), values.scalar_type(),
      factor);
  if (!dense) {
    at::methods::copy_(gradient, values);
  }
  return overflowed;
}

} // namespace

void _amp_foreach_non_finite_check_and_unscale_cpu_(
    TensorList scaled_grads, Tensor& found_inf, const Tensor& inv_scale) {
  if (scaled_grads.empty()) {
    return;
  }
  check_number(inv_scale, ScalarType::Float, "inv_scale");
  check_number(found_inf, ScalarType::Float, "found_inf");
  const float factor = *inv_scale.const_data_ptr<float>();
  for (const Tensor& gradient : scaled_grads) {
    TORCH_CHECK(gradient.device().is_cpu(), "one of scaled_grads was not a CPU tensor.");
    TORCH_CHECK(
        c10::isFloatingType(gradient.scalar_type()),
        "one of scaled_grads was not a floating-point "
        "tensor, but ",
        gradient.scalar_type(), ".");
    if (unscale(gradient, factor)) {
      *found_inf.mutable_data_ptr<float>() = 1;
    }
  }
}

Tensor& _amp_update_scale_cpu_(
    Tensor& current_scale, Tensor& growth_tracker, const Tensor& found_inf,
    double scale_growth_factor, double scale_backoff_factor, int64_t growth_interval) {
  check_number(growth_tracker, ScalarType::Int, "growth_tracker");
  check_number(current_scale, ScalarType::Float, "current_scale");
  check_number(found_inf, ScalarType::Float, "found_inf");
  float& scale = *current_scale.mutable_data_ptr<float>();
  int& steps = *growth_tracker.mutable_data_ptr<int>();
  if (*found_inf.const_data_ptr<float>() != 0) {
    scale = static_cast<float>(scale * scale_backoff_factor);
    steps = 0;
    return current_scale;
  }
  if (++steps == growth_interval) {
    const auto grown = static_cast<float>(scale * scale_growth_factor);
    if (std::isfinite(grown)) {
      scale = grown;
    }
    steps = 0;
  }
  return current_scale;
}

} // namespace at::native

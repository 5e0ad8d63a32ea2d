#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/bernoulli.h>
#include <ATen/ops/dropout_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

namespace at::native {

namespace {

void check_probability(double p) {
  TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

// 0 with probability p, else 1 / (1 - p), so that the mean stays; in the order of the elements.
Tensor noise_like(const Tensor& input, double p) {
  return at::empty_like(input).bernoulli_(1 - p).div_(1 - p);
}

} // namespace

Tensor dropout(const Tensor& input, double p, bool train) {
  check_probability(p);
  if (p == 0 || !train || input.numel() == 0) {
    return input;
  }
  return p == 1 ? input * at::zeros({}, input.options()) : input * noise_like(input, p);
}

Tensor& dropout_(Tensor& input, double p, bool train) {
  check_probability(p);
  if (p == 0 || !train || input.numel() == 0) {
    return input;
  }
  return p == 1 ? input.mul_(at::zeros({}, input.options())) : input.mul_(noise_like(input, p));
}

} // namespace at::native

#include <ATen/core/Tensor.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/exponential_native.h>

#include <limits>

namespace at::native {

// By inversion: -log(1 - u) / lambda for uniform u in [0, 1).
Tensor& exponential_(Tensor& self, double lambd, std::optional<Generator> generator) {
  TORCH_CHECK(
      self.is_floating_point(),
      "Exponential distribution is a continuous probability "
      "distribution. dtype must be a floating point but you specified ",
      self.dtype());
  TORCH_CHECK(lambd > 0.0, "exponential_ expects lambda > 0.0, but found lambda=", lambd);
  if (lambd == std::numeric_limits<double>::infinity()) {
    return self.zero_();
  }
  Tensor uniform = at::empty(self.sizes(), self.options().dtype(kDouble));
  uniform.uniform_(0, 1, std::move(generator));
  return self.copy_(uniform.neg_().log1p_().div_(-lambd));
}

} // namespace at::native

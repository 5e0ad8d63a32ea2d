#include <ATen/core/Tensor.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exponential_native.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/uniform.h>
#include <ATen/ops/zero.h>

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
    return at::methods::zero_(self);
  }
  Tensor uniform = at::empty(self.sizes(), self.options().dtype(kDouble));
  at::methods::uniform_(uniform, 0, 1, std::move(generator));
  return at::methods::copy_(
      self, at::methods::div_(at::methods::log1p_(at::methods::neg_(uniform)), -lambd));
}

} // namespace at::native

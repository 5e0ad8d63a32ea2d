#include <ATen/core/Tensor.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/square_native.h>

namespace at::native {

Tensor square(const Tensor& self) {
  return at::pow(self, 2);
}

Tensor& square_(Tensor& self) {
  return at::methods::pow_(self, 2);
}

Tensor& square_out(const Tensor& self, Tensor& out) {
  return at::pow_out(out, self, 2);
}

} // namespace at::native

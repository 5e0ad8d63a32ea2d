// log_sigmoid, which keeps exp(-|x|) for the backward pass.

#include <ATen/native/Resize.h>
#include <ATen/native/cuda/Functors.cuh>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_sigmoid_forward_native.h>

#include <cmath>

namespace at::native {
namespace {

// min(x, 0) - log(1 + e^-|x|)
template <typename T>
struct LogSigmoid {
  C10_HOST_DEVICE Outputs<T, T> operator()(T value) const {
    using M = math_type<T>;
    const M x = static_cast<M>(value);
    const M e = std::exp(-std::abs(x));
    return {static_cast<T>((x < M(0) ? x : M(0)) - std::log1p(e)), static_cast<T>(e)};
  }
};

} // namespace

std::tuple<Tensor, Tensor> log_sigmoid_forward_cuda(const Tensor& self) {
  Tensor output = at::empty(self.sizes(), self.options());
  Tensor buffer = at::empty(self.sizes(), self.options());
  auto iter =
      TensorIteratorConfig().add_output(output).add_output(buffer).add_const_input(self).build();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, self.scalar_type(), "log_sigmoid_forward_cuda",
      [&] { gpu_kernel_multiple_outputs(iter, LogSigmoid<scalar_t>()); });
  return {output, buffer};
}

std::tuple<Tensor&, Tensor&> log_sigmoid_forward_out_cuda(
    const Tensor& self, Tensor& output, Tensor& buffer) {
  const auto [result, exponentials] = log_sigmoid_forward_cuda(self);
  resize_output(output, self.sizes());
  resize_output(buffer, self.sizes());
  at::methods::copy_(output, result);
  at::methods::copy_(buffer, exponentials);
  return {output, buffer};
}

} // namespace at::native

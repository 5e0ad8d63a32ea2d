#include <ATen/native/CompletedKernels.h>

#include <ATen/native/Resize.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <c10/util/Exception.h>

namespace at::native {

void copy_to_out(const Tensor& out, const Tensor& result) {
  TORCH_CHECK(
      out.dtype() == result.dtype(), "Expected out tensor to have dtype ", result.dtype(),
      ", but got ", out.dtype(), " instead");
  TORCH_CHECK(
      out.device() == result.device(), "Expected out tensor to have device ", result.device(),
      ", but got ", out.device(), " instead");
  resize_output(out, result.sizes());
  at::methods::copy_(out, result);
}

void copy_to_out(TensorList out, TensorList results) {
  TORCH_CHECK(
      out.size() == results.size(), "Expected ", results.size(), " out tensors, but got ",
      out.size());
  for (size_t index = 0; index < out.size(); ++index) {
    copy_to_out(out[index], results[index]);
  }
}

Tensor copy_argument(const Tensor& argument) {
  return argument.defined() ? at::clone(argument) : argument;
}

std::vector<Tensor> copy_argument(TensorList arguments) {
  std::vector<Tensor> copies;
  copies.reserve(arguments.size());
  for (const Tensor& argument : arguments) {
    copies.push_back(copy_argument(argument));
  }
  return copies;
}

} // namespace at::native

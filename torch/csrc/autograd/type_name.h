#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace torch::autograd {

// The name of a dense tensor's class in Python: torch.cuda.FloatTensor.
inline std::string type_name(const at::Tensor& tensor) {
  return c10::str(
      tensor.is_cuda() ? "torch.cuda." : "torch.", c10::toString(tensor.scalar_type()), "Tensor");
}

} // namespace torch::autograd

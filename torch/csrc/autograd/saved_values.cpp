#include <ATen/ops/clone.h>
#include <torch/csrc/autograd/saved_values.h>

namespace torch::autograd {

at::Tensor cloned(const at::Tensor& tensor) {
  return at::clone(tensor);
}

std::vector<at::Tensor> cloned(at::TensorList tensors) {
  std::vector<at::Tensor> copies;
  copies.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    copies.push_back(at::clone(tensor));
  }
  return copies;
}

} // namespace torch::autograd

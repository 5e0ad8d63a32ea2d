#include <torch/csrc/autograd/saved_values.h>

namespace torch::autograd {

std::vector<at::Tensor> cloned(at::TensorList tensors) {
  std::vector<at::Tensor> copies;
  copies.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    copies.push_back(tensor.clone());
  }
  return copies;
}

} // namespace torch::autograd

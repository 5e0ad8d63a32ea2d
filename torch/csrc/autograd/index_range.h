#pragma once

#include <torch/csrc/autograd/node.h>

#include <algorithm>

namespace torch::autograd {

// Assigns the outputs of a node to its arguments, in order.
class IndexRangeGenerator {
 public:
  IndexRange range(size_t size) {
    const size_t begin = size_;
    size_ += size;
    return {begin, size_};
  }
  size_t size() const { return size_; }

 private:
  size_t size_ = 0;
};

inline void copy_range(variable_list& out, IndexRange range, const at::Tensor& tensor) {
  TORCH_INTERNAL_ASSERT(range.second == range.first + 1 && range.second <= out.size());
  out[range.first] = tensor;
}
inline void copy_range(variable_list& out, IndexRange range, at::TensorList tensors) {
  TORCH_INTERNAL_ASSERT(range.second == range.first + tensors.size() && range.second <= out.size());
  std::copy(tensors.begin(), tensors.end(), out.begin() + static_cast<int64_t>(range.first));
}

inline bool any_variable_defined(const variable_list& variables) {
  return std::any_of(
      variables.begin(), variables.end(), [](const Variable& v) { return v.defined(); });
}

} // namespace torch::autograd

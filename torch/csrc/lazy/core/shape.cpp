#include <torch/csrc/lazy/core/shape.h>

#include <c10/core/TensorImpl.h>
#include <c10/util/accumulate.h>

#include <sstream>

namespace torch::lazy {

Shape Shape::of(const at::TensorBase& tensor) {
  if (!tensor.defined()) {
    return {};
  }
  Shape shape(tensor.scalar_type(), tensor.sizes(), tensor.strides());
  if (!tensor.is_non_overlapping_and_dense()) {
    const auto dense = c10::contiguous_strides(tensor.sizes());
    shape.strides.assign(dense.begin(), dense.end());
  }
  shape.is_wrapped_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
  return shape;
}

int64_t Shape::numel() const {
  return c10::multiply_integers(sizes);
}

bool Shape::same_places(at::IntArrayRef other_sizes, at::IntArrayRef other_strides) const {
  if (at::IntArrayRef(sizes) != other_sizes) {
    return false;
  }
  if (numel() <= 1) {
    return true;
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > 1 && strides[d] != other_strides[d]) {
      return false;
    }
  }
  return true;
}

Hash Shape::hash() const {
  Hash hash = Hash::of(dtype, is_wrapped_number, sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    hash.add(sizes[d]);
    hash.add(strides[d]);
  }
  return hash;
}

std::string Shape::to_string() const {
  std::ostringstream text;
  text << c10::toString(dtype) << '[';
  for (size_t d = 0; d < sizes.size(); ++d) {
    text << (d == 0 ? "" : ",") << sizes[d];
  }
  text << ']';
  return text.str();
}

} // namespace torch::lazy

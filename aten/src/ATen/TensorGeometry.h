#pragma once

#include <ATen/core/DimVector.h>
#include <ATen/core/TensorBase.h>

namespace at {

// Sizes, strides and storage offset without the tensor they describe.
struct TensorGeometry {
  TensorGeometry() = default;
  explicit TensorGeometry(IntArrayRef sizes) : sizes_(sizes), strides_(sizes.size()) {
    int64_t stride = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
      strides_[i] = stride;
      stride *= sizes[i] > 0 ? sizes[i] : 1;
    }
  }
  explicit TensorGeometry(const TensorBase& tensor)
      : sizes_(tensor.sizes()),
        strides_(tensor.strides()),
        storage_offset_(tensor.storage_offset()) {}

  int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
  int64_t size(int64_t dim) const { return sizes_[dim < 0 ? dim + this->dim() : dim]; }
  int64_t stride(int64_t dim) const { return strides_[dim < 0 ? dim + this->dim() : dim]; }
  IntArrayRef sizes() const { return sizes_; }
  IntArrayRef strides() const { return strides_; }
  int64_t storage_offset() const { return storage_offset_; }
  int64_t numel() const {
    int64_t count = 1;
    for (const int64_t size : sizes_) {
      count *= size;
    }
    return count;
  }

 private:
  DimVector sizes_;
  DimVector strides_;
  int64_t storage_offset_ = 0;
};

} // namespace at

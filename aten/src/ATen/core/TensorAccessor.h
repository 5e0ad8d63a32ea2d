#pragma once

#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>

#include <cstdint>

namespace at {

template <typename T>
struct DefaultPtrTraits {
  using PtrType = T*;
};

// Element access by index with strides, without the dispatcher: accessor[i][j].
template <typename T, size_t N>
class TensorAccessor {
 public:
  TensorAccessor(T* data, const int64_t* sizes, const int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  c10::IntArrayRef sizes() const { return {sizes_, N}; }
  c10::IntArrayRef strides() const { return {strides_, N}; }
  int64_t size(int64_t i) const { return sizes_[i]; }
  int64_t stride(int64_t i) const { return strides_[i]; }
  T* data() const { return data_; }

  decltype(auto) operator[](int64_t i) const {
    if constexpr (N == 1) {
      return static_cast<T&>(data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 private:
  T* data_;
  const int64_t* sizes_;
  const int64_t* strides_;
};

} // namespace at

#pragma once

#include <c10/util/Exception.h>

#include <any>
#include <utility>

namespace caffe2 {

// A named value of a workspace: in most cases an at::Tensor, sometimes a value that only the
// operators that share it know.
class Blob {
 public:
  bool empty() const { return !value_.has_value(); }

  template <typename T>
  bool IsType() const {
    return std::any_cast<T>(&value_) != nullptr;
  }

  template <typename T>
  const T& Get() const {
    const T* value = std::any_cast<T>(&value_);
    TORCH_CHECK(value, "the blob holds ", empty() ? "nothing yet" : "a value of another type");
    return *value;
  }

  // The value, which is created if the blob has none of this type.
  template <typename T>
  T* GetMutable() {
    if (!IsType<T>()) value_ = T();
    return std::any_cast<T>(&value_);
  }

  template <typename T>
  void Reset(T value) {
    value_ = std::move(value);
  }

 private:
  std::any value_;
};

} // namespace caffe2

#pragma once

// torch::tensor: tensors from numbers, vectors and nested lists of numbers.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <initializer_list>
#include <type_traits>
#include <vector>

namespace torch {
namespace detail {

// What braces hold: a number, or a list of the same.
class TensorData {
 public:
  template <typename T, typename = std::enable_if_t<std::is_constructible_v<at::Scalar, T>>>
  TensorData(T value) // NOLINT(google-explicit-constructor): the elements of lists
      : type_(type_of<T>()), values_{at::Scalar(value)} {}

  TensorData(std::initializer_list<TensorData> rows) // NOLINT(google-explicit-constructor)
      : sizes_{static_cast<int64_t>(rows.size())} {
    for (const TensorData& row : rows)
      append(row, &row == rows.begin());
  }

  template <typename T>
  TensorData(at::ArrayRef<T> values) // NOLINT(google-explicit-constructor)
      : type_(type_of<T>()), sizes_{static_cast<int64_t>(values.size())} {
    for (const T& value : values)
      values_.emplace_back(value);
  }

  template <typename T>
  TensorData(const std::vector<T>& values) // NOLINT(google-explicit-constructor)
      : type_(type_of<T>()), sizes_{static_cast<int64_t>(values.size())} {
    for (const T value : values)
      values_.emplace_back(value);
  }

  at::Tensor make(const at::TensorOptions& options) const {
    const at::ScalarType wide = c10::isComplexType(type_) ? at::kComplexDouble
        : c10::isFloatingType(type_)                      ? at::kDouble
                                                          : at::kLong;
    at::Tensor tensor = at::empty(sizes_, at::TensorOptions(at::kCPU).dtype(wide));
    if (wide == at::kComplexDouble) {
      fill<c10::complex<double>>(tensor);
    } else if (wide == at::kDouble) {
      fill<double>(tensor);
    } else {
      fill<int64_t>(tensor);
    }
    const auto type = options.has_dtype() ? c10::typeMetaToScalarType(options.dtype()) : type_;
    tensor = tensor.to(at::TensorOptions(options.device()).dtype(type));
    if (options.requires_grad()) tensor.set_requires_grad(true);
    return tensor;
  }

 private:
  template <typename T>
  void fill(const at::Tensor& tensor) const {
    T* place = tensor.data_ptr<T>();
    for (const at::Scalar& value : values_)
      *place++ = value.to<T>();
  }

  // Integers make 64-bit integers, and floating-point numbers the default type.
  template <typename T>
  static at::ScalarType type_of() {
    const at::ScalarType type = c10::CppTypeToScalarType<T>::value;
    if (type == at::kInt) return at::kLong;
    if (type == at::kDouble || type == at::kFloat) return c10::get_default_dtype_as_scalartype();
    return type;
  }

  void append(const TensorData& row, bool first) {
    if (first) {
      type_ = row.type_;
      sizes_.insert(sizes_.end(), row.sizes_.begin(), row.sizes_.end());
    }
    TORCH_CHECK(
        at::IntArrayRef(sizes_).slice(1) == at::IntArrayRef(row.sizes_),
        "Expected all sub-lists to have sizes: ", at::IntArrayRef(sizes_).slice(1),
        ", but got sub-list with sizes: ", at::IntArrayRef(row.sizes_));
    TORCH_CHECK(
        type_ == row.type_,
        "Expected all elements of the tensor to have the same scalar type: ", type_,
        ", but got element of scalar type: ", row.type_);
    values_.insert(values_.end(), row.values_.begin(), row.values_.end());
  }

  at::ScalarType type_ = c10::get_default_dtype_as_scalartype();
  std::vector<int64_t> sizes_;
  std::vector<at::Scalar> values_;
};

} // namespace detail

// Returns a tensor of the numbers, which floating-point literals make one of the default dtype and
// integers one of 64-bit integers.
inline at::Tensor tensor(const detail::TensorData& data, const at::TensorOptions& options = {}) {
  return data.make(options);
}

} // namespace torch

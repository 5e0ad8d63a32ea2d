#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/lazy/core/ir.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

// Tensors of the lazy device. Their storage has no memory; it owns a LazyData, whose value is the
// node that computes the elements. So tensors that share a storage are views of each other, as on
// any device: a view reads the value at its sizes, strides and offset, and writing to a view gives
// the storage another value, which the other views then read.
namespace torch::lazy {

constexpr c10::Device kLazyDevice(c10::DeviceType::Lazy, 0);

// Held while a trace is recorded or run.
class TORCH_API TraceLock {
 public:
  TraceLock();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

class LazyData {
 public:
  explicit LazyData(Value value);
  ~LazyData();
  LazyData(const LazyData&) = delete;
  LazyData& operator=(const LazyData&) = delete;

  int64_t id() const { return id_; }
  // The elements of the whole storage, in its order.
  const Value& value() const { return value_; }
  void set_value(Value value);
  // The elements at these places. Views of the same places share a node until the value changes.
  Value view(const Shape& shape, int64_t offset);

 private:
  struct View {
    Shape shape;
    int64_t offset;
    Value value;
  };
  int64_t id_;
  Value value_;
  std::vector<View> views_;
};

// The data of a lazy tensor.
TORCH_API LazyData& data_of(const at::Tensor& tensor);
inline bool is_lazy(const at::TensorBase& tensor) {
  return tensor.defined() && tensor.device().type() == c10::DeviceType::Lazy;
}

// What an operator reads when it gets this tensor. The data of a CPU tensor without dimensions is
// copied; other devices' tensors are an error.
TORCH_API Value value_of(const at::Tensor& tensor);
// Undefined tensors are absent.
TORCH_API std::optional<Value> value_of(const std::optional<at::Tensor>& tensor);
TORCH_API std::vector<Value> value_of(at::TensorList tensors);

// A new tensor with this value; undefined if its shape is.
TORCH_API at::Tensor tensor_of(Value value);
inline at::Tensor tensor_of(const NodePtr& node, size_t index) {
  return tensor_of(Value(node, index));
}
// A view of the tensor's storage.
TORCH_API at::Tensor view_of(
    const at::Tensor& tensor, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t offset);

// Writes a value of the tensor's dtype and sizes to it.
TORCH_API void assign(const at::Tensor& tensor, Value value);
// Makes the tensor's storage large enough for its sizes, and keeps the elements that it has.
TORCH_API void grow_storage(const at::Tensor& tensor);

} // namespace torch::lazy

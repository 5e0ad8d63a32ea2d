#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <torch/csrc/lazy/core/hash.h>
#include <torch/csrc/lazy/core/shape.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// The intermediate representation: a graph of nodes. A node is an operator that was called, or
// data.
namespace torch::lazy {

class Node;
using NodePtr = std::shared_ptr<Node>;

// The name of an operator without its overload, such as aten::add.
struct OpKind {
  explicit OpKind(const char* name) : name(name) {}
  const char* name;
};

// One result of a node.
struct Value {
  Value() = default;
  Value(NodePtr node, size_t index = 0) : node(std::move(node)), index(index) {}
  explicit operator bool() const { return node != nullptr; }
  const Shape& shape() const;
  // The data, if it is known; otherwise an undefined tensor.
  const at::Tensor& data() const;

  NodePtr node;
  size_t index = 0;
};

// The operands and numbers of a call, in the order of the node's.
class TORCH_API Arguments {
 public:
  Arguments(std::vector<at::Tensor> tensors, const at::Scalar* scalars)
      : tensors_(std::move(tensors)), scalars_(scalars) {}
  const at::Tensor& tensor() { return tensors_[next_tensor_++]; }
  std::optional<at::Tensor> optional_tensor(bool present) {
    return present ? std::optional(tensor()) : std::nullopt;
  }
  std::vector<at::Tensor> tensor_list(size_t count);
  at::Scalar scalar() { return scalars_[next_scalar_++]; }
  std::optional<at::Scalar> optional_scalar(bool present) {
    return present ? std::optional(scalar()) : std::nullopt;
  }

 private:
  std::vector<at::Tensor> tensors_;
  const at::Scalar* scalars_;
  size_t next_tensor_ = 0;
  size_t next_scalar_ = 0;
};

// Computes a node's results. It owns the attributes that it needs, because it outlives the node: a
// cached computation must not keep the data of the trace that it was made from.
using Kernel = std::function<std::vector<at::Tensor>(Arguments&)>;

class TORCH_API Node {
 public:
  // `attributes` is the hash of all that distinguishes the node besides its operator, operands,
  // shapes and the types of its numbers. The numbers themselves are arguments of a computation, as
  // data is: another learning rate needs no other computation.
  Node(
      OpKind op, std::vector<Value> operands, std::vector<Shape> shapes,
      std::vector<at::Scalar> scalars = {}, const Hash& attributes = {});
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  OpKind op() const { return op_; }
  const std::vector<Value>& operands() const { return operands_; }
  const std::vector<Shape>& shapes() const { return shapes_; }
  const std::vector<at::Scalar>& scalars() const { return scalars_; }
  const Hash& hash() const { return hash_; }

  const at::Tensor& data(size_t index) const { return data_[index]; }
  // Records a computed result. A node whose results are all known is data: it lets its operands go.
  void set_data(size_t index, at::Tensor data);

  // The attributes, such as "dim=1, keepdim=0".
  virtual std::string ToString() const { return {}; }
  virtual Kernel Lower() const = 0;

 private:
  OpKind op_;
  std::vector<Value> operands_;
  std::vector<Shape> shapes_;
  std::vector<at::Scalar> scalars_;
  std::vector<at::Tensor> data_;
  Hash hash_;
};

inline const Shape& Value::shape() const {
  return node->shapes()[index];
}
inline const at::Tensor& Value::data() const {
  return node->data(index);
}

template <typename T, typename... Args>
NodePtr MakeNode(Args&&... args) {
  return std::make_shared<T>(std::forward<Args>(args)...);
}

// A tensor on the CPU whose elements never change.
class TORCH_API DeviceData final : public Node {
 public:
  static OpKind ClassOpKind() { return OpKind("lazy_tensors::device_data"); }
  explicit DeviceData(at::Tensor data);
  Kernel Lower() const override;
};

} // namespace torch::lazy

#include <torch/csrc/lazy/core/ir.h>

#include <c10/util/Exception.h>

#include <algorithm>

namespace torch::lazy {

std::vector<at::Tensor> Arguments::tensor_list(size_t count) {
  std::vector<at::Tensor> list;
  list.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    list.push_back(tensor());
  }
  return list;
}

Node::Node(
    OpKind op, std::vector<Value> operands, std::vector<Shape> shapes,
    std::vector<at::Scalar> scalars, const Hash& attributes)
    : op_(op),
      operands_(std::move(operands)),
      shapes_(std::move(shapes)),
      scalars_(std::move(scalars)),
      data_(shapes_.size()),
      hash_(Hash::of(std::string_view(op.name), attributes)) {
  for (const Shape& shape : shapes_) {
    hash_.add(shape.hash());
  }
  for (const at::Scalar& scalar : scalars_) {
    hash_.add(scalar.type());
  }
}

// The nodes that only this one uses are destroyed in a loop: a trace can be longer than the stack.
Node::~Node() {
  std::vector<Value> unused = std::move(operands_);
  while (!unused.empty()) {
    const NodePtr node = std::move(unused.back().node);
    unused.pop_back();
    if (node && node.use_count() == 1) {
      std::move(node->operands_.begin(), node->operands_.end(), std::back_inserter(unused));
      node->operands_.clear();
    }
  }
}

void Node::set_data(size_t index, at::Tensor data) {
  data_[index] = std::move(data);
  const auto is_known = [&](size_t i) { return data_[i].defined() || !shapes_[i].defined(); };
  for (size_t i = 0; i < data_.size(); ++i) {
    if (!is_known(i)) {
      return;
    }
  }
  operands_.clear();
}

DeviceData::DeviceData(at::Tensor data) : Node(ClassOpKind(), {}, {Shape::of(data)}) {
  set_data(0, std::move(data));
}

Kernel DeviceData::Lower() const {
  TORCH_INTERNAL_ASSERT(false, "data is an argument of a computation, not a step");
}

} // namespace torch::lazy

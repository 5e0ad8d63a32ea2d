#pragma once

#include <torch/csrc/lazy/core/ir.h>

// The nodes that the device itself records, for tensors' memory. Those of operators are generated
// (LazyIr.h).
namespace torch::lazy {

// The elements of a value at other places of its storage; no copy is made.
class StridedView final : public Node {
 public:
  static OpKind ClassOpKind() { return OpKind("aten::as_strided"); }
  StridedView(const Value& self, const Shape& shape, int64_t offset);
  std::string ToString() const override;
  Kernel Lower() const override;

 private:
  int64_t offset_;
};

// A copy of a value, in which some elements are those of another one.
class StridedUpdate final : public Node {
 public:
  static OpKind ClassOpKind() { return OpKind("aten::as_strided_scatter"); }
  StridedUpdate(const Value& self, const Value& source, const Shape& places, int64_t offset);
  std::string ToString() const override;
  Kernel Lower() const override;

 private:
  Shape places_;
  int64_t offset_;
};

// A value with another dtype, with other strides, or broadcast to other sizes.
class Copy final : public Node {
 public:
  static OpKind ClassOpKind() { return OpKind("aten::copy"); }
  Copy(const Value& source, const Shape& shape);
  Kernel Lower() const override;
};

// A tensor with equal elements.
class Fill final : public Node {
 public:
  static OpKind ClassOpKind() { return OpKind("aten::full"); }
  Fill(const Shape& shape, const at::Scalar& value);
  std::string ToString() const override;
  Kernel Lower() const override;
};

// A tensor that was not written yet.
class Empty final : public Node {
 public:
  static OpKind ClassOpKind() { return OpKind("aten::empty_strided"); }
  explicit Empty(const Shape& shape);
  Kernel Lower() const override;
};

// The elements of a storage, followed by some that were not written yet.
class ResizedStorage final : public Node {
 public:
  static OpKind ClassOpKind() { return OpKind("lazy_tensors::resize"); }
  ResizedStorage(const Value& self, int64_t elements);
  Kernel Lower() const override;
};

} // namespace torch::lazy

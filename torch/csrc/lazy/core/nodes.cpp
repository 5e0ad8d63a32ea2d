#include <torch/csrc/lazy/core/nodes.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/fill.h>
#include <torch/csrc/lazy/core/node_text.h>

#include <sstream>

namespace torch::lazy {

namespace {

using Results = std::vector<at::Tensor>;

at::Tensor empty_of(const Shape& shape) {
  return at::empty_strided(shape.sizes, shape.strides, at::TensorOptions().dtype(shape.dtype));
}

at::Tensor at_places(const at::Tensor& self, const Shape& shape, int64_t offset) {
  return at::as_strided(self, shape.sizes, shape.strides, self.storage_offset() + offset);
}

Hash hash_of_places(const Shape& places, int64_t offset) {
  return Hash::of(places.hash(), offset);
}

std::string text_of_places(const Shape& places, int64_t offset) {
  return attribute_text("size", places.sizes) + ", " + attribute_text("stride", places.strides) +
      ", " + attribute_text("storage_offset", offset);
}

} // namespace

StridedView::StridedView(const Value& self, const Shape& shape, int64_t offset)
    : Node(ClassOpKind(), {self}, {shape}, {}, Hash::of(offset)), offset_(offset) {}

std::string StridedView::ToString() const {
  return text_of_places(shapes()[0], offset_);
}

Kernel StridedView::Lower() const {
  return [shape = shapes()[0], offset = offset_](Arguments& arguments) {
    return Results{at_places(arguments.tensor(), shape, offset)};
  };
}

StridedUpdate::StridedUpdate(
    const Value& self, const Value& source, const Shape& places, int64_t offset)
    : Node(ClassOpKind(), {self, source}, {self.shape()}, {}, hash_of_places(places, offset)),
      places_(places),
      offset_(offset) {}

std::string StridedUpdate::ToString() const {
  return text_of_places(places_, offset_);
}

Kernel StridedUpdate::Lower() const {
  return [shape = shapes()[0], places = places_, offset = offset_](Arguments& arguments) {
    const at::Tensor& self = arguments.tensor();
    const at::Tensor& source = arguments.tensor();
    at::Tensor result = empty_of(shape);
    at::methods::copy_(result, self);
    at::Tensor part = at_places(result, places, offset);
    at::methods::copy_(part, source);
    return Results{std::move(result)};
  };
}

Copy::Copy(const Value& source, const Shape& shape) : Node(ClassOpKind(), {source}, {shape}) {}

Kernel Copy::Lower() const {
  return [shape = shapes()[0]](Arguments& arguments) {
    at::Tensor result = empty_of(shape);
    at::methods::copy_(result, arguments.tensor());
    return Results{std::move(result)};
  };
}

Fill::Fill(const Shape& shape, const at::Scalar& value)
    : Node(ClassOpKind(), {}, {shape}, {value}) {}

std::string Fill::ToString() const {
  return attribute_text("fill_value", scalars()[0]);
}

Kernel Fill::Lower() const {
  return [shape = shapes()[0]](Arguments& arguments) {
    at::Tensor result = empty_of(shape);
    at::fill_(result, arguments.scalar());
    return Results{std::move(result)};
  };
}

Empty::Empty(const Shape& shape) : Node(ClassOpKind(), {}, {shape}) {}

Kernel Empty::Lower() const {
  return [shape = shapes()[0]](Arguments&) { return Results{empty_of(shape)}; };
}

ResizedStorage::ResizedStorage(const Value& self, int64_t elements)
    : Node(ClassOpKind(), {self}, {Shape(self.shape().dtype, {elements}, {1})}) {}

Kernel ResizedStorage::Lower() const {
  return [shape = shapes()[0]](Arguments& arguments) {
    const at::Tensor& self = arguments.tensor();
    at::Tensor result = empty_of(shape);
    const Shape kept(shape.dtype, {self.numel()}, {1});
    at::Tensor part = at_places(result, kept, 0);
    at::methods::copy_(part, at_places(self, kept, 0));
    return Results{std::move(result)};
  };
}

} // namespace torch::lazy

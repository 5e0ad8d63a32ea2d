// atleast_1d, atleast_2d, atleast_3d, hstack, vstack, dstack and column_stack, and the splits
// that undo them.

#include <ATen/core/Tensor.h>

#include <ATen/ops/atleast_1d.h>
#include <ATen/ops/atleast_1d_native.h>
#include <ATen/ops/atleast_2d.h>
#include <ATen/ops/atleast_2d_native.h>
#include <ATen/ops/atleast_3d.h>
#include <ATen/ops/atleast_3d_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/column_stack_native.h>
#include <ATen/ops/dsplit_native.h>
#include <ATen/ops/dstack_native.h>
#include <ATen/ops/hsplit_native.h>
#include <ATen/ops/hstack_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/row_stack_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/tensor_split.h>
#include <ATen/ops/tensor_split_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/vsplit_native.h>
#include <ATen/ops/vstack.h>
#include <ATen/ops/vstack_native.h>
#include <c10/core/WrapDimMinimal.h>

#include <utility>
#include <vector>

namespace at::native {

Tensor atleast_1d(const Tensor& self) {
  return self.dim() == 0 ? at::reshape(self, {1}) : self;
}

Tensor atleast_2d(const Tensor& self) {
  return self.dim() >= 2 ? self : at::unsqueeze(at::atleast_1d(self), 0);
}

Tensor atleast_3d(const Tensor& self) {
  return self.dim() >= 3 ? self : at::unsqueeze(at::atleast_2d(self), -1);
}

namespace {

template <class F>
std::vector<Tensor> each(TensorList tensors, const F& convert) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    result.push_back(convert(tensor));
  }
  return result;
}

Tensor first_dim(const Tensor& tensor) {
  return at::atleast_1d(tensor);
}
Tensor two_dims(const Tensor& tensor) {
  return at::atleast_2d(tensor);
}
Tensor three_dims(const Tensor& tensor) {
  return at::atleast_3d(tensor);
}

} // namespace

std::vector<Tensor> atleast_1d(TensorList tensors) {
  return each(tensors, first_dim);
}

std::vector<Tensor> atleast_2d(TensorList tensors) {
  return each(tensors, two_dims);
}

std::vector<Tensor> atleast_3d(TensorList tensors) {
  return each(tensors, three_dims);
}

namespace {

struct Joined {
  std::vector<Tensor> parts;
  int64_t dim;
};

Joined beside_each_other(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "hstack expects a non-empty TensorList");
  std::vector<Tensor> parts = each(tensors, first_dim);
  const int64_t dim = parts[0].dim() == 1 ? 0 : 1;
  return {std::move(parts), dim};
}

Joined below_each_other(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "vstack expects a non-empty TensorList");
  return {each(tensors, two_dims), 0};
}

Joined behind_each_other(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "dstack expects a non-empty TensorList");
  return {each(tensors, three_dims), 2};
}

Joined as_columns(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "column_stack expects a non-empty TensorList");
  const auto column = [](const Tensor& tensor) {
    return tensor.dim() <= 1 ? at::reshape(tensor, {tensor.numel(), 1}) : tensor;
  };
  return {each(tensors, column), 1};
}

Tensor join(const Joined& joined) {
  return at::cat(joined.parts, joined.dim);
}

Tensor& join(const Joined& joined, Tensor& out) {
  return at::cat_out(out, joined.parts, joined.dim);
}

} // namespace

Tensor hstack(TensorList tensors) {
  return join(beside_each_other(tensors));
}

Tensor& hstack_out(TensorList tensors, Tensor& out) {
  return join(beside_each_other(tensors), out);
}

Tensor vstack(TensorList tensors) {
  return join(below_each_other(tensors));
}

Tensor& vstack_out(TensorList tensors, Tensor& out) {
  return join(below_each_other(tensors), out);
}

Tensor row_stack(TensorList tensors) {
  return at::vstack(tensors);
}

Tensor& row_stack_out(TensorList tensors, Tensor& out) {
  return at::vstack_out(out, tensors);
}

Tensor dstack(TensorList tensors) {
  return join(behind_each_other(tensors));
}

Tensor& dstack_out(TensorList tensors, Tensor& out) {
  return join(behind_each_other(tensors), out);
}

Tensor column_stack(TensorList tensors) {
  return join(as_columns(tensors));
}

Tensor& column_stack_out(TensorList tensors, Tensor& out) {
  return join(as_columns(tensors), out);
}

// ---- splits ----------------------------------------------------------------------------------

std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim) {
  TORCH_CHECK(
      self.dim() > 0,
      "tensor_split expected at least a 1-dimensional tensor, but got a tensor "
      "with ",
      self.dim(), " dims");
  const int64_t axis = maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(sections > 0, "number of sections must be larger than 0, got ", sections);
  const int64_t length = self.size(axis) / sections, longer = self.size(axis) % sections;
  std::vector<Tensor> parts;
  parts.reserve(static_cast<size_t>(sections)); // throws at once where memory would run out later
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t end = start + length + (i < longer ? 1 : 0);
    parts.push_back(at::slice(self, axis, start, end));
    start = end;
  }
  return parts;
}

std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, int64_t dim) {
  TORCH_CHECK(
      self.dim() > 0,
      "tensor_split expected at least a 1-dimensional tensor, but got a tensor "
      "with ",
      self.dim(), " dims");
  const int64_t axis = maybe_wrap_dim(dim, self.dim());
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (const int64_t end : indices) {
    parts.push_back(at::slice(self, axis, start, end));
    start = end;
  }
  parts.push_back(at::slice(self, axis, start, self.size(axis)));
  return parts;
}

std::vector<Tensor> tensor_split(
    const Tensor& self, const Tensor& tensor_indices_or_sections, int64_t dim) {
  const Tensor& given = tensor_indices_or_sections;
  TORCH_CHECK(
      given.device().is_cpu(),
      "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on ",
      given.device());
  TORCH_CHECK(
      given.scalar_type() == kLong,
      "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
      given.scalar_type());
  TORCH_CHECK(
      given.dim() <= 1,
      "tensor_split expected tensor_indices_or_sections to be a zero-dimensional "
      "or one-dimensional tensor, but got a tensor with ",
      given.dim(), " dims");
  if (given.dim() == 0) return at::tensor_split(self, given.item<int64_t>(), dim);
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(given.numel()));
  for (int64_t i = 0; i < given.numel(); ++i) { // a tensor of a transform has no memory to read
    places.push_back(at::select(given, 0, i).item<int64_t>());
  }
  return at::tensor_split(self, places, dim);
}

namespace {

// The dimension that a split divides, and the checks of all forms.
int64_t split_axis(const char* name, const Tensor& self, int64_t least, int64_t axis) {
  TORCH_CHECK(
      self.dim() >= least, "torch.", name, " requires a tensor with at least ", least,
      " dimension, but got a tensor with ", self.dim(), " dimensions!");
  return axis;
}

std::vector<Tensor> split_evenly(
    const char* name, const Tensor& self, int64_t sections, int64_t axis) {
  TORCH_CHECK(
      sections != 0 && self.size(axis) % sections == 0, "torch.", name,
      " attempted to split along dimension ", axis, ", but the size of the dimension ",
      self.size(axis), " is not divisible by the split_size ", sections, "!");
  return at::tensor_split(self, sections, axis);
}

int64_t columns(const Tensor& self) {
  return split_axis("hsplit", self, 1, self.dim() == 1 ? 0 : 1);
}

} // namespace

std::vector<Tensor> hsplit(const Tensor& self, int64_t sections) {
  return split_evenly("hsplit", self, sections, columns(self));
}
std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices) {
  return at::tensor_split(self, indices, columns(self));
}
std::vector<Tensor> vsplit(const Tensor& self, int64_t sections) {
  return split_evenly("vsplit", self, sections, split_axis("vsplit", self, 2, 0));
}
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices) {
  return at::tensor_split(self, indices, split_axis("vsplit", self, 2, 0));
}
std::vector<Tensor> dsplit(const Tensor& self, int64_t sections) {
  return split_evenly("dsplit", self, sections, split_axis("dsplit", self, 3, 2));
}
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices) {
  return at::tensor_split(self, indices, split_axis("dsplit", self, 3, 2));
}

} // namespace at::native

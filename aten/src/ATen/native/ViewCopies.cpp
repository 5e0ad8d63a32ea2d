// Copies of views, and copies of tensors in which a view is replaced.

#include <ATen/native/ViewCopies.h>

#include <ATen/ops/as_strided.h>
#include <ATen/ops/as_strided_scatter_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/diagonal_scatter_native.h>
#include <ATen/ops/normal.h>
#include <ATen/ops/normal_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/select_scatter_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/slice_scatter_native.h>
#include <ATen/ops/view_copy_native.h>

namespace at::native {

Tensor copy_of(const Tensor& view) {
  return at::clone(view, MemoryFormat::Contiguous);
}

std::vector<Tensor> copy_of(const std::vector<Tensor>& views) {
  std::vector<Tensor> copies;
  copies.reserve(views.size());
  for (const Tensor& view : views) {
    copies.push_back(copy_of(view));
  }
  return copies;
}

// Unlike view, this works for any strides.
Tensor view_copy(const Tensor& self, IntArrayRef size) {
  const Tensor reshaped = at::reshape(self, size);
  return reshaped.is_alias_of(self) ? copy_of(reshaped) : reshaped;
}

namespace {

void replace(const Tensor& place, const Tensor& src) {
  TORCH_CHECK(
      place.sizes() == src.sizes(),
      "expected src to have a size equal to the slice of self. src size = ", src.sizes(),
      ", slice size = ", place.sizes());
  at::methods::copy_(place, src);
}

// Copies all memory of a tensor, so that the copy has its strides and offset.
Tensor clone_with_layout(const Tensor& self) {
  const auto elements = static_cast<int64_t>(self.storage().nbytes() / self.itemsize());
  const Tensor memory = at::clone(at::as_strided(self, {elements}, {1}, 0));
  return at::as_strided(memory, self.sizes(), self.strides(), self.storage_offset());
}

} // namespace

Tensor slice_scatter(
    const Tensor& self, const Tensor& src, int64_t dim, std::optional<int64_t> start,
    std::optional<int64_t> end, int64_t step) {
  Tensor result = at::clone(self);
  replace(at::slice(result, dim, start, end, step), src);
  return result;
}

Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  Tensor result = at::clone(self);
  replace(at::select(result, dim, index), src);
  return result;
}

Tensor diagonal_scatter(
    const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
  Tensor result = at::clone(self);
  replace(at::diagonal(result, offset, dim1, dim2), src);
  return result;
}

Tensor as_strided_scatter(
    const Tensor& self, const Tensor& src, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset) {
  Tensor result = clone_with_layout(self);
  replace(at::as_strided(result, size, stride, storage_offset), src);
  return result;
}

Tensor normal_functional(
    const Tensor& self, double mean, double std, std::optional<Generator> generator) {
  Tensor result = at::clone(self);
  return at::methods::normal_(result, mean, std, std::move(generator));
}

} // namespace at::native

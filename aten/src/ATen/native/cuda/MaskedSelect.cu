// masked_select and nonzero.

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/MaskPositions.cuh>

#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/masked_select_native.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/nonzero_native.h>
#include <ATen/ops/transpose.h>

namespace at::native {
namespace {

template <typename T>
void copy_selected(const DeviceMask& positions, const void* in, void* out) {
  const auto* from = static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  positions.for_each([=] C10_DEVICE(int64_t i, int64_t rank) { to[rank] = from[i]; });
}

constexpr int kMaxDims = 16;
struct Sizes {
  int64_t of[kMaxDims];
};

// Writes [ndim, total]: the column of each coordinate is contiguous.
void write_coordinates(
    const DeviceMask& positions, int64_t total, IntArrayRef shape, int64_t* out) {
  const auto ndim = static_cast<int>(shape.size());
  TORCH_CHECK(
      ndim <= kMaxDims, "nonzero is not supported for tensors with more than ", kMaxDims,
      " dimensions");
  Sizes sizes = {};
  std::copy_n(shape.begin(), ndim, sizes.of);
  positions.for_each([=] C10_DEVICE(int64_t i, int64_t rank) {
    for (int d = ndim - 1; d >= 0; --d) {
      out[d * total + rank] = i % sizes.of[d];
      i /= sizes.of[d];
    }
  });
}

} // namespace

Tensor masked_select_cuda(const Tensor& self, const Tensor& mask) {
  check_movable_dtype(self.scalar_type(), "masked_select");
  TORCH_CHECK(mask.scalar_type() == kBool, "masked_select: expected BoolTensor for mask");
  const auto [expanded_self, expanded_mask] = at::expand_outplace(self, mask, "masked_select");
  const Tensor source = expanded_self->contiguous();
  const Tensor chosen = expanded_mask->contiguous();
  const DeviceMask positions(chosen.const_data_ptr<bool>(), chosen.numel());
  Tensor result = at::empty({positions.total()}, self.options());
  if (result.numel() != 0) {
    dispatch_itemsize(self.itemsize(), [&](auto element) {
      copy_selected<decltype(element)>(
          positions, source.const_data_ptr(), result.mutable_data_ptr());
    });
  }
  return result;
}

Tensor& masked_select_out_cuda(const Tensor& self, const Tensor& mask, Tensor& result) {
  TORCH_CHECK(
      self.scalar_type() == result.scalar_type(),
      "masked_select(): self and result must have the same scalar type");
  at::assert_no_internal_overlap(result);
  at::assert_no_overlap(result, self);
  at::assert_no_overlap(result, mask);
  const Tensor selected = masked_select_cuda(self, mask);
  resize_output(result, selected.sizes());
  at::methods::copy_(result, selected);
  return result;
}

Tensor nonzero_cuda(const Tensor& self) {
  check_not_storage_dtype(self.scalar_type(), "nonzero_count_cpu");
  const Tensor flags = (self.scalar_type() == kBool ? self : at::ne(self, 0)).contiguous();
  const DeviceMask positions(flags.const_data_ptr<bool>(), flags.numel());
  const int64_t total = positions.total();
  Tensor columns = at::empty({self.dim(), total}, self.options().dtype(kLong));
  if (columns.numel() != 0) {
    write_coordinates(positions, total, self.sizes(), columns.mutable_data_ptr<int64_t>());
  }
  return at::transpose(columns, 0, 1);
}

Tensor& nonzero_out_cuda(const Tensor& self, Tensor& result) {
  TORCH_CHECK(
      result.scalar_type() == kLong,
      "nonzero: Expected out tensor to have scalar type Long but got scalar type",
      result.scalar_type());
  at::assert_no_internal_overlap(result);
  at::assert_no_overlap(result, self);
  const Tensor found = nonzero_cuda(self);
  if (resize_output(result, found.sizes()) && found.numel() != 0) {
    // A new result has the layout that nonzero() creates, with contiguous columns.
    result.unsafeGetTensorImpl()->set_sizes_and_strides(found.sizes(), found.strides());
  }
  at::methods::copy_(result, found);
  return result;
}

} // namespace at::native

#include <ATen/core/Tensor.h>

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/MaskPositions.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/nonzero_native.h>
#include <ATen/ops/nonzero_numpy_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsqueeze.h>

#include <array>
#include <memory>
#include <vector>

namespace at::native {
namespace {

// Writes the flat positions of the true elements consecutively; see compress() for the loop.
void true_positions(const bool* mask, int64_t offset, int64_t* out, int64_t count) {
  for (int64_t i = 0, position = 0; position < count; ++i) {
    out[position] = offset + i;
    position += mask[i] ? 1 : 0;
  }
}

// Splits flat positions into coordinates: out[d] is the column of dimension d.
void split_positions(
    const int64_t* positions, int64_t count, IntArrayRef sizes, int64_t* out,
    int64_t column_length) {
  const auto last = static_cast<int64_t>(sizes.size()) - 1;
  for (int64_t i = 0; i < count; ++i) {
    auto rest = static_cast<uint64_t>(positions[i]);
    for (int64_t dim = last; dim > 0; --dim) {
      const auto size = static_cast<uint64_t>(sizes[dim]);
      out[dim * column_length + i] = static_cast<int64_t>(rest % size);
      rest /= size;
    }
    out[i] = static_cast<int64_t>(rest);
  }
}

// Writes [ndim, total] in row-major order: the column of each coordinate is contiguous.
void write_coordinates(const MaskParts& parts, const bool* mask, IntArrayRef sizes, int64_t* out) {
  const int64_t total = parts.total();
  parts.for_each([&](int64_t begin, int64_t, int64_t first, int64_t last) {
    if (sizes.size() == 1) {
      true_positions(mask + begin, begin, out + first, last - first);
      return;
    }
    const int64_t count = last - first;
    const std::unique_ptr<int64_t[]> positions(new int64_t[count]);
    true_positions(mask + begin, begin, positions.get(), count);
    split_positions(positions.get(), count, sizes, out + first, total);
  });
}

} // namespace

Tensor nonzero_cpu(const Tensor& self) {
  check_not_storage_dtype(self.scalar_type(), "nonzero_count_cpu");
  const Tensor flags = (self.scalar_type() == kBool ? self : at::ne(self, 0)).contiguous();
  const auto* mask = flags.const_data_ptr<bool>();
  const MaskParts parts(mask, flags.numel());
  const std::array<int64_t, 2> sizes = {self.dim(), parts.total()};
  Tensor columns(at::detail::empty_cpu(sizes, kLong));
  if (columns.numel() != 0) {
    write_coordinates(parts, mask, self.sizes(), columns.mutable_data_ptr<int64_t>());
  }
  return at::transpose(columns, 0, 1);
}

Tensor& nonzero_out_cpu(const Tensor& self, Tensor& result) {
  TORCH_CHECK(
      result.scalar_type() == kLong,
      "nonzero: Expected out tensor to have scalar type Long but got scalar type",
      result.scalar_type());
  at::assert_no_internal_overlap(result);
  at::assert_no_overlap(result, self);
  const Tensor found = nonzero_cpu(self);
  if (resize_output(result, found.sizes()) && found.numel() != 0) {
    // A new result has the layout that nonzero() creates, with contiguous columns.
    result.unsafeGetTensorImpl()->set_sizes_and_strides(found.sizes(), found.strides());
  }
  at::methods::copy_(result, found);
  return result;
}

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  return at::unbind(at::nonzero(self.dim() == 0 ? at::unsqueeze(self, 0) : self), 1);
}

} // namespace at::native

#include <ATen/core/Tensor.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/DimOffsets.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/flip_native.h>

namespace at::native {
namespace {

// out[...] = in[...] with offsets in elements.
template <typename T>
void copy_by_offsets(const DimOffsets<2>& offsets, const void* in, void* out) {
  const auto* from = static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  for_each_index(offsets.numel, [=] C10_DEVICE(int64_t i) {
    const auto at = offsets(i);
    to[at[0]] = from[at[1]];
  });
}

} // namespace

Tensor flip_cuda(const Tensor& self, IntArrayRef dims) {
  const auto flipped = dim_list_to_bitset(dims, static_cast<size_t>(self.dim()));
  check_not_storage_dtype(self.scalar_type(), "flip_cpu");
  Tensor result = at::empty_like(self);
  if (self.numel() == 0) {
    return result;
  }
  DimOffsets<2> offsets;
  int64_t first = 0; // of the elements read
  for (int64_t d = self.dim() - 1; d >= 0; --d) {
    const int64_t size = self.size(d), stride = self.stride(d);
    const bool reversed = flipped[static_cast<size_t>(d)];
    offsets.add(size, {result.stride(d), reversed ? -stride : stride});
    first += reversed ? (size - 1) * stride : 0;
  }
  const char* in = static_cast<const char*>(self.const_data_ptr()) +
      first * static_cast<int64_t>(self.itemsize());
  dispatch_itemsize(self.itemsize(), [&](auto element) {
    copy_by_offsets<decltype(element)>(offsets, in, result.mutable_data_ptr());
  });
  return result;
}

} // namespace at::native

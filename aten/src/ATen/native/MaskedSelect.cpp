#include <ATen/core/Tensor.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/MaskPositions.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/masked_select_native.h>

namespace at::native {
namespace {

void check_masked_select(const Tensor& self, const Tensor& mask) {
  check_movable_dtype(self.scalar_type(), "masked_select");
  TORCH_CHECK(mask.scalar_type() == kBool, "masked_select: expected BoolTensor for mask");
}

// Writes every element to the position of the next selected one and advances only if it is
// selected, so there is no branch to mispredict. The loop ends with the last selected element, so
// it never writes to another part's positions.
template <typename T>
void compress(const T* in, const bool* mask, T* out, int64_t count) {
  for (int64_t i = 0, position = 0; position < count; ++i) {
    out[position] = in[i];
    position += mask[i] ? 1 : 0;
  }
}

} // namespace

Tensor masked_select_cpu(const Tensor& self, const Tensor& mask) {
  check_masked_select(self, mask);
  const auto [expanded_self, expanded_mask] = at::expand_outplace(self, mask, "masked_select");
  const Tensor source = expanded_self->contiguous();
  const Tensor chosen = expanded_mask->contiguous();
  const auto* flags = chosen.const_data_ptr<bool>();
  const MaskParts parts(flags, chosen.numel());
  const int64_t total = parts.total();
  Tensor result(at::detail::empty_cpu({&total, 1}, self.scalar_type()));
  dispatch_itemsize(self.itemsize(), [&](auto element) {
    using T = decltype(element);
    const auto* in = static_cast<const T*>(source.const_data_ptr());
    auto* out = static_cast<T*>(result.mutable_data_ptr());
    parts.for_each([&](int64_t begin, int64_t, int64_t first, int64_t last) {
      compress(in + begin, flags + begin, out + first, last - first);
    });
  });
  return result;
}

Tensor& masked_select_out_cpu(const Tensor& self, const Tensor& mask, Tensor& result) {
  check_masked_select(self, mask);
  TORCH_CHECK(
      self.scalar_type() == result.scalar_type(),
      "masked_select(): self and result must have the same scalar type");
  at::assert_no_internal_overlap(result);
  at::assert_no_overlap(result, self);
  at::assert_no_overlap(result, mask);
  const Tensor selected = masked_select_cpu(self, mask);
  resize_output(result, selected.sizes());
  at::methods::copy_(result, selected);
  return result;
}

} // namespace at::native

#include <ATen/native/MaskedFill.h>
#include <ATen/native/ScalarBytes.h>

#include <cstring>

namespace at::native {
namespace {

template <typename T>
void fill_row(
    char* out, const char* in, const bool* mask, int64_t count, int64_t out_stride,
    int64_t in_stride, int64_t mask_stride, T value) {
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  if (out_stride == size && in_stride == size && mask_stride == 1) {
    T* to = reinterpret_cast<T*>(out);
    const T* from = reinterpret_cast<const T*>(in);
    // Uses bytes because reading them as bool would make the compiler branch on the value.
    const auto* chosen = reinterpret_cast<const uint8_t*>(mask);
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      const T kept = from[i];
      to[i] = chosen[i] != 0 ? value : kept;
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    *reinterpret_cast<T*>(out + i * out_stride) =
        mask[i * mask_stride] ? value : *reinterpret_cast<const T*>(in + i * in_stride);
  }
}

void masked_fill_row_kernel(
    char* out, const char* in, const bool* mask, int64_t count, int64_t out_stride,
    int64_t in_stride, int64_t mask_stride, const void* value, size_t itemsize) {
  dispatch_itemsize(itemsize, [&](auto element) {
    using T = decltype(element);
    std::memcpy(&element, value, sizeof(T));
    fill_row<T>(out, in, mask, count, out_stride, in_stride, mask_stride, element);
  });
}

} // namespace

REGISTER_DISPATCH(masked_fill_row_stub, &masked_fill_row_kernel);

} // namespace at::native

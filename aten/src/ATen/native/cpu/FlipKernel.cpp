#include <ATen/native/FlipKernel.h>
#include <ATen/native/ScalarBytes.h>

#include <cstring>

namespace at::native {
namespace {

template <typename T>
void copy_row(char* out, const char* in, int64_t count, int64_t out_stride, int64_t in_stride) {
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  if (out_stride == size && in_stride == size) {
    std::memcpy(out, in, count * size);
  } else if (out_stride == size && in_stride == -size) {
    T* __restrict to = reinterpret_cast<T*>(out);
    const T* __restrict from = reinterpret_cast<const T*>(in) - (count - 1);
    for (int64_t i = 0; i < count; ++i) {
      to[i] = from[count - 1 - i];
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      *reinterpret_cast<T*>(out + i * out_stride) = *reinterpret_cast<const T*>(in + i * in_stride);
    }
  }
}

void reversed_copy_kernel(
    char* out, const char* in, int64_t count, int64_t out_stride, int64_t in_stride,
    size_t itemsize) {
  dispatch_itemsize(itemsize, [&](auto element) {
    copy_row<decltype(element)>(out, in, count, out_stride, in_stride);
  });
}

} // namespace

REGISTER_DISPATCH(reversed_copy_stub, &reversed_copy_kernel);

} // namespace at::native

#include <ATen/native/FillPattern.h>

#include <ATen/cpu/vec/vec_base.h>

#include <cstring>

namespace at::native {
namespace {

void fill_pattern_kernel(void* out, int64_t bytes, const void* pattern) {
  constexpr int64_t width = at::vec::kVectorBytes;
  using V = at::vec::Lanes<uint8_t, at::vec::kVectorBytes>;
  V value;
  for (int64_t i = 0; i < width; i += 16) {
    std::memcpy(reinterpret_cast<char*>(&value) + i, pattern, 16);
  }
  auto* to = static_cast<char*>(out);
  int64_t i = 0;
  for (; i + 4 * width <= bytes; i += 4 * width) {
    for (int64_t part = 0; part < 4; ++part) {
      std::memcpy(to + i + part * width, &value, width);
    }
  }
  for (; i + width <= bytes; i += width) {
    std::memcpy(to + i, &value, width);
  }
  std::memcpy(to + i, &value, bytes - i);
}

} // namespace

REGISTER_DISPATCH(fill_pattern_stub, &fill_pattern_kernel);

} // namespace at::native

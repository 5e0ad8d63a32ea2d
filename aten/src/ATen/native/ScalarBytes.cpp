#include <ATen/native/ScalarBytes.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/FillPattern.h>

#include <algorithm>
#include <cstring>

namespace at::native {

DEFINE_DISPATCH(fill_pattern_stub);

namespace {

// Below this size, waking another core costs more than it saves.
constexpr int64_t parallel_bytes = int64_t{1} << 18;

} // namespace

ScalarBytes scalar_bytes(const Scalar& value, ScalarType dtype) {
  ScalarBytes result;
  const auto store = [&](auto element) { std::memcpy(result.data, &element, sizeof(element)); };
  switch (dtype) {
#define STORE_AS(type, name) \
  case ScalarType::name:     \
    store(value.to<type>()); \
    break;
    STORE_AS(bool, Bool)
    STORE_AS(uint8_t, Byte)
    STORE_AS(int8_t, Char)
    STORE_AS(int16_t, Short)
    STORE_AS(int32_t, Int)
    STORE_AS(int64_t, Long)
    STORE_AS(uint16_t, UInt16)
    STORE_AS(uint32_t, UInt32)
    STORE_AS(uint64_t, UInt64)
    STORE_AS(c10::Half, Half)
    STORE_AS(c10::BFloat16, BFloat16)
    STORE_AS(float, Float)
    STORE_AS(double, Double)
    STORE_AS(c10::complex<float>, ComplexFloat)
    STORE_AS(c10::complex<double>, ComplexDouble)
#undef STORE_AS
#define STORE_AS(type, name, number) \
  case ScalarType::name:             \
    store(value.to<type>());         \
    break;
    C10_FORALL_FLOAT8_TYPES(STORE_AS)
#undef STORE_AS
    case ScalarType::ComplexHalf: // overflows to infinity
      store(c10::complex<c10::Half>(value.to<c10::complex<float>>()));
      break;
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "\"fill\" not implemented for '", dtype, "'");
  }
  return result;
}

void check_not_storage_dtype(ScalarType dtype, const char* name) {
  if (c10::isStorageType(dtype)) [[unlikely]] {
    at::detail::dispatch_unsupported(name, dtype);
  }
}

void check_movable_dtype(ScalarType dtype, const char* name) {
  if (c10::isStorageType(dtype) && !c10::isFloat8Type(dtype)) [[unlikely]] {
    at::detail::dispatch_unsupported(name, dtype);
  }
}

void fill_elements(void* out, int64_t count, const ScalarBytes& value, size_t itemsize) {
  ScalarBytes pattern = value;
  for (size_t filled = itemsize; filled < sizeof(pattern.data); filled *= 2) {
    std::memcpy(pattern.data + filled, pattern.data, filled);
  }
  auto* data = static_cast<char*>(out);
  const int64_t bytes = count * static_cast<int64_t>(itemsize);
  // In units of the pattern, so that every part starts with a whole element.
  const auto unit = static_cast<int64_t>(sizeof(pattern.data));
  at::parallel_for(
      0, at::divup(bytes, unit), parallel_bytes / unit, [&](int64_t begin, int64_t end) {
        fill_pattern_stub.on_host(
            data + begin * unit, std::min(bytes, end * unit) - begin * unit, pattern.data);
      });
}

void copy_bytes(void* to, const void* from, size_t bytes) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  if (static_cast<int64_t>(bytes) <= parallel_bytes) {
    if (bytes != 0) {
      std::memcpy(out, in, bytes);
    }
    return;
  }
  at::parallel_for(0, static_cast<int64_t>(bytes), parallel_bytes, [&](int64_t begin, int64_t end) {
    std::memcpy(out + begin, in + begin, end - begin);
  });
}

void zero_bytes(void* to, size_t bytes) {
  auto* out = static_cast<char*>(to);
  if (static_cast<int64_t>(bytes) <= parallel_bytes) {
    if (bytes != 0) {
      std::memset(out, 0, bytes);
    }
    return;
  }
  at::parallel_for(0, static_cast<int64_t>(bytes), parallel_bytes, [&](int64_t begin, int64_t end) {
    std::memset(out + begin, 0, end - begin);
  });
}

} // namespace at::native

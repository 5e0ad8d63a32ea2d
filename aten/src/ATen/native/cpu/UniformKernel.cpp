#include <ATen/native/RandomKernels.h>

#include <cmath>

namespace at::native {
namespace {

float next_uniform(const uint32_t*& words, float) {
  return uniform_float(*words++);
}

double next_uniform(const uint32_t*& words, double) {
  const uint64_t high = *words++;
  return uniform_double((high << 32) | *words++);
}

template <typename T>
void uniform_numbers(const uint32_t* words, T* out, int64_t count, T low, T width) {
  // Without an instruction for it, fma is a call.
  if (low == 0 && width == 1) {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = next_uniform(words, T());
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    out[i] = std::fma(next_uniform(words, T()), width, low);
  }
}

void uniform_numbers_kernel(
    const uint32_t* words, void* out, int64_t count, double low, double width, bool is_double) {
  if (is_double) {
    uniform_numbers(words, static_cast<double*>(out), count, low, width);
  } else {
    uniform_numbers(
        words, static_cast<float*>(out), count, static_cast<float>(low), static_cast<float>(width));
  }
}

} // namespace

REGISTER_DISPATCH(uniform_numbers_stub, &uniform_numbers_kernel);

} // namespace at::native

#include <ATen/native/RandomKernels.h>

#include <ATen/Parallel.h>
#include <ATen/cpu/vec/vec_log.h>
#include <ATen/cpu/vec/vec_memory.h>
#include <ATen/cpu/vec/vec_trig.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace at::native {
namespace {

namespace vec = at::vec;

constexpr int64_t block_size = 16;
constexpr int64_t half_block = block_size / 2;
// Number of blocks transformed together: enough for full vectors of any width.
constexpr int64_t run_blocks = 16;
constexpr int64_t run = run_blocks * half_block;

// Turns uniform first[i], second[i] into a pair of independent normal numbers (Box and Muller
// 1958).
void transform_pairs(float* first, float* second, int64_t pairs, float mean, float std) {
  constexpr int width = vec::kVectorBytes / static_cast<int>(sizeof(float));
  using V = vec::Lanes<float, width>;
  const V two_pi = vec::splat<V>(2 * std::numbers::pi_v<float>);
  const V scale = vec::splat<V>(std);
  const V shift = vec::splat<V>(mean);
  for (int64_t i = 0; i < pairs; i += width) {
    const V one_minus = 1.0f - vec::load<float, width>(first + i);
    const V radius = vec::sqrt(-2.0f * vec::log(one_minus));
    const V angle = two_pi * vec::load<float, width>(second + i);
    vec::store<float, width>(first + i, vec::fma(radius * vec::cos(angle), scale, shift));
    vec::store<float, width>(second + i, vec::fma(radius * vec::sin(angle), scale, shift));
  }
}

// Uses the C library: three roundings of vector math in a row would change too many digits of the
// stream that a seed determines.
void transform_pairs(double* first, double* second, int64_t pairs, double mean, double std) {
  for (int64_t i = 0; i < pairs; ++i) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - first[i]));
    const double angle = 2.0 * std::numbers::pi * second[i];
    first[i] = std::fma(radius * std::cos(angle), std, mean);
    second[i] = std::fma(radius * std::sin(angle), std, mean);
  }
}

template <typename T>
void transform_blocks(T* data, int64_t blocks, T mean, T std) {
  T first[run] = {};
  T second[run] = {};
  for (int64_t b = 0; b < blocks; ++b) {
    std::copy_n(data + b * block_size, half_block, first + b * half_block);
    std::copy_n(data + b * block_size + half_block, half_block, second + b * half_block);
  }
  transform_pairs(first, second, blocks * half_block, mean, std);
  for (int64_t b = 0; b < blocks; ++b) {
    std::copy_n(first + b * half_block, half_block, data + b * block_size);
    std::copy_n(second + b * half_block, half_block, data + b * block_size + half_block);
  }
}

template <typename T>
void box_muller(T* data, int64_t blocks, T mean, T std) {
  at::parallel_for(0, blocks, 1024, [=](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; b += run_blocks) {
      transform_blocks(data + b * block_size, std::min(run_blocks, end - b), mean, std);
    }
  });
}

void box_muller_kernel(void* data, int64_t blocks, double mean, double std, bool is_double) {
  if (is_double) {
    box_muller(static_cast<double*>(data), blocks, mean, std);
  } else {
    box_muller(
        static_cast<float*>(data), blocks, static_cast<float>(mean), static_cast<float>(std));
  }
}

} // namespace

REGISTER_DISPATCH(box_muller_stub, &box_muller_kernel);

} // namespace at::native

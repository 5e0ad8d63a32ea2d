#pragma once

#include <ATen/core/Generator.h>
#include <ATen/native/DispatchStub.h>

#include <cstdint>
#include <optional>

namespace at {
class Tensor;
}

namespace at::native {

// Fill a tensor of a checked dtype with numbers of a distribution. Arguments are checked.
using MaybeGenerator = std::optional<Generator>;
DECLARE_DISPATCH(
    void (*)(const Tensor& self, double from, double to, const MaybeGenerator&), uniform_stub);
DECLARE_DISPATCH(
    void (*)(const Tensor& self, double mean, double std, const MaybeGenerator&), normal_stub);
// base + a whole number below `range`
DECLARE_DISPATCH(
    void (*)(const Tensor& self, uint64_t range, int64_t base, const MaybeGenerator&),
    random_range_stub);
// All numbers of 64 bits, and the numbers that random_() without bounds draws.
DECLARE_DISPATCH(void (*)(const Tensor& self, const MaybeGenerator&), random_full_range_stub);
DECLARE_DISPATCH(void (*)(const Tensor& self, const MaybeGenerator&), random_default_stub);
// One with probability p, else 0. The tensor of probabilities has self's shape, in float or double.
DECLARE_DISPATCH(void (*)(const Tensor& self, double p, const MaybeGenerator&), bernoulli_stub);
DECLARE_DISPATCH(
    void (*)(const Tensor& self, const Tensor& p, const MaybeGenerator&), bernoulli_each_stub);

// out[i] drawn from the distribution with the parameters a[i] and b[i] (equal to `a` if it has one
// only), and how a draw changes with its parameter. Tensors are contiguous, of one floating dtype.
enum class DrawnNumber { Gamma, Poisson, Binomial, Dirichlet };
DECLARE_DISPATCH(
    void (*)(
        DrawnNumber, const Tensor& a, const Tensor& b, const Tensor& out, const MaybeGenerator&),
    draw_stub);
DECLARE_DISPATCH(
    void (*)(DrawnNumber, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& out),
    draw_slope_stub);
// Distributions of one tensor with two parameters: median and sigma, mean and std, p.
enum class RandomFill { Cauchy, LogNormal, Geometric };
DECLARE_DISPATCH(
    void (*)(RandomFill, const Tensor& self, double a, double b, const MaybeGenerator&),
    random_fill_stub);

// A number in [0, 1): 24 random bits for float, 53 for double. Signed numbers convert faster.
inline float uniform_float(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word & ((uint32_t{1} << 24) - 1))) * 0x1p-24f;
}

inline double uniform_double(uint64_t word) {
  return static_cast<double>(static_cast<int64_t>(word & ((uint64_t{1} << 53) - 1))) * 0x1p-53;
}

// out[i] = fma(u, width, low), computed in out's type, float or double: u is the number in [0, 1)
// of words[i], or of words[2 * i] (the high half) and words[2 * i + 1].
using uniform_numbers_fn = void (*)(
    const uint32_t* words, void* out, int64_t count, double low, double width, bool is_double);
DECLARE_DISPATCH(uniform_numbers_fn, uniform_numbers_stub);

// The Box-Muller method in place: every 16 uniform numbers of `data` (float or double) become 16
// normal ones; numbers i and i + 8 of a block form a pair.
using box_muller_fn = void (*)(void* data, int64_t blocks, double mean, double std, bool is_double);

DECLARE_DISPATCH(box_muller_fn, box_muller_stub);

} // namespace at::native

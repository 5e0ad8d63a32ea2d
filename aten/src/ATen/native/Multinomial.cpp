#include <ATen/native/UniformDistributions.h>

#include <ATen/Dispatch.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/multinomial_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/topk.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace at::native {
namespace {

// PyTorch stores category numbers in floats, which represent integers exactly up to 2^24.
constexpr int64_t max_categories = int64_t{1} << 24;

void check_multinomial(const Tensor& self, int64_t samples, bool replacement) {
  TORCH_CHECK(
      c10::isFloatingType(self.scalar_type()),
      "multinomial only supports floating-point dtypes for input, got: ", self.scalar_type());
  TORCH_CHECK(self.dim() > 0 && self.dim() <= 2, "prob_dist must be 1 or 2 dim");
  TORCH_CHECK(samples > 0, "cannot sample n_sample <= 0 samples");
  const int64_t categories = self.size(-1);
  TORCH_CHECK(
      replacement || samples <= categories,
      "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  TORCH_CHECK(categories <= max_categories, "number of categories cannot exceed 2^24");
}

DimVector multinomial_sizes(const Tensor& self, int64_t samples) {
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  sizes.back() = samples;
  return sizes;
}

template <typename Real>
const char* first_invalid(const Real* weights, int64_t categories) {
  const Real* found = std::find_if(
      weights, weights + categories, [](Real w) { return !(w >= 0) || std::isinf(w); });
  return found != weights + categories && *found < 0 ? "< 0" : "= infinity or NaN";
}

// Checks weights as rows of `Real`. The loop over a row has no exits, so that it runs in registers.
template <typename Real>
void check_weights(const Real* weights, int64_t rows, int64_t categories, bool races) {
  for (int64_t row = 0; row < rows; ++row) {
    int valid = 1, positive = 0;
    for (int64_t i = 0; i < categories; ++i) {
      const Real weight = weights[row * categories + i];
      valid &= (weight >= 0) & (weight <= std::numeric_limits<Real>::max());
      positive |= weight > 0;
    }
    TORCH_CHECK(valid || !races, "probability tensor contains either `inf`, `nan` or element < 0");
    TORCH_CHECK(
        valid, "invalid multinomial distribution (encountering probability entry ",
        first_invalid(weights + row * categories, categories), ")");
    TORCH_CHECK(positive, "invalid multinomial distribution (sum of probabilities <= 0)");
  }
}

// The category with the largest weight / exponential(1) follows the weights' distribution, and the
// k largest are k draws without replacement (Efraimidis and Spirakis 2006).
Tensor sample_by_race(const Tensor& weights, int64_t samples, CPUGeneratorImpl& generator) {
  Tensor race = at::empty_like(weights);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, weights.scalar_type(), "exponential_cpu", [&] {
    fill_in_order<scalar_t>(
        race, [&] { return static_cast<scalar_t>(-std::log1p(-uniform_double(generator))); });
  });
  at::div_out(race, weights, race);
  if (samples == 1) {
    return at::argmax(race, -1, /*keepdim=*/true);
  }
  return std::get<1>(at::topk(race, samples));
}

// The place of the first of `count` ascending numbers that is not below `wanted`; `count` if there
// is none. Half of the branches of a search would be mispredicted, so this one has none.
template <typename Real>
int64_t first_at_least(const Real* numbers, int64_t count, double wanted) {
  const Real* from = numbers;
  while (count > 1) {
    const int64_t half = count / 2;
    from += half * static_cast<int64_t>(static_cast<double>(from[half - 1]) < wanted);
    count -= half;
  }
  return from - numbers + (count == 1 && static_cast<double>(*from) < wanted ? 1 : 0);
}

template <typename Real>
void sample_row(
    const Real* weights, int64_t categories, int64_t* out, int64_t samples,
    std::vector<Real>& cumulative, CPUGeneratorImpl& generator) {
  Real sum = 0;
  for (int64_t i = 0; i < categories; ++i) {
    sum += weights[i];
    cumulative[i] = sum;
  }
  for (Real& value : cumulative) {
    value /= sum;
  }
  for (int64_t j = 0; j < samples; ++j) {
    // The last category gets whatever rounding leaves above the sum.
    out[j] = first_at_least(cumulative.data(), categories - 1, uniform_double(generator));
  }
}

template <typename Real>
Tensor sample(const Tensor& self, int64_t samples, bool replacement, CPUGeneratorImpl& generator) {
  const Tensor weights = at::methods::to(self, c10::CppTypeToScalarType<Real>::value).contiguous();
  const int64_t categories = weights.size(-1);
  const int64_t rows = weights.numel() / categories;
  const auto* data = weights.const_data_ptr<Real>();
  const bool races = !replacement || samples == 1;
  check_weights(data, rows, categories, races);
  if (races) {
    return sample_by_race(self, samples, generator);
  }
  Tensor result = at::empty(multinomial_sizes(self, samples), self.options().dtype(kLong));
  std::vector<Real> cumulative(categories);
  auto* out = result.mutable_data_ptr<int64_t>();
  for (int64_t row = 0; row < rows; ++row) {
    sample_row(
        data + row * categories, categories, out + row * samples, samples, cumulative, generator);
  }
  return result;
}

} // namespace

Tensor multinomial(
    const Tensor& self, int64_t num_samples, bool replacement, std::optional<Generator> generator) {
  check_multinomial(self, num_samples, replacement);
  if (self.is_meta() || self.numel() == 0) {
    return at::empty(multinomial_sizes(self, num_samples), self.options().dtype(kLong));
  }
  const LockedGenerator locked(generator);
  return self.scalar_type() == kDouble ? sample<double>(self, num_samples, replacement, *locked)
                                       : sample<float>(self, num_samples, replacement, *locked);
}

Tensor& multinomial_out(
    const Tensor& self, int64_t num_samples, bool replacement, std::optional<Generator> generator,
    Tensor& result) {
  TORCH_CHECK(
      result.scalar_type() == kLong,
      "multinomial expects Long tensor out, got: ", result.scalar_type());
  const Tensor sampled = multinomial(self, num_samples, replacement, std::move(generator));
  resize_output(result, sampled.sizes());
  at::methods::copy_(result, sampled);
  return result;
}

} // namespace at::native

// randperm and multinomial, and repeat_interleave.

#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/native/Factories.h>
#include <ATen/native/Resize.h>

#include <ATen/ops/arange.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exponential.h>
#include <ATen/ops/item.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/multinomial_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/random.h>
#include <ATen/ops/randperm_native.h>
#include <ATen/ops/repeat_interleave_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/uniform.h>

#include <cmath>
#include <limits>

namespace at::native {

// ---- randperm: the order of random numbers of 64 bits, of which two are hardly ever equal

Tensor& randperm_out_cuda(int64_t n, std::optional<Generator> generator, Tensor& result) {
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, result.scalar_type(), "randperm_cuda", [&] {
    (void)Scalar(n).to<scalar_t>();
  });
  at::methods::resize_(result, {n});
  if (n == 0) {
    return result;
  }
  const Tensor keys = at::empty({n}, result.options().dtype(kLong));
  at::methods::random_(
      keys, std::numeric_limits<int64_t>::min(), std::nullopt, std::move(generator));
  return at::methods::copy_(result, std::get<1>(at::sort(keys)));
}

Tensor& randperm_out_cuda(int64_t n, Tensor& result) {
  return native::randperm_out_cuda(n, std::nullopt, result);
}

Tensor randperm_cuda(
    int64_t n, std::optional<Generator> generator, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  const int64_t sizes[] = {n};
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  Tensor result = factory_empty(sizes, {dtype.value_or(kLong), layout, device, pin_memory});
  return native::randperm_out_cuda(n, std::move(generator), result);
}

Tensor randperm_cuda(
    int64_t n, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  return native::randperm_cuda(n, std::nullopt, dtype, layout, device, pin_memory);
}

// ---- multinomial

namespace {

constexpr int64_t kMaxCategories = int64_t{1} << 24;

void check_multinomial(const Tensor& self, int64_t samples, bool replacement) {
  TORCH_CHECK(
      c10::isFloatingType(self.scalar_type()),
      "multinomial only supports floating-point dtypes for input, got: ", self.scalar_type());
  TORCH_CHECK(self.dim() > 0 && self.dim() <= 2, "prob_dist must be 1 or 2 dim");
  TORCH_CHECK(samples > 0, "cannot sample n_sample <= 0 samples");
  TORCH_CHECK(
      replacement || samples <= self.size(-1),
      "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  TORCH_CHECK(self.size(-1) <= kMaxCategories, "number of categories cannot exceed 2^24");
}

// The extremes of a row with NaN are NaN.
void check_weights(const Tensor& weights) {
  const double least = at::methods::item(at::min(weights)).toDouble();
  const double most = at::methods::item(at::max(weights)).toDouble();
  TORCH_CHECK(
      std::isfinite(most) && least >= 0,
      "probability tensor contains either `inf`, `nan` or element < 0");
  TORCH_CHECK(
      at::methods::item(at::min(at::sum(weights, -1))).toDouble() > 0,
      "invalid multinomial distribution (sum of probabilities <= 0)");
}

} // namespace

Tensor multinomial_cuda(
    const Tensor& self, int64_t num_samples, bool replacement, std::optional<Generator> generator) {
  check_multinomial(self, num_samples, replacement);
  DimVector sizes(self.sizes());
  sizes.back() = num_samples;
  if (self.numel() == 0) {
    return at::empty(sizes, self.options().dtype(kLong));
  }
  const ScalarType dtype = self.scalar_type() == kDouble ? kDouble : kFloat;
  const Tensor weights = at::methods::to(self, dtype).contiguous();
  check_weights(weights);
  if (!replacement || num_samples == 1) {
    // The category with the largest weight / exponential(1) follows the weights' distribution, and
    // the k largest are k draws without replacement (Efraimidis and Spirakis 2006).
    const Tensor race = at::empty_like(weights);
    at::methods::exponential_(race, 1, std::move(generator));
    const Tensor times = at::div(weights, race);
    return num_samples == 1 ? at::argmax(times, -1, /*keepdim=*/true)
                            : std::get<1>(at::topk(times, num_samples));
  }
  const Tensor cumulative = at::cumsum(weights, -1);
  const Tensor total = at::narrow(cumulative, -1, weights.size(-1) - 1, 1);
  const Tensor draws = at::empty(sizes, weights.options());
  at::methods::uniform_(draws, 0, 1, std::move(generator));
  // The last category gets whatever rounding leaves above the sum, and a draw of 0 must not choose
  // a first category of weight 0, so positions are those after equal sums.
  const Tensor inside = at::narrow(cumulative, -1, 0, weights.size(-1) - 1).contiguous();
  return at::searchsorted(inside, at::mul(draws, total), false, /*right=*/true);
}

Tensor& multinomial_out_cuda(
    const Tensor& self, int64_t num_samples, bool replacement, std::optional<Generator> generator,
    Tensor& result) {
  TORCH_CHECK(
      result.scalar_type() == kLong,
      "multinomial expects Long tensor out, got: ", result.scalar_type());
  const Tensor sampled =
      native::multinomial_cuda(self, num_samples, replacement, std::move(generator));
  resize_output(result, sampled.sizes());
  return at::methods::copy_(result, sampled);
}

// ---- repeat_interleave

Tensor repeat_interleave_cuda(const Tensor& repeats, std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  TORCH_CHECK(
      repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
      "repeats has to be Long or Int tensor");
  if (repeats.numel() == 0) {
    return at::empty({0}, repeats.options());
  }
  TORCH_CHECK(at::methods::item(at::min(repeats)).toLong() >= 0, "repeats can not be negative");
  const Tensor ends = at::cumsum(repeats, 0, kLong);
  const int64_t total = at::methods::item(at::narrow(ends, 0, repeats.size(0) - 1, 1)).toLong();
  TORCH_CHECK(!output_size || *output_size == total, "allocated size does not match required size");
  // Position p belongs to the first repeat that ends after it.
  const Tensor positions = at::arange(total, ends.options());
  return at::searchsorted(ends, positions, repeats.scalar_type() == kInt, /*right=*/true);
}

} // namespace at::native

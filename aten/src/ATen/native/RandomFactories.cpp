// rand, randn, randint and randperm.

#include <ATen/native/Factories.h>
#include <ATen/native/UniformDistributions.h>

#include <ATen/Dispatch.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/normal.h>
#include <ATen/ops/rand_like_native.h>
#include <ATen/ops/rand_native.h>
#include <ATen/ops/randint_like_native.h>
#include <ATen/ops/randint_native.h>
#include <ATen/ops/randn_like_native.h>
#include <ATen/ops/randn_native.h>
#include <ATen/ops/random.h>
#include <ATen/ops/randperm_native.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/uniform.h>

#include <limits>
#include <utility>

// The kernels below also differ in which of dtype, layout, device and pin_memory they take.
#define FACTORY_PARAMS                                                                         \
  std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device, \
      std::optional<bool> pin_memory
#define FACTORY_ARGS dtype, layout, device, pin_memory

namespace at::native {
namespace {

Tensor fresh(IntArrayRef size, FACTORY_PARAMS) {
  return factory_empty(size, {FACTORY_ARGS});
}

} // namespace

Tensor rand(IntArrayRef size, std::optional<Generator> generator, FACTORY_PARAMS) {
  return at::methods::uniform_(fresh(size, FACTORY_ARGS), 0, 1, std::move(generator));
}

Tensor rand(IntArrayRef size, FACTORY_PARAMS) {
  return rand(size, std::nullopt, FACTORY_ARGS);
}

Tensor& rand_out(IntArrayRef size, std::optional<Generator> generator, Tensor& result) {
  resize_output(result, size);
  return at::methods::uniform_(result, 0, 1, std::move(generator));
}

Tensor& rand_out(IntArrayRef size, Tensor& result) {
  return rand_out(size, std::nullopt, result);
}

Tensor rand_like(
    const Tensor& self, std::optional<Generator> generator, FACTORY_PARAMS,
    std::optional<MemoryFormat> memory_format) {
  return at::methods::uniform_(
      at::empty_like(self, FACTORY_ARGS, memory_format), 0, 1, std::move(generator));
}

Tensor rand_like(const Tensor& self, FACTORY_PARAMS, std::optional<MemoryFormat> memory_format) {
  return rand_like(self, std::nullopt, FACTORY_ARGS, memory_format);
}

Tensor randn(IntArrayRef size, std::optional<Generator> generator, FACTORY_PARAMS) {
  return at::methods::normal_(fresh(size, FACTORY_ARGS), 0, 1, std::move(generator));
}

Tensor randn(IntArrayRef size, FACTORY_PARAMS) {
  return randn(size, std::nullopt, FACTORY_ARGS);
}

Tensor& randn_out(IntArrayRef size, std::optional<Generator> generator, Tensor& result) {
  resize_output(result, size);
  return at::methods::normal_(result, 0, 1, std::move(generator));
}

Tensor& randn_out(IntArrayRef size, Tensor& result) {
  return randn_out(size, std::nullopt, result);
}

Tensor randn_like(
    const Tensor& self, std::optional<Generator> generator, FACTORY_PARAMS,
    std::optional<MemoryFormat> memory_format) {
  return at::methods::normal_(
      at::empty_like(self, FACTORY_ARGS, memory_format), 0, 1, std::move(generator));
}

Tensor randn_like(const Tensor& self, FACTORY_PARAMS, std::optional<MemoryFormat> memory_format) {
  return randn_like(self, std::nullopt, FACTORY_ARGS, memory_format);
}

Tensor randint(
    int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> generator,
    FACTORY_PARAMS) {
  return at::methods::random_(fresh(size, FACTORY_ARGS), low, high, std::move(generator));
}

Tensor randint(int64_t low, int64_t high, IntArrayRef size, FACTORY_PARAMS) {
  return randint(low, high, size, std::nullopt, FACTORY_ARGS);
}

Tensor randint(int64_t high, IntArrayRef size, std::optional<Generator> generator, FACTORY_PARAMS) {
  return randint(0, high, size, std::move(generator), FACTORY_ARGS);
}

Tensor randint(int64_t high, IntArrayRef size, FACTORY_PARAMS) {
  return randint(0, high, size, std::nullopt, FACTORY_ARGS);
}

Tensor& randint_out(
    int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> generator,
    Tensor& result) {
  resize_output(result, size);
  return at::methods::random_(result, low, high, std::move(generator));
}

Tensor& randint_out(int64_t low, int64_t high, IntArrayRef size, Tensor& result) {
  return randint_out(low, high, size, std::nullopt, result);
}

Tensor& randint_out(
    int64_t high, IntArrayRef size, std::optional<Generator> generator, Tensor& result) {
  return randint_out(0, high, size, std::move(generator), result);
}

Tensor& randint_out(int64_t high, IntArrayRef size, Tensor& result) {
  return randint_out(0, high, size, std::nullopt, result);
}

Tensor randint_like(
    const Tensor& self, int64_t low, int64_t high, std::optional<Generator> generator,
    FACTORY_PARAMS, std::optional<MemoryFormat> memory_format) {
  return at::methods::random_(
      at::empty_like(self, FACTORY_ARGS, memory_format), low, high, std::move(generator));
}

Tensor randint_like(
    const Tensor& self, int64_t low, int64_t high, FACTORY_PARAMS,
    std::optional<MemoryFormat> memory_format) {
  return randint_like(self, low, high, std::nullopt, FACTORY_ARGS, memory_format);
}

Tensor randint_like(
    const Tensor& self, int64_t high, std::optional<Generator> generator, FACTORY_PARAMS,
    std::optional<MemoryFormat> memory_format) {
  return randint_like(self, 0, high, std::move(generator), FACTORY_ARGS, memory_format);
}

Tensor randint_like(
    const Tensor& self, int64_t high, FACTORY_PARAMS, std::optional<MemoryFormat> memory_format) {
  return randint_like(self, 0, high, std::nullopt, FACTORY_ARGS, memory_format);
}

Tensor randint_like(
    const Tensor& self, const Tensor& high, std::optional<Generator> generator, FACTORY_PARAMS,
    std::optional<MemoryFormat> memory_format) {
  TORCH_CHECK(
      high.numel() == 1 && high.dim() == 0 && high.is_cpu(),
      "high must be a scalar tensor and on CPU");
  return randint_like(
      self, 0, high.item<int64_t>(), std::move(generator), FACTORY_ARGS, memory_format);
}

Tensor randint_like(
    const Tensor& self, const Tensor& high, FACTORY_PARAMS,
    std::optional<MemoryFormat> memory_format) {
  return randint_like(self, high, std::nullopt, FACTORY_ARGS, memory_format);
}

namespace {

// The Fisher-Yates shuffle, from the front.
template <typename T>
void shuffled_range(T* data, int64_t stride, int64_t n, CPUGeneratorImpl& generator) {
  for (int64_t i = 0; i < n; ++i) {
    data[i * stride] = static_cast<T>(i);
  }
  // Draws 32 random bits as long as the bias is negligible, else 64.
  const bool wide = n >= static_cast<int64_t>(std::numeric_limits<uint32_t>::max() / 20);
  for (int64_t i = 0; i < n - 1; ++i) {
    const auto left = static_cast<uint64_t>(n - i);
    const uint64_t draw =
        wide ? generator.random64() % left : generator.random() % static_cast<uint32_t>(left);
    std::swap(data[i * stride], data[(i + static_cast<int64_t>(draw)) * stride]);
  }
}

// Throws if the largest number of the permutation does not fit the dtype.
void check_randperm_dtype(int64_t n, ScalarType dtype) {
  TORCH_CHECK(dtype != kHalf || n <= 2049, "n cannot be greater than 2049 for Half type.");
  TORCH_CHECK(
      dtype != kFloat || n <= (1 << 24) + 1, "n cannot be greater than 2^24+1 for Float type.");
  TORCH_CHECK(
      dtype != kDouble || n <= (int64_t{1} << 53) + 1,
      "n cannot be greater than 2^53+1 for Double type.");
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, dtype, "randperm", [&] {
    (void)Scalar(std::max<int64_t>(n - 1, 0)).to<scalar_t>();
  });
}

} // namespace

Tensor& randperm_out_cpu(int64_t n, std::optional<Generator> generator, Tensor& result) {
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  check_randperm_dtype(n, result.scalar_type());
  at::methods::resize_(result, {n});
  if (result.is_meta() || n == 0) {
    return result;
  }
  const LockedGenerator locked(generator);
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, result.scalar_type(), "randperm", [&] {
    shuffled_range(result.mutable_data_ptr<scalar_t>(), result.stride(0), n, *locked);
  });
  return result;
}

Tensor& randperm_out(int64_t n, Tensor& result) {
  return randperm_out_cpu(n, std::nullopt, result);
}

Tensor randperm(int64_t n, std::optional<Generator> generator, FACTORY_PARAMS) {
  const int64_t sizes[] = {n};
  Tensor result = factory_empty(sizes, {dtype.value_or(kLong), layout, device, pin_memory});
  return randperm_out_cpu(n, std::move(generator), result);
}

Tensor randperm(int64_t n, FACTORY_PARAMS) {
  return randperm(n, std::nullopt, FACTORY_ARGS);
}

} // namespace at::native

#undef FACTORY_PARAMS
#undef FACTORY_ARGS

// uniform_, random_ and bernoulli.

#include <ATen/native/RandomKernels.h>
#include <ATen/native/UniformDistributions.h>

#include <ATen/Dispatch_v2.h>
#include <ATen/ExpandUtils.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/bernoulli_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/random_native.h>
#include <ATen/ops/uniform_native.h>
#include <ATen/ops/view_as_real.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace at::native {

namespace {

constexpr int64_t kDrawnTogether = 512;

} // namespace

void draw_uniform(float* data, int64_t count, CPUGeneratorImpl& generator) {
  typedef int32_t Words __attribute__((vector_size(16)));
  typedef float Numbers __attribute__((vector_size(16)));
  constexpr int64_t kWords = 4;
  uint32_t words[kDrawnTogether];
  for (; count > 0; data += kDrawnTogether, count -= kDrawnTogether) {
    const int64_t run = std::min(count, kDrawnTogether);
    generator.random(words, run);
    int64_t i = 0;
    for (; i + kWords <= run; i += kWords) {
      Words group;
      std::memcpy(&group, words + i, sizeof(group));
      const Numbers numbers = __builtin_convertvector(group & ((1 << 24) - 1), Numbers) * 0x1p-24f;
      std::memcpy(data + i, &numbers, sizeof(numbers));
    }
    for (; i < run; ++i) {
      data[i] = uniform_float(words[i]);
    }
  }
}

void draw_uniform(double* data, int64_t count, CPUGeneratorImpl& generator) {
  uint32_t words[2 * kDrawnTogether];
  for (; count > 0; data += kDrawnTogether, count -= kDrawnTogether) {
    const int64_t run = std::min(count, kDrawnTogether);
    generator.random(words, 2 * run);
    for (int64_t i = 0; i < run; ++i) {
      data[i] = uniform_double((uint64_t{words[2 * i]} << 32) | words[2 * i + 1]);
    }
  }
}

namespace {

template <typename T>
void check_uniform_bounds(double from, double to) {
  const auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
  const auto highest = static_cast<double>(std::numeric_limits<T>::max());
  TORCH_CHECK(from >= lowest && from <= highest, "from is out of bounds for the dtype");
  TORCH_CHECK(to >= lowest && to <= highest, "to is out of bounds for the dtype");
  TORCH_CHECK(
      from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
      " > to=", to);
  TORCH_CHECK(
      to - from <= highest,
      "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=", to,
      " and from=", from, " which result in to-from to exceed the limit");
}

// Scaling is one fused multiply-add; half and bfloat16 are rounded from float, and a number that
// rounds up to the excluded bound becomes the lower one.
template <typename T>
void uniform_typed(const Tensor& self, double from, double to, CPUGeneratorImpl& generator) {
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto low = static_cast<Real>(from);
  const auto width = static_cast<Real>(to) - low;
  if constexpr (std::is_same_v<T, Real>) {
    if (self.is_non_overlapping_and_dense()) {
      T* data = static_cast<T*>(self.mutable_data_ptr());
      draw_uniform(data, self.numel(), generator);
      if (low != 0 || width != 1) {
        std::transform(
            data, data + self.numel(), data, [&](T u) { return std::fma(u, width, low); });
      }
      return;
    }
  }
  fill_in_order<T>(self, [&]() -> T {
    if constexpr (std::is_same_v<T, double>) {
      return std::fma(uniform_double(generator), width, low);
    } else {
      const float value = std::fma(uniform_float(generator), width, low);
      if constexpr (std::is_same_v<T, float>) {
        return value;
      } else {
        const T rounded(value);
        return static_cast<float>(rounded) >= static_cast<float>(static_cast<T>(to))
            ? static_cast<T>(from)
            : rounded;
      }
    }
  });
}

void uniform_kernel(const Tensor& self, double from, double to, const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "uniform_cpu", [&] {
    uniform_typed<scalar_t>(self, from, to, *locked);
  });
}

} // namespace

DEFINE_DISPATCH(uniform_stub);
REGISTER_DISPATCH(uniform_stub, &uniform_kernel)

Tensor& uniform_(Tensor& self, double from, double to, std::optional<Generator> generator) {
  if (self.is_complex()) {
    Tensor parts = at::view_as_real(self);
    uniform_(parts, from, to, std::move(generator));
    return self;
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, self.scalar_type(), "check_uniform_bounds",
      [&] { check_uniform_bounds<scalar_t>(from, to); });
  if (self.numel() != 0) {
    uniform_stub(self.device().type(), self, from, to, generator);
  }
  return self;
}

Tensor& uniform_meta_(Tensor& self, double from, double to, std::optional<Generator> generator) {
  return uniform_(self, from, to, std::move(generator));
}

namespace {

// The position of the most significant bit, which shows how far `value` exceeds the digits of a
// float.
int magnitude(int64_t value) {
  int bits = 0;
  for (int64_t rest = std::abs(value); rest >>= 1;) {
    ++bits;
  }
  return bits;
}

// Bounds that a floating dtype cannot represent move inward to ones that it can.
template <typename T>
int64_t representable_from(int64_t from) {
  const auto next = static_cast<int64_t>(static_cast<T>(from + 1));
  if (next < from) {
    return next + (int64_t{1} << (magnitude(from + 1) - std::numeric_limits<T>::digits + 1));
  }
  return from;
}

template <typename T>
int64_t representable_to(int64_t to) {
  const auto last = static_cast<int64_t>(static_cast<T>(to - 1));
  if (last >= to) {
    return last - (int64_t{1} << (magnitude(to - 1) - std::numeric_limits<T>::digits + 1));
  }
  return to;
}

template <typename T>
void check_random_bound(int64_t bound, const char* name, const Tensor& self) {
  if constexpr (std::is_integral_v<T>) {
    const bool fits = std::is_same_v<T, uint64_t>
        ? bound >= 0
        : bound >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
            bound <= static_cast<int64_t>(std::numeric_limits<T>::max());
    TORCH_CHECK(fits, name, " is out of bounds for ", self.dtype());
  } else {
    const auto value = static_cast<double>(bound);
    TORCH_CHECK(
        value >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
            value <= static_cast<double>(std::numeric_limits<T>::max()),
        name, " is out of bounds for ", self.dtype());
    constexpr int digits = std::numeric_limits<T>::digits;
    if (bound < -(int64_t{1} << digits) || bound > (int64_t{1} << digits)) {
      TORCH_WARN(
          name, " is out of bounds [-(2^", digits, "), 2^", digits,
          "]. Due to precision "
          "limitations ",
          self.dtype(),
          " can support discrete uniform distribution only "
          "within this range. This warning will become an error in later version release, please "
          "fix the code in advance");
    }
  }
}

// Base plus a number below `range`: 32 random bits as long as their bias is small, else 64.
template <typename T>
void random_range(const Tensor& self, uint64_t range, int64_t base, CPUGeneratorImpl& generator) {
  const auto shifted = [base](uint64_t value) {
    return static_cast<T>(static_cast<int64_t>(value + static_cast<uint64_t>(base)));
  };
  if (range >= (uint64_t{1} << 28)) {
    fill_in_order<T>(self, [&] { return shifted(generator.random64() % range); });
  } else {
    const auto range32 = static_cast<uint32_t>(range);
    fill_in_order<T>(self, [&] { return shifted(generator.random() % range32); });
  }
}

template <typename T>
int64_t last_random_value() {
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return std::numeric_limits<int64_t>::max();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(std::numeric_limits<T>::max());
  } else {
    return int64_t{1} << std::numeric_limits<T>::digits;
  }
}

template <typename T>
void random_from_to(
    const Tensor& self, int64_t from, std::optional<int64_t> to,
    const std::optional<Generator>& generator) {
  uint64_t range = 0;
  if (to.has_value()) {
    if constexpr (!std::is_integral_v<T>) {
      from = representable_from<T>(from);
      to = representable_to<T>(*to);
      TORCH_CHECK(
          from < *to,
          "random_ expects 'from' casted to dtype to be less than 'to' casted to "
          "dtype, but got from=",
          from, " >= to=", *to);
    }
    check_random_bound<T>(from, "from", self);
    check_random_bound<T>(*to - 1, "to - 1", self);
    range = static_cast<uint64_t>(*to) - static_cast<uint64_t>(from);
  } else {
    const int64_t last = last_random_value<T>();
    if constexpr (!std::is_integral_v<T>) {
      from = representable_from<T>(from);
      TORCH_CHECK(
          from < last,
          "random_ expects 'from' casted to dtype to be less than or equal to "
          "'to_inc' casted to dtype, but got from=",
          from, " > to_inc=", last);
    }
    check_random_bound<T>(from, "from", self);
    check_random_bound<T>(last, "to", self);
    range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  }
  if (self.numel() != 0) {
    random_range_stub(self.device().type(), self, range, from, generator);
  }
}

template <typename T>
void random_full_range(const Tensor& self, CPUGeneratorImpl& generator) {
  fill_in_order<T>(
      self, [&] { return static_cast<T>(static_cast<int64_t>(generator.random64())); });
}

template <typename T>
void random_default(const Tensor& self, CPUGeneratorImpl& generator) {
  fill_in_order<T>(self, [&]() -> T {
    if constexpr (std::is_same_v<T, bool>) {
      return (generator.random() & 1) != 0;
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return static_cast<T>(generator.random64() & (~uint64_t{0} >> 1));
    } else if constexpr (std::is_same_v<T, double>) {
      return static_cast<T>(generator.random64() % ((uint64_t{1} << 53) + 1));
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(
          generator.random() & static_cast<uint32_t>(std::numeric_limits<T>::max()));
    } else {
      return static_cast<T>(static_cast<float>(
          generator.random() % ((uint32_t{1} << std::numeric_limits<T>::digits) + 1)));
    }
  });
}

void random_range_kernel(
    const Tensor& self, uint64_t range, int64_t base, const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  AT_DISPATCH_V2(
      self.scalar_type(), "random_from_to_kernel_cpu",
      AT_WRAP([&] { random_range<scalar_t>(self, range, base, *locked); }), AT_EXPAND(AT_ALL_TYPES),
      AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES), kBool, kHalf, kBFloat16);
}

void random_full_range_kernel(const Tensor& self, const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  AT_DISPATCH_SWITCH(
      self.scalar_type(), "random_full_64_bits_range_kernel_cpu",
      AT_DISPATCH_CASE_4(
          kLong, kDouble, kFloat, kBFloat16, [&] { random_full_range<scalar_t>(self, *locked); }));
}

void random_default_kernel(const Tensor& self, const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  AT_DISPATCH_ALL_TYPES_AND3(kBool, kHalf, kBFloat16, self.scalar_type(), "random_kernel_cpu", [&] {
    random_default<scalar_t>(self, *locked);
  });
}

} // namespace

DEFINE_DISPATCH(random_range_stub);
DEFINE_DISPATCH(random_full_range_stub);
DEFINE_DISPATCH(random_default_stub);
REGISTER_DISPATCH(random_range_stub, &random_range_kernel)
REGISTER_DISPATCH(random_full_range_stub, &random_full_range_kernel)
REGISTER_DISPATCH(random_default_stub, &random_default_kernel)

Tensor& random_(
    Tensor& self, int64_t from, std::optional<int64_t> to, std::optional<Generator> generator) {
  if (!to.has_value() && from == std::numeric_limits<int64_t>::min()) {
    const ScalarType dtype = self.scalar_type();
    TORCH_CHECK(
        self.numel() == 0 || dtype == kLong || !c10::isIntegralType(dtype, /*includeBool=*/false),
        "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16");
    if (self.numel() != 0) {
      random_full_range_stub(self.device().type(), self, generator);
    }
    return self;
  }
  TORCH_CHECK(
      !to.has_value() || from < *to,
      "random_ expects 'from' to be less than 'to', but got from=", from,
      " >= to=", to.value_or(0));
  TORCH_CHECK(
      !self.is_complex(), to.has_value() ? "check_random_bounds" : "random_from_to_impl",
      " handles only integral, floating-point and boolean types");
  AT_DISPATCH_SWITCH(
      self.scalar_type(), "random_from_to_kernel_cpu", AT_DISPATCH_CASE_ALL_TYPES([&] {
        random_from_to<scalar_t>(self, from, to, generator);
      }) AT_DISPATCH_CASE_3(kBool, kHalf, kBFloat16, [&] {
        random_from_to<scalar_t>(self, from, to, generator);
      }) AT_DISPATCH_CASE_3(kUInt16, kUInt32, kUInt64, [&] {
        random_from_to<scalar_t>(self, from, to, generator);
      }));
  return self;
}

Tensor& random_(Tensor& self, int64_t to, std::optional<Generator> generator) {
  return random_(self, 0, to, std::move(generator));
}

Tensor& random_(Tensor& self, std::optional<Generator> generator) {
  if (self.numel() != 0) {
    random_default_stub(self.device().type(), self, generator);
  }
  return self;
}

Tensor& random_meta_(
    Tensor& self, int64_t from, std::optional<int64_t> to, std::optional<Generator> generator) {
  return random_(self, from, to, std::move(generator));
}

Tensor& random_meta_(Tensor& self, int64_t to, std::optional<Generator> generator) {
  return random_(self, 0, to, std::move(generator));
}

Tensor& random_meta_(Tensor& self, std::optional<Generator> generator) {
  return random_(self, std::move(generator));
}

} // namespace at::native

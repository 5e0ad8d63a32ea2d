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

DEFINE_DISPATCH(uniform_numbers_stub);

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

// Half and bfloat16 are rounded from float, and a number that rounds up to the excluded bound
// becomes the lower one.
template <typename T>
void draw_rounded(T* data, int64_t count, CPUGeneratorImpl& generator, double from, double to) {
  constexpr int64_t kTogether = 512;
  const auto low = static_cast<float>(from);
  const float width = static_cast<float>(to) - low;
  const auto excluded = static_cast<float>(static_cast<T>(to));
  float numbers[kTogether];
  for (; count > 0; data += kTogether, count -= kTogether) {
    const int64_t length = std::min(count, kTogether);
    draw_uniform(numbers, length, generator, low, width);
    std::transform(numbers, numbers + length, data, [&](float number) {
      const T rounded(number);
      return static_cast<float>(rounded) >= excluded ? static_cast<T>(from) : rounded;
    });
  }
}

template <typename T>
void uniform_typed(const Tensor& self, double from, double to, CPUGeneratorImpl& generator) {
  fill_runs<T>(self, [&](T* data, int64_t count) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      const auto low = static_cast<T>(from);
      draw_uniform(data, count, generator, low, static_cast<T>(to) - low);
    } else {
      draw_rounded(data, count, generator, from, to);
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

// The remainder of a division of 32-bit numbers, by a multiplication with the inverse in 64 bits
// (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019).
class Remainder {
 public:
  explicit Remainder(uint32_t divisor) : divisor_(divisor), inverse_(~uint64_t{0} / divisor + 1) {}

  uint32_t operator()(uint32_t number) const {
    const uint64_t fraction = inverse_ * number;
    return static_cast<uint32_t>((static_cast<unsigned __int128>(fraction) * divisor_) >> 64);
  }

 private:
  uint64_t divisor_;
  uint64_t inverse_;
};

// Base plus a number below `range`: 32 random bits as long as their bias is small, else 64.
template <typename T>
void random_range(const Tensor& self, uint64_t range, int64_t base, CPUGeneratorImpl& generator) {
  const auto shifted = [base](uint64_t value) {
    return static_cast<T>(static_cast<int64_t>(value + static_cast<uint64_t>(base)));
  };
  if (range >= (uint64_t{1} << 28)) {
    fill_in_order<T>(self, [&] { return shifted(generator.random64() % range); });
  } else {
    const Remainder below_range(static_cast<uint32_t>(range));
    fill_runs<T>(self, [&](T* data, int64_t count) {
      draw_words<1>(generator, count, [&](const uint32_t* words, int64_t first, int64_t last) {
        std::transform(words, words + (last - first), data + first, [&](uint32_t word) {
          return shifted(below_range(word));
        });
      });
    });
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

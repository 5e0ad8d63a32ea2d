#include <c10/core/Scalar.h>
#include <c10/util/Exception.h>
#include <c10/util/complex_math.h>

#include <cmath>
#include <limits>
#include <ostream>

namespace c10 {

namespace detail {
void report_overflow(const char* type_name) {
  TORCH_CHECK(false, "value cannot be converted to type ", type_name, " without overflow");
}
} // namespace detail

namespace {

template <typename Format>
constexpr const char* float8_name(Float8<Format>) {
  return Format::kName;
}

template <typename T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, Half>) {
    return "c10::Half";
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return "c10::BFloat16";
  } else if constexpr (std::is_same_v<T, float>) {
    return "float";
  } else if constexpr (std::is_same_v<T, double>) {
    return "double";
  } else if constexpr (is_float8_v<T>) {
    return float8_name(T());
  } else {
    constexpr bool sign = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return sign ? "int8_t" : "uint8_t";
      case 2:
        return sign ? "int16_t" : "uint16_t";
      case 4:
        return sign ? "int" : "uint32_t";
      default:
        return sign ? "int64_t" : "uint64_t";
    }
  }
}

template <typename T>
constexpr bool is_reduced_v =
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> || is_float8_v<T>;

template <typename To>
To from_double(double value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<To, double>) {
    return value;
  } else if constexpr (std::is_same_v<To, float> || is_reduced_v<To>) {
    using Limits = std::numeric_limits<To>;
    const double high = static_cast<double>(static_cast<float>(Limits::max()));
    const double low = static_cast<double>(static_cast<float>(Limits::lowest()));
    const bool is_infinity = Limits::has_infinity && std::isinf(value);
    if (!is_infinity && (value > high || value < low)) {
      detail::report_overflow(type_name<To>());
    }
    return static_cast<To>(static_cast<float>(value));
  } else {
    // The first value out of range is a power of two, so it is exact as a double.
    const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (!(value < above && value >= (std::is_signed_v<To> ? -above : 0.))) {
      detail::report_overflow(type_name<To>());
    }
    return static_cast<To>(value);
  }
}

// Negative integers wrap into unsigned types as long as their magnitude fits.
template <typename To>
To from_signed(int64_t value) {
  if constexpr (is_float8_v<To> && !std::numeric_limits<To>::is_signed) {
    return To(static_cast<float>(value)); // drops the sign, as for other unsigned types
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<To, double>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_same_v<To, float> || is_reduced_v<To>) {
    return from_double<To>(static_cast<double>(value));
  } else if constexpr (std::is_signed_v<To>) {
    if (value < std::numeric_limits<To>::min() || value > std::numeric_limits<To>::max()) {
      detail::report_overflow(type_name<To>());
    }
    return static_cast<To>(value);
  } else {
    const uint64_t magnitude =
        value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    if (magnitude > std::numeric_limits<To>::max()) {
      detail::report_overflow(type_name<To>());
    }
    return static_cast<To>(value);
  }
}

template <typename To>
To from_unsigned(uint64_t value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<To>) {
    if (value > static_cast<uint64_t>(std::numeric_limits<To>::max())) {
      detail::report_overflow(type_name<To>());
    }
    return static_cast<To>(value);
  } else {
    return from_double<To>(static_cast<double>(value));
  }
}

} // namespace

complex<double> Scalar::as_complex() const {
  return tag_ == Tag::Complex ? complex<double>(payload_.real[0], payload_.real[1])
                              : complex<double>(to<double>(), 0.0);
}

template <typename To>
static To convert_complex(complex<double> z) {
  if constexpr (is_complex<To>::value) {
    using Part = typename To::value_type;
    return To(from_double<Part>(z.real()), from_double<Part>(z.imag()));
  } else if constexpr (std::is_same_v<To, bool>) {
    return z.real() != 0 || z.imag() != 0;
  } else {
    if (z.imag() != 0) {
      detail::report_overflow(type_name<To>());
    }
    return from_double<To>(z.real());
  }
}

#define C10_DEFINE_TO(type, name, number)                                      \
  template <>                                                                  \
  type Scalar::to<type>() const {                                              \
    if constexpr (is_complex<type>::value) {                                   \
      return convert_complex<type>(as_complex());                              \
    } else {                                                                   \
      switch (tag_) {                                                          \
        case Tag::Double:                                                      \
          return from_double<type>(payload_.real[0]);                          \
        case Tag::UInt:                                                        \
          return from_unsigned<type>(static_cast<uint64_t>(payload_.integer)); \
        case Tag::Complex:                                                     \
          return convert_complex<type>(as_complex());                          \
        default:                                                               \
          return from_signed<type>(payload_.integer);                          \
      }                                                                        \
    }                                                                          \
  }
// double comes first because the complex conversions use it.
C10_DEFINE_TO(double, Double, 7)
C10_DEFINE_TO(float, Float, 6)
C10_DEFINE_TO(Half, Half, 5)
C10_DEFINE_TO(BFloat16, BFloat16, 15)
C10_FORALL_FLOAT8_TYPES(C10_DEFINE_TO)
C10_DEFINE_TO(uint8_t, Byte, 0)
C10_DEFINE_TO(int8_t, Char, 1)
C10_DEFINE_TO(int16_t, Short, 2)
C10_DEFINE_TO(int, Int, 3)
C10_DEFINE_TO(int64_t, Long, 4)
C10_DEFINE_TO(bool, Bool, 11)
C10_DEFINE_TO(uint16_t, UInt16, 27)
C10_DEFINE_TO(uint32_t, UInt32, 28)
C10_DEFINE_TO(uint64_t, UInt64, 29)
C10_DEFINE_TO(complex<Half>, ComplexHalf, 8)
C10_DEFINE_TO(complex<float>, ComplexFloat, 9)
C10_DEFINE_TO(complex<double>, ComplexDouble, 10)
#undef C10_DEFINE_TO

Scalar Scalar::operator-() const {
  TORCH_CHECK(!isBoolean(), "torch boolean negative, the `-` operator, is not supported.");
  if (isFloatingPoint()) {
    return Scalar(-payload_.real[0]);
  }
  if (isComplex()) {
    return Scalar(-as_complex());
  }
  TORCH_CHECK(tag_ != Tag::UInt, "attempted to negate a uint64 value that does not fit in int64");
  return Scalar(static_cast<int64_t>(-static_cast<uint64_t>(payload_.integer)));
}

Scalar Scalar::conj() const {
  return isComplex() ? Scalar(std::conj(as_complex())) : *this;
}

Scalar Scalar::log() const {
  return isComplex() ? Scalar(std::log(as_complex())) : Scalar(std::log(to<double>()));
}

bool Scalar::equal_number(double real, int64_t integer, bool integral) const {
  switch (tag_) {
    case Tag::Double:
      return payload_.real[0] == real;
    case Tag::Int:
      return integral ? payload_.integer == integer : static_cast<double>(payload_.integer) == real;
    case Tag::UInt:
      return static_cast<double>(static_cast<uint64_t>(payload_.integer)) == real;
    case Tag::Complex:
      return payload_.real[0] == real && payload_.real[1] == 0;
    default:
      return false;
  }
}

ScalarType Scalar::type() const {
  switch (tag_) {
    case Tag::Double:
      return ScalarType::Double;
    case Tag::Int:
      return ScalarType::Long;
    case Tag::UInt:
      return ScalarType::UInt64;
    case Tag::Complex:
      return ScalarType::ComplexDouble;
    default:
      return ScalarType::Bool;
  }
}

std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
  if (scalar.isFloatingPoint()) {
    return out << scalar.toDouble();
  }
  if (scalar.isComplex()) {
    return out << scalar.toComplexDouble();
  }
  if (scalar.isBoolean()) {
    return out << (scalar.toBool() ? "true" : "false");
  }
  return scalar.isUnsigned() ? out << scalar.toUInt64() : out << scalar.toLong();
}

} // namespace c10

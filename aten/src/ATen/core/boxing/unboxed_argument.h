#pragma once

#include <ATen/core/stack.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/QScheme.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/OptionalArrayRef.h>

#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

// Converts one argument from the stack for a typed kernel. `unboxed_argument<T>` owns whatever the
// kernel's parameter of type T refers to for the duration of the call; get() returns that
// parameter.
namespace c10::impl {

template <typename T>
using bare = std::remove_cv_t<std::remove_reference_t<T>>;

// Types that IValue returns by value.
template <typename T>
struct from_ivalue;

#define C10_FROM_IVALUE(type, expression)                       \
  template <>                                                   \
  struct from_ivalue<type> {                                    \
    static type convert(const IValue& v) { return expression; } \
  }
C10_FROM_IVALUE(at::Tensor, v.toTensor());
C10_FROM_IVALUE(int64_t, v.toInt());
C10_FROM_IVALUE(c10::DeviceIndex, static_cast<c10::DeviceIndex>(v.toInt()));
C10_FROM_IVALUE(double, v.toDouble());
C10_FROM_IVALUE(bool, v.toBool());
C10_FROM_IVALUE(c10::Scalar, v.toScalar());
C10_FROM_IVALUE(c10::complex<double>, v.toScalar().toComplexDouble());
C10_FROM_IVALUE(c10::ScalarType, v.toScalarType());
C10_FROM_IVALUE(c10::Layout, static_cast<c10::Layout>(v.toInt()));
C10_FROM_IVALUE(c10::QScheme, static_cast<c10::QScheme>(v.toInt()));
C10_FROM_IVALUE(c10::MemoryFormat, static_cast<c10::MemoryFormat>(v.toInt()));
C10_FROM_IVALUE(c10::Device, v.toDevice());
C10_FROM_IVALUE(c10::Storage, v.toStorage());
C10_FROM_IVALUE(at::Generator, v.toGenerator());
C10_FROM_IVALUE(std::string, v.toStringRef());
C10_FROM_IVALUE(std::string_view, v.toStringRef());
C10_FROM_IVALUE(IValue, v);
#undef C10_FROM_IVALUE

template <typename T>
struct from_ivalue<std::optional<T>> {
  static std::optional<T> convert(const IValue& v) {
    if (v.isNone()) {
      return std::nullopt;
    }
    return from_ivalue<T>::convert(v);
  }
};

template <typename T>
C10_NOINLINE std::vector<T> elements_of(const IValue& v) {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, int64_t>) {
    if (v.isIntList()) {
      return v.toIntList();
    }
  } else if constexpr (std::is_same_v<T, double>) {
    if (v.isDoubleList()) {
      return v.toDoubleList();
    }
  } else if constexpr (std::is_same_v<T, at::Tensor>) {
    if (v.isTensorList()) {
      return v.toTensorList();
    }
  }
  if (v.isTensorList()) { // Tensor?[] passed as Tensor[]
    for (const at::Tensor& each : v.toTensorList()) {
      values.push_back(from_ivalue<T>::convert(IValue(each)));
    }
    return values;
  }
  for (const IValue& each : v.toGenericList()) {
    values.push_back(from_ivalue<T>::convert(each));
  }
  return values;
}

template <typename T>
struct from_ivalue<std::vector<T>> {
  static std::vector<T> convert(const IValue& v) { return elements_of<T>(v); }
};
template <typename T>
struct from_ivalue<List<T>> {
  static List<T> convert(const IValue& v) { return List<T>(elements_of<T>(v)); }
};
template <>
struct from_ivalue<std::vector<bool>> {
  static std::vector<bool> convert(const IValue& v) { return v.toBoolList(); }
};
template <size_t N>
struct from_ivalue<std::array<bool, N>> {
  static std::array<bool, N> convert(const IValue& v) {
    const std::vector<bool>& values = v.toBoolList();
    TORCH_CHECK(values.size() == N, "Expected a list of ", N, " bools but got ", values.size());
    std::array<bool, N> result;
    std::copy(values.begin(), values.end(), result.begin());
    return result;
  }
};

// Parameters that are views own their elements here.
template <typename T>
struct unboxed_argument {
  explicit unboxed_argument(const IValue& v) : value(from_ivalue<bare<T>>::convert(v)) {}
  T get() {
    if constexpr (std::is_reference_v<T>) {
      return value;
    } else {
      return std::move(value);
    }
  }
  bare<T> value;
};
template <typename T>
struct unboxed_argument<ArrayRef<T>> {
  explicit unboxed_argument(const IValue& v) : value(elements_of<T>(v)) {}
  ArrayRef<T> get() { return value; }
  std::vector<T> value;
};
template <>
struct unboxed_argument<ArrayRef<bool>> {
  explicit unboxed_argument(const IValue& v)
      : size(v.toBoolList().size()), value(std::make_unique<bool[]>(size)) {
    std::copy(v.toBoolList().begin(), v.toBoolList().end(), value.get());
  }
  ArrayRef<bool> get() { return ArrayRef<bool>(value.get(), size); }
  size_t size;
  std::unique_ptr<bool[]> value;
};
template <typename T>
struct unboxed_argument<const ArrayRef<T>&> : unboxed_argument<ArrayRef<T>> {
  explicit unboxed_argument(const IValue& v)
      : unboxed_argument<ArrayRef<T>>(v), view(this->value) {}
  const ArrayRef<T>& get() { return view; }
  ArrayRef<T> view;
};
template <typename T>
struct unboxed_argument<OptionalArrayRef<T>> {
  explicit unboxed_argument(const IValue& v) {
    if (!v.isNone()) {
      value = elements_of<T>(v);
    }
  }
  OptionalArrayRef<T> get() {
    return value ? OptionalArrayRef<T>(ArrayRef<T>(*value)) : OptionalArrayRef<T>();
  }
  std::optional<std::vector<T>> value;
};
template <typename T>
struct unboxed_argument<std::optional<ArrayRef<T>>> {
  explicit unboxed_argument(const IValue& v) {
    if (!v.isNone()) {
      value = elements_of<T>(v);
    }
  }
  std::optional<ArrayRef<T>> get() {
    return value ? std::optional<ArrayRef<T>>(*value) : std::nullopt;
  }
  std::optional<std::vector<T>> value;
};

} // namespace c10::impl

#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/string_view.h>

#include <optional>

namespace caffe2 {

// The element type that Tensor::dtype() returns: a ScalarType with size and name. It compares
// directly with a ScalarType.
class TypeMeta final {
 public:
  constexpr TypeMeta() noexcept = default;
  constexpr TypeMeta(c10::ScalarType type) noexcept : type_(type) {}

  template <typename T>
  static constexpr TypeMeta Make() {
    return TypeMeta(c10::CppTypeToScalarType<T>::value);
  }
  static constexpr TypeMeta fromScalarType(c10::ScalarType type) { return TypeMeta(type); }

  constexpr c10::ScalarType toScalarType() const { return type_; }
  constexpr bool isScalarType() const { return type_ != c10::ScalarType::Undefined; }
  constexpr bool isScalarType(c10::ScalarType type) const { return type_ == type; }
  constexpr size_t itemsize() const { return c10::elementSize(type_); }
  c10::string_view name() const { return c10::toString(type_); }
  template <typename T>
  constexpr bool Match() const {
    return type_ == c10::CppTypeToScalarType<T>::value;
  }

  friend constexpr bool operator==(TypeMeta a, TypeMeta b) { return a.type_ == b.type_; }

 private:
  c10::ScalarType type_ = c10::ScalarType::Undefined;
};

C10_API std::ostream& operator<<(std::ostream& out, TypeMeta type);

} // namespace caffe2

namespace c10 {
using caffe2::TypeMeta;
constexpr ScalarType typeMetaToScalarType(caffe2::TypeMeta type) {
  return type.toScalarType();
}
constexpr std::optional<ScalarType> optTypeMetaToScalarType(std::optional<caffe2::TypeMeta> type) {
  return type.has_value() ? std::optional(type->toScalarType()) : std::nullopt;
}
constexpr caffe2::TypeMeta scalarTypeToTypeMeta(ScalarType type) {
  return type;
}
} // namespace c10

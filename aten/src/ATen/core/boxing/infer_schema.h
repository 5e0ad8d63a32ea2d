#pragma once

#include <ATen/core/boxing/unboxed_argument.h>

#include <string>

// The schema inferred from a C++ function type, for `m.def("name", &function)`.
namespace c10::impl {

template <typename T>
struct schema_type;

#define C10_SCHEMA_TYPE(type, text)            \
  template <>                                  \
  struct schema_type<type> {                   \
    static std::string name() { return text; } \
  }
C10_SCHEMA_TYPE(at::Tensor, "Tensor");
C10_SCHEMA_TYPE(int64_t, "int");
C10_SCHEMA_TYPE(double, "float");
C10_SCHEMA_TYPE(bool, "bool");
C10_SCHEMA_TYPE(c10::Scalar, "Scalar");
C10_SCHEMA_TYPE(c10::complex<double>, "complex");
C10_SCHEMA_TYPE(c10::ScalarType, "ScalarType");
C10_SCHEMA_TYPE(c10::Layout, "Layout");
C10_SCHEMA_TYPE(c10::MemoryFormat, "MemoryFormat");
C10_SCHEMA_TYPE(c10::Device, "Device");
C10_SCHEMA_TYPE(c10::Storage, "Storage");
C10_SCHEMA_TYPE(at::Generator, "Generator");
C10_SCHEMA_TYPE(std::string, "str");
C10_SCHEMA_TYPE(std::string_view, "str");
C10_SCHEMA_TYPE(IValue, "Any");
#undef C10_SCHEMA_TYPE

template <typename T>
struct schema_type<std::optional<T>> {
  static std::string name() { return schema_type<T>::name() + "?"; }
};
template <typename T>
struct schema_type<ArrayRef<T>> {
  static std::string name() { return schema_type<T>::name() + "[]"; }
};
template <typename T>
struct schema_type<std::vector<T>> : schema_type<ArrayRef<T>> {};
template <typename T>
struct schema_type<List<T>> : schema_type<ArrayRef<T>> {};
template <typename T>
struct schema_type<OptionalArrayRef<T>> : schema_type<std::optional<ArrayRef<T>>> {};

template <typename T>
std::string result_text(T*) {
  return schema_type<T>::name();
}
template <typename... Ts>
std::string result_text(std::tuple<Ts...>*) {
  std::string text;
  ((text += (text.empty() ? "" : ", ") + schema_type<bare<Ts>>::name()), ...);
  return "(" + text + ")";
}
inline std::string result_text(void*) {
  return "()";
}

template <typename Signature>
struct signature_schema;
template <typename Ret, typename... Args>
struct signature_schema<Ret(Args...)> {
  static std::string text() {
    std::string arguments;
    int position = 0;
    ((arguments += (position == 0 ? "" : ", ") + schema_type<bare<Args>>::name() + " _" +
          std::to_string(position),
      ++position),
     ...);
    return "(" + arguments + ") -> " + result_text(static_cast<bare<Ret>*>(nullptr));
  }
};

template <typename Signature>
std::string infer_schema() {
  return signature_schema<Signature>::text();
}

} // namespace c10::impl

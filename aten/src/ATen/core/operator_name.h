#pragma once

#include <c10/macros/Export.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace c10 {

// "aten::add" and "Tensor".
struct OperatorName final {
  std::string name;
  std::string overload_name;

  OperatorName(std::string operator_name, std::string overload)
      : name(std::move(operator_name)), overload_name(std::move(overload)) {}

  // "aten" in "aten::add"; nullopt when the name has no namespace.
  std::optional<std::string_view> getNamespace() const {
    const size_t position = name.find("::");
    if (position == std::string::npos) {
      return std::nullopt;
    }
    return std::string_view(name).substr(0, position);
  }

  bool operator==(const OperatorName&) const = default;
};

inline std::string toString(const OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

} // namespace c10

template <>
struct std::hash<c10::OperatorName> {
  size_t operator()(const c10::OperatorName& name) const noexcept {
    return std::hash<std::string>()(name.name) * 31 ^ std::hash<std::string>()(name.overload_name);
  }
};

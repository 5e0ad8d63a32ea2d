#pragma once

#include <ATen/core/TensorBase.h>
#include <c10/core/Scalar.h>

#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

// Attributes of nodes as text, for dumps of the graph.
namespace torch::lazy {

template <typename T>
void write_attribute(std::ostream& text, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    text << (value ? "1" : "0");
  } else if constexpr (requires { value.has_value(); }) {
    if (value) {
      write_attribute(text, *value);
    } else {
      text << "null";
    }
  } else if constexpr (!std::is_same_v<T, std::string> && requires { value.begin(); }) {
    text << '[';
    for (size_t i = 0; i < value.size(); ++i) {
      text << (i == 0 ? "" : ", ");
      write_attribute(text, value[i]);
    }
    text << ']';
  } else {
    text << value;
  }
}

template <typename T>
std::string attribute_text(const char* name, const T& value) {
  std::ostringstream text;
  text << name << '=';
  write_attribute(text, value);
  return text.str();
}

// Joins the texts of attributes.
template <typename... Texts>
std::string attribute_texts(const Texts&... texts) {
  std::string all;
  ((all += (all.empty() ? "" : ", ") + std::string(texts)), ...);
  return all;
}

} // namespace torch::lazy

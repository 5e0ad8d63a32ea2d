#pragma once

#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

namespace torch::serialize {

// What an archive consists of: numbers, texts, tensors, and sequences and dictionaries of these.
struct Value {
  enum class Kind { none, integer, real, text, tensor, sequence, dictionary, other };

  Value() = default;
  Value(int64_t number) : kind(Kind::integer), integer(number) {}          // NOLINT
  Value(std::string string) : kind(Kind::text), text(std::move(string)) {} // NOLINT
  Value(const Tensor& value) : kind(Kind::tensor), tensor(value) {}        // NOLINT
  static Value of(Kind kind) {
    Value value;
    value.kind = kind;
    return value;
  }

  // The entry of a dictionary, or nullptr.
  const Value* find(const std::string& key) const {
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].kind == Kind::text && items[i].text == key) return &items[i + 1];
    }
    return nullptr;
  }
  void set(std::string key, Value value) {
    items.emplace_back(std::move(key));
    items.push_back(std::move(value));
  }
  Value& expect(Kind expected, const char* what) {
    TORCH_CHECK(kind == expected, "the archive has something else where ", what, " should be");
    return *this;
  }
  const Value& expect(Kind expected, const char* what) const {
    return const_cast<Value*>(this)->expect(expected, what);
  }

  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string text; // of `other`: the name of a Python class or function
  Tensor tensor;
  std::vector<Value> items; // of a dictionary: key, value, key, value, ...
};

} // namespace torch::serialize

#pragma once

#include <utility>

// A field of an options class with a setter and a getter of its name, so that options are chained:
// `SGDOptions(0.1).momentum(0.9)`.
#define TORCH_ARG(T, name)                          \
 public:                                            \
  auto name(const T& new_##name)->decltype(*this) { \
    this->name##_ = new_##name;                     \
    return *this;                                   \
  }                                                 \
  auto name(T&& new_##name)->decltype(*this) {      \
    this->name##_ = std::move(new_##name);          \
    return *this;                                   \
  }                                                 \
  const T& name() const noexcept {                  \
    return name##_;                                 \
  }                                                 \
  T& name() noexcept {                              \
    return name##_;                                 \
  }                                                 \
                                                    \
 private:                                           \
  T name##_ /* NOLINT */

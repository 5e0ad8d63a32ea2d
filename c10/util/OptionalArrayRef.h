#pragma once

#include <c10/util/ArrayRef.h>

#include <optional>

namespace c10 {

// An optional list argument. Unlike std::optional<ArrayRef<T>>, it accepts whatever ArrayRef
// accepts, including {2, 3}, in one implicit conversion.
template <typename T>
class OptionalArrayRef final {
 public:
  constexpr OptionalArrayRef() noexcept = default;
  constexpr OptionalArrayRef(std::nullopt_t) noexcept {}
  constexpr OptionalArrayRef(ArrayRef<T> list) noexcept : list_(list), present_(true) {}
  constexpr OptionalArrayRef(const std::initializer_list<T>& list) noexcept
      : list_(list), present_(true) {}
  constexpr OptionalArrayRef(const T& element) noexcept : list_(element), present_(true) {}
  constexpr OptionalArrayRef(const std::optional<ArrayRef<T>>& other) noexcept
      : list_(other ? *other : ArrayRef<T>()), present_(other.has_value()) {}
  OptionalArrayRef(const std::optional<std::vector<T>>& other) noexcept
      : list_(other ? ArrayRef<T>(*other) : ArrayRef<T>()), present_(other.has_value()) {}
  template <
      typename Container,
      typename = std::enable_if_t<
          std::is_convertible_v<const Container&, ArrayRef<T>> &&
          !std::is_same_v<Container, ArrayRef<T>> && !std::is_arithmetic_v<Container>>>
  constexpr OptionalArrayRef(const Container& container) noexcept
      : list_(container), present_(true) {}

  constexpr bool has_value() const noexcept { return present_; }
  constexpr explicit operator bool() const noexcept { return present_; }
  constexpr const ArrayRef<T>& operator*() const noexcept { return list_; }
  constexpr const ArrayRef<T>* operator->() const noexcept { return &list_; }
  constexpr const ArrayRef<T>& value() const {
    TORCH_CHECK(present_, "the optional list is empty");
    return list_;
  }
  constexpr ArrayRef<T> value_or(ArrayRef<T> other) const noexcept {
    return present_ ? list_ : other;
  }
  constexpr operator std::optional<ArrayRef<T>>() const {
    return present_ ? std::optional<ArrayRef<T>>(list_) : std::nullopt;
  }

 private:
  ArrayRef<T> list_;
  bool present_ = false;
};

using OptionalIntArrayRef = OptionalArrayRef<int64_t>;

} // namespace c10

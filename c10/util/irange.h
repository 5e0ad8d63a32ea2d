#pragma once

#include <type_traits>

namespace c10 {

namespace detail {
template <typename I>
struct integer_iterator {
  I value;
  constexpr I operator*() const { return value; }
  constexpr integer_iterator& operator++() {
    ++value;
    return *this;
  }
  constexpr bool operator!=(const integer_iterator& other) const { return value != other.value; }
  constexpr bool operator==(const integer_iterator& other) const { return value == other.value; }
};
} // namespace detail

template <typename I>
struct integer_range {
  constexpr integer_range(I begin, I end) : begin_{begin}, end_{end < begin ? begin : end} {}
  constexpr detail::integer_iterator<I> begin() const { return begin_; }
  constexpr detail::integer_iterator<I> end() const { return end_; }

 private:
  detail::integer_iterator<I> begin_;
  detail::integer_iterator<I> end_;
};

// for (auto i : c10::irange(n)): 0 .. n-1; empty when n is negative.
template <typename End>
constexpr integer_range<End> irange(End end) {
  return {End(0), end};
}
template <typename Begin, typename End>
constexpr integer_range<End> irange(Begin begin, End end) {
  return {static_cast<End>(begin), end};
}

} // namespace c10

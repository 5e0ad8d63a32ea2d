#pragma once

#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include <array>
#include <cstddef>
#include <utility>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <type_traits>
#include <vector>

namespace c10 {

namespace detail {
C10_API void print_int_list(std::ostream& out, const int64_t* data, size_t size);
[[noreturn]] C10_API void array_ref_index_error(size_t index, size_t size);
} // namespace detail

// A borrowed, contiguous, constant sequence: the argument type for all lists.
template <typename T>
class ArrayRef final {
 public:
  using value_type = T;
  using size_type = size_t;
  using iterator = const T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& element) : data_(&element), size_(1) {}
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* begin, const T* end)
      : data_(begin), size_(static_cast<size_t>(end - begin)) {}
  template <size_t N>
  constexpr ArrayRef(const T (&array)[N]) : data_(array), size_(N) {}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
  constexpr ArrayRef(const std::initializer_list<T>& list)
      : data_(list.begin()), size_(list.size()) {}
#pragma GCC diagnostic pop
  // Any container with contiguous data() and size(): std::vector, std::array, SmallVector, List
  // views.
  template <
      typename Container, typename U = decltype(std::declval<const Container&>().data()),
      typename = std::enable_if_t<
          std::is_same_v<std::remove_cv_t<std::remove_pointer_t<U>>, T> &&
          !std::is_same_v<Container, ArrayRef<T>>>,
      typename = decltype(std::declval<const Container&>().size())>
  constexpr ArrayRef(const Container& container)
      : data_(container.data()), size_(container.size()) {}

  constexpr iterator begin() const {
    return data_;
  }
  constexpr iterator end() const {
    return data_ + size_;
  }
  constexpr iterator cbegin() const {
    return begin();
  }
  constexpr iterator cend() const {
    return end();
  }
  constexpr reverse_iterator rbegin() const {
    return reverse_iterator(end());
  }
  constexpr reverse_iterator rend() const {
    return reverse_iterator(begin());
  }

  constexpr const T* data() const {
    return data_;
  }
  constexpr size_t size() const {
    return size_;
  }
  constexpr bool empty() const {
    return size_ == 0;
  }

  constexpr const T& operator[](size_t index) const {
    return data_[index];
  }
  constexpr const T& at(size_t index) const {
    if (C10_UNLIKELY(index >= size_)) {
      detail::array_ref_index_error(index, size_);
    }
    return data_[index];
  }
  constexpr const T& front() const {
    return at(0);
  }
  constexpr const T& back() const {
    return at(size_ - 1);
  }

  constexpr ArrayRef<T> slice(size_t start, size_t count) const {
    if (C10_UNLIKELY(start + count > size_)) {
      detail::array_ref_index_error(start + count, size_);
    }
    return {data_ + start, count};
  }
  constexpr ArrayRef<T> slice(size_t start) const {
    return slice(start, size_ - start);
  }

  constexpr bool equals(ArrayRef other) const {
    if (size_ != other.size_) {
      return false;
    }
    for (size_t i = 0; i < size_; ++i) {
      if (!(data_[i] == other.data_[i])) {
        return false;
      }
    }
    return true;
  }

  std::vector<T> vec() const {
    return std::vector<T>(begin(), end());
  }

  // Deleted because assigning a temporary would leave a dangling reference.
  template <typename U>
  std::enable_if_t<std::is_same_v<U, T>, ArrayRef<T>>& operator=(U&& temporary) = delete;
  template <typename U>
  std::enable_if_t<std::is_same_v<U, T>, ArrayRef<T>>& operator=(std::initializer_list<U>) = delete;

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

template <typename T>
constexpr bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
constexpr bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}
template <typename T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return ArrayRef<T>(a).equals(b);
}
template <typename T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(ArrayRef<T>(b));
}
template <typename T>
bool operator!=(const std::vector<T>& a, ArrayRef<T> b) {
  return !(a == b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, const std::vector<T>& b) {
  return !(a == b);
}

template <typename Out, typename T>
auto operator<<(Out& out, ArrayRef<T> list)
    -> std::enable_if_t<std::is_base_of_v<std::ostream, Out>, Out&> {
  if constexpr (std::is_same_v<T, int64_t>) {
    detail::print_int_list(out, list.data(), list.size());
  } else {
    out << "[";
    const char* separator = "";
    for (const T& element : list) {
      out << separator << element;
      separator = ", ";
    }
    out << "]";
  }
  return out;
}

template <typename T>
ArrayRef<T> makeArrayRef(const std::vector<T>& vector) {
  return vector;
}
template <typename T>
ArrayRef<T> makeArrayRef(const T* data, size_t size) {
  return ArrayRef<T>(data, size);
}

using IntArrayRef = ArrayRef<int64_t>;

} // namespace c10

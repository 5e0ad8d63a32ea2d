#pragma once

#include <c10/util/ArrayRef.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace c10 {

// The part of SmallVector that does not depend on the inline capacity, so functions can take
// SmallVectorImpl<T>&.
template <typename T>
class SmallVectorImpl {
 public:
  using value_type = T;
  using size_type = size_t;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  SmallVectorImpl(const SmallVectorImpl&) = delete;

  SmallVectorImpl& operator=(const SmallVectorImpl& other) {
    if (this != &other) {
      assign(other.begin(), other.end());
    }
    return *this;
  }

  iterator begin() { return data_; }
  iterator end() { return data_ + size_; }
  const_iterator begin() const { return data_; }
  const_iterator end() const { return data_ + size_; }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }

  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void reserve(size_t capacity) {
    if (capacity > capacity_) {
      grow(capacity);
    }
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    if (C10_UNLIKELY(size_ == capacity_)) {
      T value(std::forward<Args>(args)...); // an argument may live inside this vector
      grow(size_ + 1);
      return *::new (data_ + size_++) T(std::move(value));
    }
    return *::new (data_ + size_++) T(std::forward<Args>(args)...);
  }
  void pop_back() { data_[--size_].~T(); }
  T pop_back_val() {
    T value = std::move(back());
    pop_back();
    return value;
  }
  void clear() { truncate(0); }
  void truncate(size_t size) {
    while (size_ > size) {
      pop_back();
    }
  }
  void resize(size_t size) {
    truncate(size);
    reserve(size);
    while (size_ < size) {
      ::new (data_ + size_++) T();
    }
  }
  void resize(size_t size, const T& value) {
    truncate(size);
    reserve(size);
    while (size_ < size) {
      ::new (data_ + size_++) T(value);
    }
  }
  template <typename It, typename = decltype(*std::declval<It>())>
  void append(It first, It last) {
    for (; first != last; ++first) {
      emplace_back(*first);
    }
  }
  void append(size_t count, const T& value) { resize(size_ + count, value); }
  void append(std::initializer_list<T> list) { append(list.begin(), list.end()); }
  template <typename It, typename = decltype(*std::declval<It>())>
  void assign(It first, It last) {
    clear();
    append(first, last);
  }
  void assign(size_t count, const T& value) {
    T copy(value);
    clear();
    resize(count, copy);
  }
  iterator insert(iterator where, const T& value) {
    const size_t index = static_cast<size_t>(where - data_);
    emplace_back(value);
    for (size_t i = size_ - 1; i > index; --i) {
      std::swap(data_[i], data_[i - 1]);
    }
    return data_ + index;
  }
  template <typename It, typename = decltype(*std::declval<It>())>
  iterator insert(iterator where, It first, It last) {
    size_t index = static_cast<size_t>(where - data_);
    const size_t start = index;
    for (; first != last; ++first) {
      insert(data_ + index++, *first);
    }
    return data_ + start;
  }
  iterator erase(iterator where) { return erase(where, where + 1); }
  iterator erase(iterator first, iterator last) {
    iterator out = first;
    for (iterator in = last; in != end(); ++in, ++out) {
      *out = std::move(*in);
    }
    truncate(static_cast<size_t>(out - data_));
    return first;
  }

  bool operator==(const SmallVectorImpl& other) const {
    return ArrayRef<T>(data_, size_).equals(ArrayRef<T>(other.data_, other.size_));
  }
  bool operator!=(const SmallVectorImpl& other) const { return !(*this == other); }

 protected:
  SmallVectorImpl(T* inline_data, size_t inline_capacity)
      : data_(inline_data), size_(0), capacity_(inline_capacity) {}
  ~SmallVectorImpl() = default;

  void release() {
    clear();
    free_heap();
  }
  // Takes over the other vector's heap block, or moves its elements when they are inline.
  void take(SmallVectorImpl& other, T* other_inline, size_t other_capacity) {
    clear();
    if (!other.heap_) {
      reserve(other.size_);
      for (T& value : other) {
        emplace_back(std::move(value));
      }
      other.clear();
      return;
    }
    free_heap();
    data_ = std::exchange(other.data_, other_inline);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, other_capacity);
    heap_ = std::exchange(other.heap_, false);
  }

 private:
  C10_NOINLINE void grow(size_t minimum) {
    const size_t capacity = minimum > 2 * capacity_ ? minimum : 2 * capacity_;
    T* fresh = static_cast<T*>(::operator new(capacity * sizeof(T), std::align_val_t(alignof(T))));
    for (size_t i = 0; i < size_; ++i) {
      ::new (fresh + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    free_heap();
    heap_ = true;
    data_ = fresh;
    capacity_ = capacity;
  }

  void free_heap() {
    if (heap_) {
      ::operator delete(static_cast<void*>(data_), std::align_val_t(alignof(T)));
    }
  }

  T* data_;
  size_t size_;
  size_t capacity_;
  bool heap_ = false;
};

template <typename T, unsigned N = (sizeof(T) <= 8 ? 6 : 2)>
class SmallVector : public SmallVectorImpl<T> {
  using Base = SmallVectorImpl<T>;

 public:
  SmallVector() : Base(inline_data(), N) {}
  ~SmallVector() { this->release(); }
  explicit SmallVector(size_t size) : SmallVector() { this->resize(size); }
  SmallVector(size_t size, const T& value) : SmallVector() { this->resize(size, value); }
  template <typename It, typename = decltype(*std::declval<It>())>
  SmallVector(It first, It last) : SmallVector() {
    this->append(first, last);
  }
  SmallVector(std::initializer_list<T> list) : SmallVector() { this->append(list); }
  SmallVector(ArrayRef<T> list) : SmallVector() { this->append(list.begin(), list.end()); }
  SmallVector(const std::vector<T>& list) : SmallVector() {
    this->append(list.begin(), list.end());
  }
  SmallVector(const SmallVector& other) : SmallVector() {
    this->append(other.begin(), other.end());
  }
  SmallVector(const Base& other) : SmallVector() { this->append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) : SmallVector() { steal(other); }

  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      Base::operator=(other);
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) {
    if (this != &other) {
      steal(other);
    }
    return *this;
  }
  SmallVector& operator=(std::initializer_list<T> list) {
    this->assign(list.begin(), list.end());
    return *this;
  }
  SmallVector& operator=(ArrayRef<T> list) {
    SmallVector copy(list); // the list may be part of this vector
    steal(copy);
    return *this;
  }

 private:
  T* inline_data() { return reinterpret_cast<T*>(storage_); }
  void steal(SmallVector& other) { this->take(other, other.inline_data(), N); }

  alignas(T) unsigned char storage_[sizeof(T) * (N == 0 ? 1 : N)];
};

template <typename Out, typename T>
auto operator<<(Out& out, const SmallVectorImpl<T>& vector)
    -> std::enable_if_t<std::is_base_of_v<std::ostream, Out>, Out&> {
  return out << ArrayRef<T>(vector.data(), vector.size());
}

} // namespace c10

#pragma once

#include <c10/macros/Macros.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace c10::impl {

// Sizes and strides of a tensor: inline up to five dimensions, in one heap block above that. Either
// way the strides start `capacity` words after the sizes.
class SizesAndStrides {
 public:
  static constexpr size_t kInlineDims = 5;

  SizesAndStrides() : size_(1) {
    inline_[0] = 0;
    inline_[kInlineDims] = 1;
  }
  SizesAndStrides(const SizesAndStrides& other) : size_(0) { copy(other); }
  SizesAndStrides& operator=(const SizesAndStrides& other) {
    if (this != &other) {
      copy(other);
    }
    return *this;
  }
  ~SizesAndStrides() {
    if (C10_UNLIKELY(!is_inline())) {
      std::free(heap_);
    }
  }

  size_t size() const { return size_; }
  const int64_t* sizes_data() const { return data(); }
  int64_t* sizes_data() { return data(); }
  const int64_t* strides_data() const { return data() + capacity(); }
  int64_t* strides_data() { return data() + capacity(); }
  IntArrayRef sizes_arrayref() const { return {sizes_data(), size_}; }
  IntArrayRef strides_arrayref() const { return {strides_data(), size_}; }

  int64_t size_at_unchecked(size_t i) const { return sizes_data()[i]; }
  int64_t& size_at_unchecked(size_t i) { return sizes_data()[i]; }
  int64_t stride_at_unchecked(size_t i) const { return strides_data()[i]; }
  int64_t& stride_at_unchecked(size_t i) { return strides_data()[i]; }

  // Leaves the strides unset; the caller fills them in.
  void set_sizes(IntArrayRef sizes) {
    if (C10_LIKELY(sizes.size() <= kInlineDims && is_inline())) {
      size_ = sizes.size();
    } else {
      resize_slow(sizes.size());
    }
    copy_words(sizes_data(), sizes.data(), sizes.size());
  }
  void set_strides(IntArrayRef strides) { copy_words(strides_data(), strides.data(), size_); }

  // Keeps the leading values; new dimensions become zero.
  void resize(size_t size) {
    if (C10_LIKELY(size <= kInlineDims && is_inline())) {
      for (size_t i = size_; i < size; ++i) {
        inline_[i] = inline_[kInlineDims + i] = 0;
      }
      size_ = size;
    } else {
      resize_slow(size);
    }
  }

 private:
  bool is_inline() const { return size_ <= kInlineDims; }
  size_t capacity() const { return C10_LIKELY(is_inline()) ? kInlineDims : size_; }
  int64_t* data() { return C10_LIKELY(is_inline()) ? inline_ : heap_; }
  const int64_t* data() const { return C10_LIKELY(is_inline()) ? inline_ : heap_; }

  // For short copies: the empty statement stops the compiler from calling memcpy.
  static void copy_words(int64_t* to, const int64_t* from, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      to[i] = from[i];
      asm("");
    }
  }
  void copy(const SizesAndStrides& other) {
    resize(other.size_);
    copy_words(sizes_data(), other.sizes_data(), size_);
    copy_words(strides_data(), other.strides_data(), size_);
  }
  C10_API void resize_slow(size_t size);

  size_t size_;
  union {
    int64_t inline_[2 * kInlineDims];
    int64_t* heap_;
  };
};

} // namespace c10::impl

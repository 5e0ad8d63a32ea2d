#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <utility>

namespace c10 {

using DeleterFnPtr = void (*)(void*);

namespace detail {

C10_API void deleteNothing(void*);

// A data pointer that owns a context: freeing the context (not the data pointer, which may point
// anywhere inside it) frees the data.
class UniqueVoidPtr {
 public:
  constexpr UniqueVoidPtr() = default;
  explicit UniqueVoidPtr(void* data) : data_(data) {}
  UniqueVoidPtr(void* data, void* context, DeleterFnPtr deleter)
      : data_(data), context_(context), deleter_(deleter ? deleter : &deleteNothing) {}
  UniqueVoidPtr(UniqueVoidPtr&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        context_(std::exchange(other.context_, nullptr)),
        deleter_(other.deleter_) {}
  UniqueVoidPtr& operator=(UniqueVoidPtr&& other) noexcept {
    UniqueVoidPtr moved(std::move(other));
    std::swap(data_, moved.data_);
    std::swap(context_, moved.context_);
    std::swap(deleter_, moved.deleter_);
    return *this;
  }
  ~UniqueVoidPtr() { free_context(); }

  void* get() const { return data_; }
  void* get_context() const { return context_; }
  DeleterFnPtr get_deleter() const { return deleter_; }
  explicit operator bool() const { return data_ || context_; }
  void* operator->() const { return data_; }

  void clear() {
    free_context();
    context_ = nullptr;
    data_ = nullptr;
  }
  void* release_context() { return std::exchange(context_, nullptr); }
  void unsafe_reset_data(void* data) { data_ = data; }
  bool compare_exchange_deleter(DeleterFnPtr expected, DeleterFnPtr replacement) {
    if (deleter_ != expected) {
      return false;
    }
    deleter_ = replacement;
    return true;
  }

 private:
  void free_context() {
    if (context_) {
      deleter_(context_);
    }
  }

  void* data_ = nullptr;
  void* context_ = nullptr;
  DeleterFnPtr deleter_ = &deleteNothing;
};

} // namespace detail
} // namespace c10

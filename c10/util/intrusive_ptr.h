#pragma once

#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace c10 {

class intrusive_ptr_target;
template <typename T, typename NullType>
class intrusive_ptr;
template <typename T, typename NullType>
class weak_intrusive_ptr;

namespace raw {
inline void incref(intrusive_ptr_target* self);
inline void decref(intrusive_ptr_target* self);
} // namespace raw

// A base for objects that carry their own reference counts. All strong references together hold one
// weak reference; the object's resources are released with the last strong reference and its memory
// with the last weak one.
class C10_API intrusive_ptr_target {
 public:
  intrusive_ptr_target(const intrusive_ptr_target&) noexcept : intrusive_ptr_target() {}
  intrusive_ptr_target& operator=(const intrusive_ptr_target&) noexcept { return *this; }

 protected:
  constexpr intrusive_ptr_target() noexcept : refcount_(0), weakcount_(0) {}
  virtual ~intrusive_ptr_target() = default;

 private:
  // Releases expensive resources when only weak references remain.
  virtual void release_resources() {}

  mutable std::atomic<uint32_t> refcount_;
  mutable std::atomic<uint32_t> weakcount_;

  template <typename T, typename NullType>
  friend class intrusive_ptr;
  template <typename T, typename NullType>
  friend class weak_intrusive_ptr;
  friend struct intrusive_counts;
};

// Reference counting, in one place for all pointer types.
struct intrusive_counts {
  static void start(intrusive_ptr_target* self) noexcept {
    self->refcount_.store(1, std::memory_order_relaxed);
    self->weakcount_.store(1, std::memory_order_relaxed);
  }
  static uint32_t use_count(const intrusive_ptr_target* self) noexcept {
    return self->refcount_.load(std::memory_order_acquire);
  }
  static uint32_t weak_use_count(const intrusive_ptr_target* self) noexcept {
    return self->weakcount_.load(std::memory_order_acquire);
  }
  static void retain(const intrusive_ptr_target* self) noexcept {
    self->refcount_.fetch_add(1, std::memory_order_relaxed);
  }
  static void retain_weak(const intrusive_ptr_target* self) noexcept {
    self->weakcount_.fetch_add(1, std::memory_order_relaxed);
  }
  static void release(intrusive_ptr_target* self) noexcept {
    // The only reference of any kind needs no atomic read-modify-write, because no other thread can
    // reach it.
    if (self->refcount_.load(std::memory_order_acquire) == 1 &&
        self->weakcount_.load(std::memory_order_acquire) == 1) {
      destroy(self);
    } else if (self->refcount_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      self->release_resources();
      release_weak(self);
    }
  }
  static void destroy(intrusive_ptr_target* self) noexcept { delete self; }
  static void release_weak(intrusive_ptr_target* self) noexcept {
    if (self->weakcount_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy(self);
    }
  }
  // Adds a strong reference unless the object has already been released.
  static bool try_retain(const intrusive_ptr_target* self) noexcept {
    uint32_t count = self->refcount_.load(std::memory_order_acquire);
    while (count != 0) {
      if (self->refcount_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) {
        return true;
      }
    }
    return false;
  }
};

namespace detail {
template <typename T>
struct intrusive_target_default_null_type final {
  static constexpr T* singleton() noexcept { return nullptr; }
};
struct DontIncreaseRefcount {};
} // namespace detail

template <typename T, typename NullType = detail::intrusive_target_default_null_type<T>>
class intrusive_ptr final {
 public:
  using element_type = T;

  intrusive_ptr() noexcept : target_(NullType::singleton()) {}
  intrusive_ptr(std::nullptr_t) noexcept : intrusive_ptr() {}
  intrusive_ptr(T* target, detail::DontIncreaseRefcount) noexcept : target_(target) {}
  intrusive_ptr(intrusive_ptr&& other) noexcept : target_(other.target_) {
    other.target_ = NullType::singleton();
  }
  intrusive_ptr(const intrusive_ptr& other) noexcept : target_(other.target_) { retain(); }
  template <typename From, typename FromNull>
  intrusive_ptr(intrusive_ptr<From, FromNull>&& other) noexcept
      : target_(
            other.defined() ? static_cast<T*>(other.release_or_null()) : NullType::singleton()) {}
  template <typename From, typename FromNull>
  intrusive_ptr(const intrusive_ptr<From, FromNull>& other) noexcept
      : target_(other.defined() ? static_cast<T*>(other.get()) : NullType::singleton()) {
    retain();
  }
  ~intrusive_ptr() { reset_(); }

  intrusive_ptr& operator=(intrusive_ptr&& other) noexcept {
    intrusive_ptr moved(std::move(other));
    swap(moved);
    return *this;
  }
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): a swap with a copy
  intrusive_ptr& operator=(const intrusive_ptr& other) noexcept {
    intrusive_ptr copy(other);
    swap(copy);
    return *this;
  }

  T* get() const noexcept { return target_; }
  T& operator*() const noexcept { return *target_; }
  T* operator->() const noexcept { return target_; }
  explicit operator bool() const noexcept { return defined(); }
  bool defined() const noexcept { return target_ != NullType::singleton(); }

  void reset() noexcept {
    reset_();
    target_ = NullType::singleton();
  }
  void swap(intrusive_ptr& other) noexcept { std::swap(target_, other.target_); }

  uint32_t use_count() const noexcept {
    return defined() ? intrusive_counts::use_count(target_) : 0;
  }
  uint32_t weak_use_count() const noexcept {
    return defined() ? intrusive_counts::weak_use_count(target_) : 0;
  }
  bool unique() const noexcept { return use_count() == 1; }

  // Gives up ownership and returns the pointer; reclaim() takes it back.
  T* release() noexcept {
    T* result = target_;
    target_ = NullType::singleton();
    return result;
  }
  T* release_or_null() noexcept { return defined() ? release() : nullptr; }

  static intrusive_ptr reclaim(T* owned) {
    return intrusive_ptr(owned ? owned : NullType::singleton(), detail::DontIncreaseRefcount{});
  }
  static intrusive_ptr reclaim_copy(T* borrowed) {
    intrusive_ptr result = reclaim(borrowed);
    result.retain();
    return result;
  }
  // Takes the first reference to an object just created with new.
  static intrusive_ptr unsafe_steal_from_new(T* fresh) {
    intrusive_counts::start(fresh);
    return intrusive_ptr(fresh, detail::DontIncreaseRefcount{});
  }
  template <typename... Args>
  static intrusive_ptr make(Args&&... args) {
    return unsafe_steal_from_new(new T(std::forward<Args>(args)...));
  }

 private:
  void retain() noexcept {
    if (defined()) {
      intrusive_counts::retain(target_);
    }
  }
  void reset_() noexcept {
    if (defined()) {
      intrusive_counts::release(target_);
    }
  }

  T* target_;
};

template <
    typename T, typename NullType = detail::intrusive_target_default_null_type<T>, typename... Args>
intrusive_ptr<T, NullType> make_intrusive(Args&&... args) {
  return intrusive_ptr<T, NullType>::make(std::forward<Args>(args)...);
}

template <typename A, typename AN, typename B, typename BN>
bool operator==(const intrusive_ptr<A, AN>& a, const intrusive_ptr<B, BN>& b) noexcept {
  return a.get() == b.get();
}
template <typename A, typename AN>
bool operator==(const intrusive_ptr<A, AN>& a, std::nullptr_t) noexcept {
  return !a.defined();
}
template <typename A, typename AN>
bool operator<(const intrusive_ptr<A, AN>& a, const intrusive_ptr<A, AN>& b) noexcept {
  return a.get() < b.get();
}

template <typename T, typename NullType = detail::intrusive_target_default_null_type<T>>
class weak_intrusive_ptr final {
 public:
  weak_intrusive_ptr() noexcept : target_(NullType::singleton()) {}
  explicit weak_intrusive_ptr(const intrusive_ptr<T, NullType>& strong) noexcept
      : target_(strong.get()) {
    retain();
  }
  weak_intrusive_ptr(weak_intrusive_ptr&& other) noexcept : target_(other.target_) {
    other.target_ = NullType::singleton();
  }
  weak_intrusive_ptr(const weak_intrusive_ptr& other) noexcept : target_(other.target_) {
    retain();
  }
  ~weak_intrusive_ptr() { reset(); }

  weak_intrusive_ptr& operator=(weak_intrusive_ptr other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }

  void reset() noexcept {
    if (target_ != NullType::singleton()) {
      intrusive_counts::release_weak(target_);
      target_ = NullType::singleton();
    }
  }
  T* _unsafe_get_target() const noexcept { return target_; }
  uint32_t use_count() const noexcept {
    return target_ == NullType::singleton() ? 0 : intrusive_counts::use_count(target_);
  }
  bool expired() const noexcept { return use_count() == 0; }
  intrusive_ptr<T, NullType> lock() const noexcept {
    if (target_ == NullType::singleton() || !intrusive_counts::try_retain(target_)) {
      return {};
    }
    return intrusive_ptr<T, NullType>::reclaim(target_);
  }
  T* release() noexcept {
    T* result = target_;
    target_ = NullType::singleton();
    return result;
  }
  static weak_intrusive_ptr reclaim(T* owned) {
    weak_intrusive_ptr result;
    if (owned) {
      result.target_ = owned;
    }
    return result;
  }

 private:
  void retain() noexcept {
    if (target_ != NullType::singleton()) {
      intrusive_counts::retain_weak(target_);
    }
  }

  T* target_;
};

// Reference counting on raw pointers, for owners that are not C++ smart pointers (a PyObject's
// slot).
namespace raw {
inline void incref(intrusive_ptr_target* self) {
  if (self) {
    intrusive_counts::retain(self);
  }
}
inline void decref(intrusive_ptr_target* self) {
  if (self) {
    intrusive_counts::release(self);
  }
}
inline uint32_t use_count(intrusive_ptr_target* self) {
  return self ? intrusive_counts::use_count(self) : 0;
}
namespace weak {
inline void incref(intrusive_ptr_target* self) {
  if (self) {
    intrusive_counts::retain_weak(self);
  }
}
inline void decref(intrusive_ptr_target* self) {
  if (self) {
    intrusive_counts::release_weak(self);
  }
}
} // namespace weak
} // namespace raw

} // namespace c10

template <typename T, typename NullType>
struct std::hash<c10::intrusive_ptr<T, NullType>> {
  size_t operator()(const c10::intrusive_ptr<T, NullType>& p) const {
    return std::hash<const void*>()(p.get());
  }
};

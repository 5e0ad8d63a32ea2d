#pragma once

#include <c10/util/Exception.h>

#include <memory>
#include <utility>

namespace c10 {

// How to borrow a T without changing its reference count. Tensor specializes it to alias the
// TensorImpl.
template <typename T>
struct MaybeOwnedTraits {
  using owned_type = T;
  using borrow_type = const T*;
  static borrow_type createBorrow(const owned_type& from) { return &from; }
  static void assignBorrow(borrow_type& lhs, borrow_type rhs) { lhs = rhs; }
  static void destroyBorrow(borrow_type&) {}
  static const owned_type& referenceFromBorrow(const borrow_type& borrow) { return *borrow; }
  static const owned_type* pointerFromBorrow(const borrow_type& borrow) { return borrow; }
};

// Either an owned T or a borrowed reference to one that lives elsewhere.
template <typename T>
class MaybeOwned final {
  using Traits = MaybeOwnedTraits<T>;
  using borrow_type = typename Traits::borrow_type;

 public:
  MaybeOwned() : borrowed_(true), borrow_() {}
  MaybeOwned(const MaybeOwned& other) : borrowed_(other.borrowed_) {
    if (borrowed_) {
      ::new (&borrow_) borrow_type(Traits::createBorrow(*other));
    } else {
      ::new (&own_) T(other.own_);
    }
  }
  MaybeOwned(MaybeOwned&& other) noexcept : borrowed_(other.borrowed_) {
    if (borrowed_) {
      ::new (&borrow_) borrow_type(Traits::createBorrow(*other));
    } else {
      ::new (&own_) T(std::move(other.own_));
    }
  }
  MaybeOwned& operator=(MaybeOwned other) noexcept {
    destroy();
    ::new (this) MaybeOwned(std::move(other));
    return *this;
  }
  ~MaybeOwned() { destroy(); }

  static MaybeOwned borrowed(const T& value) { return MaybeOwned(value); }
  static MaybeOwned owned(T&& value) { return MaybeOwned(std::move(value)); }
  template <typename... Args>
  static MaybeOwned owned(std::in_place_t, Args&&... args) {
    return MaybeOwned(T(std::forward<Args>(args)...));
  }

  const T& operator*() const& { return borrowed_ ? Traits::referenceFromBorrow(borrow_) : own_; }
  const T* operator->() const { return &**this; }
  T operator*() && { return borrowed_ ? Traits::referenceFromBorrow(borrow_) : std::move(own_); }
  bool unsafeIsBorrowed() const { return borrowed_; }

 private:
  explicit MaybeOwned(const T& value) : borrowed_(true), borrow_(Traits::createBorrow(value)) {}
  explicit MaybeOwned(T&& value) : borrowed_(false), own_(std::move(value)) {}
  void destroy() {
    if (borrowed_) {
      Traits::destroyBorrow(borrow_);
      borrow_.~borrow_type();
    } else {
      own_.~T();
    }
  }

  bool borrowed_;
  union {
    borrow_type borrow_;
    T own_;
  };
};

} // namespace c10

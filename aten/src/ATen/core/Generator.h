#pragma once

#include <c10/core/GeneratorImpl.h>
#include <c10/util/Exception.h>
#include <c10/util/intrusive_ptr.h>

#include <mutex>
#include <optional>
#include <utility>

namespace at {

class TensorBase;

// A counted handle to a random number generator; may be empty.
struct TORCH_API Generator {
  Generator() = default;
  explicit Generator(c10::intrusive_ptr<c10::GeneratorImpl> impl) : impl_(std::move(impl)) {
    TORCH_CHECK(impl_.get() != nullptr, "GeneratorImpl with nullptr is not supported");
  }

  bool operator==(const Generator& other) const { return impl_.get() == other.impl_.get(); }
  bool operator!=(const Generator& other) const { return !(*this == other); }

  bool defined() const { return static_cast<bool>(impl_); }
  c10::GeneratorImpl* unsafeGetGeneratorImpl() const { return impl_.get(); }
  c10::GeneratorImpl* unsafeReleaseGeneratorImpl() { return impl_.release(); }
  const c10::intrusive_ptr<c10::GeneratorImpl>& getIntrusivePtr() const { return impl_; }

  void set_current_seed(uint64_t seed) const { impl_->set_current_seed(seed); }
  uint64_t current_seed() const { return impl_->current_seed(); }
  uint64_t seed() const { return impl_->seed(); }
  void set_state(const TensorBase& new_state) const;
  TensorBase get_state() const;
  std::mutex& mutex() const { return impl_->mutex_; }
  c10::Device device() const { return impl_->device(); }
  c10::DispatchKeySet key_set() const { return impl_->key_set(); }
  struct ::_object* pyobj() const noexcept {
    return impl_->pyobj();
  }
  void set_pyobj(struct ::_object* object) const noexcept { impl_->set_pyobj(object); }
  Generator clone() const { return Generator(impl_->clone()); }

  template <typename T>
  T* get() const {
    return static_cast<T*>(impl_.get());
  }

 private:
  c10::intrusive_ptr<c10::GeneratorImpl> impl_;
};

template <class Impl, class... Args>
Generator make_generator(Args&&... args) {
  return Generator(c10::make_intrusive<Impl>(std::forward<Args>(args)...));
}

// Casts the generator to its concrete class; throws if it belongs to another device.
template <typename T>
inline T* check_generator(const std::optional<Generator>& generator) {
  TORCH_CHECK(
      generator.has_value() && generator->defined(),
      "Generator with undefined implementation is not allowed");
  TORCH_CHECK(
      T::device_type() == generator->device().type(), "Expected a '",
      c10::DeviceTypeName(T::device_type(), true), "' device type for generator but found '",
      c10::DeviceTypeName(generator->device().type(), true), "'");
  return generator->get<T>();
}

template <typename T>
inline T* get_generator_or_default(
    const std::optional<Generator>& generator, const Generator& default_generator) {
  return generator.has_value() && generator->defined() ? check_generator<T>(generator)
                                                       : default_generator.get<T>();
}

} // namespace at

#pragma once

#include <c10/core/Device.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <mutex>

struct _object;

namespace c10 {

class TensorImpl;

// The seed of a generator that was never seeded.
inline constexpr uint64_t default_rng_seed_val = 67280421310721;

// The interface of a random number generator on any device. Callers hold mutex_ while they draw
// numbers; the functions here take no lock.
class C10_API GeneratorImpl : public intrusive_ptr_target {
 public:
  GeneratorImpl(Device device, DispatchKeySet key_set);
  ~GeneratorImpl() override;
  C10_DISABLE_COPY_AND_ASSIGN(GeneratorImpl);

  intrusive_ptr<GeneratorImpl> clone() const;

  virtual void set_current_seed(uint64_t seed) = 0;
  virtual uint64_t current_seed() const = 0;
  // Seeds from the operating system's entropy and returns the new seed.
  virtual uint64_t seed() = 0;
  // The state is a one-dimensional uint8 CPU tensor; each generator defines its layout.
  virtual void set_state(const TensorImpl& new_state) = 0;
  virtual intrusive_ptr<TensorImpl> get_state() const = 0;

  Device device() const { return device_; }
  DispatchKeySet key_set() const { return key_set_; }

  // A borrowed reference to this generator's Python object.
  void set_pyobj(struct ::_object* object) noexcept { pyobj_ = object; }
  struct ::_object* pyobj() const noexcept {
    return pyobj_;
  }

  std::mutex mutex_;

 protected:
  virtual GeneratorImpl* clone_impl() const = 0;

  Device device_;
  DispatchKeySet key_set_;
  struct ::_object* pyobj_ = nullptr;
};

namespace detail {
// Returns entropy from the operating system: 53 bits, or 32 for CUDA.
C10_API uint64_t getNonDeterministicRandom(bool is_cuda = false);
} // namespace detail

} // namespace c10

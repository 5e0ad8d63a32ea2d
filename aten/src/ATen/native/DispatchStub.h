#pragma once

#include <c10/core/DeviceType.h>
#include <c10/macros/Export.h>
#include <c10/macros/Macros.h>

#include <atomic>
#include <utility>

// A function with one definition per CPU capability and device, chosen at run time.
//   native/UnaryOps.h         DECLARE_DISPATCH(unary_fn, exp_stub);
//   native/UnaryOps.cpp       DEFINE_DISPATCH(exp_stub);       exp_stub(iter.device_type(), iter);
//   native/cpu/UnaryKernel.cpp, compiled once per capability
//                             REGISTER_DISPATCH(exp_stub, &exp_kernel);
// The first call looks up the best definition this processor can run; after that, a call is one
// relaxed load and an indirect jump. ATEN_CPU_CAPABILITY=default|avx2|avx512 limits the choice.

namespace at::native {

enum class CPUCapability { DEFAULT = 0, AVX2 = 1, AVX512 = 2, NUM_OPTIONS };

TORCH_API CPUCapability get_cpu_capability();

namespace detail {

constexpr int kNumCapabilities = static_cast<int>(CPUCapability::NUM_OPTIONS);

// Returns the definition for the best capability that has one; throws if none is registered.
TORCH_API void* choose_cpu_definition(void* const* definitions, const char* stub_name);
[[noreturn]] TORCH_API void missing_kernel(const char* stub_name, c10::DeviceType device);

} // namespace detail

template <typename FnPtr, typename T>
struct DispatchStub;

template <typename Ret, typename... Args, typename T>
struct DispatchStub<Ret (*)(Args...), T> {
  using FnPtr = Ret (*)(Args...);

  constexpr DispatchStub() = default;
  DispatchStub(const DispatchStub&) = delete;
  DispatchStub& operator=(const DispatchStub&) = delete;

  // Iterators over Meta tensors have no elements to visit, so their kernels do nothing.
  template <typename... Actual>
  C10_ALWAYS_INLINE Ret operator()(c10::DeviceType device, Actual&&... args) {
    if (C10_LIKELY(device == c10::DeviceType::CPU)) {
      return cpu()(std::forward<Actual>(args)...);
    }
    if constexpr (std::is_void_v<Ret>) {
      if (device == c10::DeviceType::Meta) {
        return;
      }
    }
    return other(device)(std::forward<Actual>(args)...);
  }

  // For code that computes on host memory by contract: given pointers, not tensors.
  template <typename... Actual>
  C10_ALWAYS_INLINE Ret on_host(Actual&&... args) {
    return cpu()(std::forward<Actual>(args)...);
  }

  C10_ALWAYS_INLINE FnPtr cpu() {
    void* known = chosen_.load(std::memory_order_relaxed);
    return reinterpret_cast<FnPtr>(C10_LIKELY(known != nullptr) ? known : choose());
  }

  void set_cpu(CPUCapability capability, FnPtr definition) {
    cpu_[static_cast<int>(capability)] = reinterpret_cast<void*>(definition);
  }
  void set_device(c10::DeviceType device, FnPtr definition) {
    devices_[static_cast<uint8_t>(device)] = reinterpret_cast<void*>(definition);
  }
  bool is_device_supported(c10::DeviceType device) const {
    return device == c10::DeviceType::CPU ? cpu_[0] != nullptr
                                          : devices_[static_cast<uint8_t>(device)] != nullptr;
  }

 private:
  C10_NOINLINE void* choose() {
    void* definition = detail::choose_cpu_definition(cpu_, T::name);
    chosen_.store(definition, std::memory_order_relaxed);
    return definition;
  }
  C10_NOINLINE FnPtr other(c10::DeviceType device) {
    void* definition = devices_[static_cast<uint8_t>(device)];
    if (definition == nullptr) {
      detail::missing_kernel(T::name, device);
    }
    return reinterpret_cast<FnPtr>(definition);
  }

  std::atomic<void*> chosen_{nullptr};
  void* cpu_[detail::kNumCapabilities] = {};
  void* devices_[c10::COMPILE_TIME_MAX_DEVICE_TYPES] = {}; // but the CPU's, which is chosen_
};

namespace detail {
template <typename Stub>
struct RegisterCPUDispatch {
  RegisterCPUDispatch(Stub& stub, CPUCapability capability, typename Stub::FnPtr definition) {
    stub.set_cpu(capability, definition);
  }
};
template <typename Stub>
struct RegisterDeviceDispatch {
  RegisterDeviceDispatch(Stub& stub, c10::DeviceType device, typename Stub::FnPtr definition) {
    stub.set_device(device, definition);
  }
};
} // namespace detail

#define DECLARE_DISPATCH(fn, stub)                                     \
  struct stub##_DECLARE_DISPATCH_type                                  \
      : ::at::native::DispatchStub<fn, stub##_DECLARE_DISPATCH_type> { \
    static constexpr const char* name = #stub;                         \
  };                                                                   \
  extern TORCH_API struct stub##_DECLARE_DISPATCH_type stub

#define DEFINE_DISPATCH(stub) constinit struct stub##_DECLARE_DISPATCH_type stub

#define REGISTER_CPU_DISPATCH(stub, capability, fn)                                     \
  static ::at::native::detail::RegisterCPUDispatch<struct stub##_DECLARE_DISPATCH_type> \
      stub##_register_##capability(stub, ::at::native::CPUCapability::capability, fn);

// The definition for another device type, in whichever library has it.
#define REGISTER_DEVICE_DISPATCH(stub, device, fn)                                         \
  static ::at::native::detail::RegisterDeviceDispatch<struct stub##_DECLARE_DISPATCH_type> \
      stub##_register_##device(stub, ::c10::DeviceType::device, fn);
#define REGISTER_CUDA_DISPATCH(stub, fn) REGISTER_DEVICE_DISPATCH(stub, CUDA, fn)
#define REGISTER_PRIVATEUSE1_DISPATCH(stub, fn) REGISTER_DEVICE_DISPATCH(stub, PrivateUse1, fn)

// Inside native/cpu, CPU_CAPABILITY is a macro that names the capability being compiled.
#define AT_REGISTER_CPU_EXPANDED(stub, capability, fn) REGISTER_CPU_DISPATCH(stub, capability, fn)
#if defined(CPU_CAPABILITY)
#define REGISTER_DISPATCH(stub, fn) AT_REGISTER_CPU_EXPANDED(stub, CPU_CAPABILITY, fn)
#else
#define REGISTER_DISPATCH(stub, fn) REGISTER_CPU_DISPATCH(stub, DEFAULT, fn)
#endif
#define REGISTER_ALL_CPU_DISPATCH(stub, fn) REGISTER_CPU_DISPATCH(stub, DEFAULT, fn)
#define ALSO_REGISTER_AVX512_DISPATCH(stub, fn) REGISTER_DISPATCH(stub, fn)
#define REGISTER_NO_CPU_DISPATCH(stub)

} // namespace at::native

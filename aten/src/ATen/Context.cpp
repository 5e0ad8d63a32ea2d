#include <ATen/Context.h>

#include <ATen/DeviceAccelerator.h>
#include <ATen/native/blas/BlasLibrary.h>
#include <c10/util/Exception.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace at {

Context& globalContext() {
  static Context context;
  return context;
}

bool Context::hasMKL() {
  return native::blas::is_mkl();
}

bool Context::hasLAPACK() {
  return native::blas::has_lapack();
}

bool Context::hasOpenMP() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}

bool Context::isAvailable(c10::DeviceType type) {
  const auto* hooks = detail::getAcceleratorHooksOrNull(type);
  return hooks != nullptr && hooks->isAvailable();
}

const AcceleratorHooksInterface& Context::getAcceleratorHooksInterface(
    std::optional<c10::DeviceType> type) const {
  const c10::DeviceType wanted = type ? *type : *at::getAccelerator(/*checked=*/true);
  if (const auto* hooks = detail::getAcceleratorHooksOrNull(wanted)) {
    return *hooks;
  }
  if (wanted == c10::DeviceType::CUDA) {
    return detail::getCUDAHooks(); // whose answers say that there is none
  }
  TORCH_CHECK(
      wanted != c10::DeviceType::PrivateUse1,
      "Please register PrivateUse1HooksInterface by `RegisterPrivateUse1HooksInterface` first.");
  TORCH_CHECK(false, c10::DeviceTypeName(wanted), " device type not an accelerator.");
}

void Context::lazyInitDevice(c10::DeviceType type) {
  const auto* hooks = detail::getAcceleratorHooksOrNull(type);
  if (hooks != nullptr) {
    std::call_once(initialized_[static_cast<uint8_t>(type)], [&] { hooks->init(); });
  }
}

c10::Allocator* Context::getPinnedMemoryAllocator(std::optional<c10::DeviceType> type) const {
  const auto accelerator = type ? type : at::getAccelerator();
  TORCH_CHECK(
      accelerator.has_value(),
      "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
      "available on this system.");
  return getAcceleratorHooksInterface(accelerator).getPinnedMemoryAllocator();
}

bool Context::isPinnedPtr(const void* data, std::optional<c10::DeviceType> type) const {
  const auto accelerator = type ? type : at::getAccelerator();
  return accelerator.has_value() && getAcceleratorHooksInterface(accelerator).isPinnedPtr(data);
}

const Generator& Context::defaultGenerator(Device device) const {
  globalContext().lazyInitDevice(device.type());
  return getAcceleratorHooksInterface(device.type()).getDefaultGenerator(device.index());
}

void Context::alertNotDeterministic(const char* caller) const {
  if (!deterministic_) {
    return;
  }
  if (deterministic_warn_only_) {
    TORCH_WARN(
        caller,
        " does not have a deterministic implementation, but you set "
        "'torch.use_deterministic_algorithms(True, warn_only=True)'.");
    return;
  }
  TORCH_CHECK(
      false, caller,
      " does not have a deterministic implementation, but you set "
      "'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for this "
      "operation, or you can use the 'warn_only=True' option, if that's acceptable for your "
      "application.");
}

void Context::setLinalgPreferredBackend(LinalgBackend backend) {
  TORCH_CHECK(
      backend != LinalgBackend::Cusolver || hasCuSOLVER(),
      "Cannot set preferred backend to cuSOLVER if PyTorch has not been compiled with cuSOLVER.");
  TORCH_CHECK(
      backend != LinalgBackend::Magma || hasMAGMA(),
      "Cannot set preferred backend to MAGMA if PyTorch has not been compiled with MAGMA.");
  linalg_preferred_backend_ = backend;
}

bool Context::setFlushDenormal(bool on) {
#if defined(__SSE__)
  // Bits 15 and 6 of MXCSR: flush to zero, denormals are zero.
  constexpr unsigned kFlush = 0x8040;
  const unsigned word = _mm_getcsr();
  _mm_setcsr(on ? word | kFlush : word & ~kFlush);
  return true;
#else
  return !on;
#endif
}

void manual_seed(uint64_t seed) {
  for (int i = 0; i < c10::COMPILE_TIME_MAX_DEVICE_TYPES; ++i) {
    const auto type = static_cast<c10::DeviceType>(i);
    const auto* hooks = detail::getAcceleratorHooksOrNull(type);
    if (hooks == nullptr || !hooks->isAvailable()) {
      continue;
    }
    try {
      for (DeviceIndex index = 0; index < hooks->deviceCount(); ++index) {
        const Generator& generator = globalContext().defaultGenerator(Device(type, index));
        const std::lock_guard<std::mutex> lock(generator.mutex());
        generator.set_current_seed(seed);
      }
    } catch (const c10::NotImplementedError&) { // NOLINT(bugprone-empty-catch)
      // A back end may have no generators of its own.
    }
  }
}

} // namespace at

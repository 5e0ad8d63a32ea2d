#include <ATen/Context.h>

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

const Generator& Context::defaultGenerator(Device device) const {
  TORCH_CHECK(device.is_cpu(), device, " has no default generator in this build");
  return detail::getDefaultCPUGenerator();
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
  const Generator& generator = detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

} // namespace at

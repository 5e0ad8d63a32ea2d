#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/LinalgBackend.h>
#include <ATen/core/Generator.h>
#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

#include <atomic>
#include <cstdint>

namespace at {

enum class Float32MatmulPrecision { HIGHEST, HIGH, MEDIUM };

// Process-wide settings that operators read.
class TORCH_API Context {
 public:
  static bool hasCUDA() { return false; }
  static bool hasMKL();
  static bool hasMKLDNN() { return false; }
  static bool hasLAPACK();
  static bool hasOpenMP();
  static bool hasXPU() { return false; }
  static bool hasMPS() { return false; }
  static bool hasCuSOLVER() { return false; }
  static bool hasMAGMA() { return false; }

  const Generator& defaultGenerator(Device device) const;

  bool deterministicAlgorithms() const { return deterministic_; }
  bool deterministicAlgorithmsWarnOnly() const { return deterministic_warn_only_; }
  void setDeterministicAlgorithms(bool on, bool warn_only) {
    deterministic_ = on;
    deterministic_warn_only_ = warn_only;
  }
  bool deterministicFillUninitializedMemory() const { return deterministic_fill_; }
  void setDeterministicFillUninitializedMemory(bool on) { deterministic_fill_ = on; }
  void alertNotDeterministic(const char* caller) const;

  Float32MatmulPrecision float32MatmulPrecision() const { return float32_matmul_precision_; }
  void setFloat32MatmulPrecision(Float32MatmulPrecision p) { float32_matmul_precision_ = p; }

  LinalgBackend linalgPreferredBackend() const { return linalg_preferred_backend_; }
  // Throws when the build lacks the library.
  void setLinalgPreferredBackend(LinalgBackend backend);

  // Flushes denormals to zero in this thread. Returns false if the processor does not support it.
  bool setFlushDenormal(bool on);

 private:
  std::atomic<bool> deterministic_{false};
  std::atomic<bool> deterministic_warn_only_{false};
  std::atomic<bool> deterministic_fill_{true};
  std::atomic<Float32MatmulPrecision> float32_matmul_precision_{Float32MatmulPrecision::HIGHEST};
  std::atomic<LinalgBackend> linalg_preferred_backend_{LinalgBackend::Default};
};

TORCH_API Context& globalContext();

inline bool hasCUDA() {
  return Context::hasCUDA();
}
inline bool hasMKL() {
  return Context::hasMKL();
}
inline bool hasLAPACK() {
  return Context::hasLAPACK();
}
inline bool hasOpenMP() {
  return Context::hasOpenMP();
}
TORCH_API void manual_seed(uint64_t seed);

} // namespace at

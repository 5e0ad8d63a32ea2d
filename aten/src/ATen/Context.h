#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/LinalgBackend.h>
#include <ATen/core/Generator.h>
#include <ATen/detail/AcceleratorHooksInterface.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

namespace at {

enum class Float32MatmulPrecision { HIGHEST, HIGH, MEDIUM };

// Process-wide settings that operators read.
class TORCH_API Context {
 public:
  // ---- back ends, asked through their hooks
  static bool hasCUDA() { return detail::getCUDAHooks().hasCUDA(); }
  static bool hasROCM() { return detail::getCUDAHooks().hasROCM(); }
  static bool hasCuDNN() { return detail::getCUDAHooks().hasCuDNN(); }
  static bool hasCuSOLVER() { return detail::getCUDAHooks().hasCuSOLVER(); }
  static bool hasMAGMA() { return detail::getCUDAHooks().hasMAGMA(); }
#define AT_HAS_BACKEND(type)                   \
  static bool has##type() {                    \
    return isAvailable(c10::DeviceType::type); \
  }
  AT_HAS_BACKEND(XPU)
  AT_HAS_BACKEND(MPS)
  AT_HAS_BACKEND(HPU)
  AT_HAS_BACKEND(IPU)
  AT_HAS_BACKEND(XLA)
  AT_HAS_BACKEND(MTIA)
  AT_HAS_BACKEND(MAIA)
#undef AT_HAS_BACKEND
  // Whether the device type's back end is loaded and has a device.
  static bool isAvailable(c10::DeviceType type);
  // Without a type, returns the hooks of the accelerator; raises if there is none.
  const AcceleratorHooksInterface& getAcceleratorHooksInterface(
      std::optional<c10::DeviceType> type = std::nullopt) const;
  // Initializes a device type before its first use.
  void lazyInitDevice(c10::DeviceType type);
  c10::Allocator* getPinnedMemoryAllocator(
      std::optional<c10::DeviceType> type = std::nullopt) const;
  bool isPinnedPtr(const void* data, std::optional<c10::DeviceType> type = std::nullopt) const;
  const Generator& defaultGenerator(Device device) const;

  static bool hasMKL();
  static bool hasMKLDNN() {
    return false;
  }
  static bool hasLAPACK();
  static bool hasOpenMP();

  bool deterministicAlgorithms() const {
    return deterministic_;
  }
  bool deterministicAlgorithmsWarnOnly() const {
    return deterministic_warn_only_;
  }
  void setDeterministicAlgorithms(bool on, bool warn_only) {
    deterministic_ = on;
    deterministic_warn_only_ = warn_only;
  }
  bool deterministicFillUninitializedMemory() const {
    return deterministic_fill_;
  }
  void setDeterministicFillUninitializedMemory(bool on) {
    deterministic_fill_ = on;
  }
  void alertNotDeterministic(const char* caller) const;

  Float32MatmulPrecision float32MatmulPrecision() const {
    return float32_matmul_precision_;
  }
  void setFloat32MatmulPrecision(Float32MatmulPrecision p) {
    float32_matmul_precision_ = p;
  }

  // ---- switches
#define AT_CONTEXT_SWITCH(get, set, member, initial) \
  bool get() const {                                 \
    return member;                                   \
  }                                                  \
  void set(bool on) {                                \
    member = on;                                     \
  }                                                  \
  std::atomic<bool> member{initial};
  // Whether CPU convolutions may be computed by tiles, with fewer multiplications, and products by
  // the processor's tile unit.
  AT_CONTEXT_SWITCH(userEnabledMkldnn, setUserEnabledMkldnn, mkldnn_, true)
  // The CUDA back end reads the others.
  AT_CONTEXT_SWITCH(userEnabledCuDNN, setUserEnabledCuDNN, cudnn_, true)
  AT_CONTEXT_SWITCH(benchmarkCuDNN, setBenchmarkCuDNN, cudnn_benchmark_, false)
  AT_CONTEXT_SWITCH(deterministicCuDNN, setDeterministicCuDNN, cudnn_deterministic_, false)
  AT_CONTEXT_SWITCH(allowTF32CuDNN, setAllowTF32CuDNN, cudnn_tf32_, true)
  AT_CONTEXT_SWITCH(
      allowFP16ReductionCuBLAS, setAllowFP16ReductionCuBLAS, cublas_fp16_reduction_, true)
  AT_CONTEXT_SWITCH(
      allowBF16ReductionCuBLAS, setAllowBF16ReductionCuBLAS, cublas_bf16_reduction_, true)
  AT_CONTEXT_SWITCH(
      allowFP16AccumulationCuBLAS, setAllowFP16AccumulationCuBLAS, cublas_fp16_accumulation_, false)
  AT_CONTEXT_SWITCH(userEnabledFlashSDP, setSDPUseFlash, flash_sdp_, true)
  AT_CONTEXT_SWITCH(userEnabledMemEfficientSDP, setSDPUseMemEfficient, mem_efficient_sdp_, true)
  AT_CONTEXT_SWITCH(userEnabledMathSDP, setSDPUseMath, math_sdp_, true)
  AT_CONTEXT_SWITCH(userEnabledCuDNNSDP, setSDPUseCuDNN, cudnn_sdp_, true)
  AT_CONTEXT_SWITCH(
      allowFP16BF16ReductionMathSDP, setAllowFP16BF16ReductionMathSDP, math_sdp_reduction_, false)
#undef AT_CONTEXT_SWITCH

  LinalgBackend linalgPreferredBackend() const {
    return linalg_preferred_backend_;
  }
  // Throws when the build lacks the library.
  void setLinalgPreferredBackend(LinalgBackend backend);

  // Flushes denormals to zero in this thread. Returns false if the processor does not support it.
  bool setFlushDenormal(bool on);

 private:
  std::once_flag initialized_[c10::COMPILE_TIME_MAX_DEVICE_TYPES];
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
// Seeds the default generator of every device.
TORCH_API void manual_seed(uint64_t seed);

} // namespace at

#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>
#include <iosfwd>
#include <string>

namespace c10 {

// Every device type: its enumerator, its number (PyTorch's, which files exchange) and its name. The
// types of the first list have a dispatch key of the same name. PrivateUse1 belongs to whichever
// extension takes it, and is named by it.
#define C10_FORALL_DISPATCHED_DEVICE_TYPES(_) \
  _(CPU, 0, "cpu")                            \
  _(CUDA, 1, "cuda")                          \
  _(HIP, 6, "hip")                            \
  _(FPGA, 7, "fpga")                          \
  _(MAIA, 8, "maia")                          \
  _(XLA, 9, "xla")                            \
  _(Vulkan, 10, "vulkan")                     \
  _(Metal, 11, "metal")                       \
  _(XPU, 12, "xpu")                           \
  _(MPS, 13, "mps")                           \
  _(Meta, 14, "meta")                         \
  _(HPU, 15, "hpu")                           \
  _(VE, 16, "ve")                             \
  _(Lazy, 17, "lazy")                         \
  _(IPU, 18, "ipu")                           \
  _(MTIA, 19, "mtia")                         \
  _(PrivateUse1, 20, "privateuseone")
#define C10_FORALL_DEVICE_TYPES(_)      \
  C10_FORALL_DISPATCHED_DEVICE_TYPES(_) \
  _(MKLDNN, 2, "mkldnn")                \
  _(OPENGL, 3, "opengl")                \
  _(OPENCL, 4, "opencl")                \
  _(IDEEP, 5, "ideep")

enum class DeviceType : int8_t {
#define C10_DEVICE_TYPE(type, number, name) type = number,
  C10_FORALL_DEVICE_TYPES(C10_DEVICE_TYPE)
#undef C10_DEVICE_TYPE
      COMPILE_TIME_MAX_DEVICE_TYPES = 21,
};

#define C10_DEVICE_CONSTANT(type, number, name) constexpr DeviceType k##type = DeviceType::type;
C10_FORALL_DEVICE_TYPES(C10_DEVICE_CONSTANT)
#undef C10_DEVICE_CONSTANT
constexpr int COMPILE_TIME_MAX_DEVICE_TYPES =
    static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);

// The device of new tensors when none is named.
constexpr DeviceType default_device_type = DeviceType::CPU;

C10_API std::string DeviceTypeName(DeviceType type, bool lower_case = false);
C10_API bool isValidDeviceType(DeviceType type);
C10_API std::ostream& operator<<(std::ostream& out, DeviceType type);

// The name users see for the PrivateUse1 backend ("privateuseone"; it can be renamed once).
C10_API void register_privateuse1_backend(const std::string& name);
C10_API std::string get_privateuse1_backend(bool lower_case = true);
C10_API bool is_privateuse1_backend_registered();

} // namespace c10

namespace at {
using c10::DeviceType;
#define C10_DEVICE_CONSTANT(type, number, name) using c10::k##type;
C10_FORALL_DEVICE_TYPES(C10_DEVICE_CONSTANT)
#undef C10_DEVICE_CONSTANT
} // namespace at

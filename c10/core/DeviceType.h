#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace c10 {

// The values match PyTorch's.
enum class DeviceType : int8_t {
  CPU = 0,
  CUDA = 1,
  Meta = 14,
  PrivateUse1 = 20,
  COMPILE_TIME_MAX_DEVICE_TYPES = 22,
};

constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kMeta = DeviceType::Meta;
constexpr DeviceType kPrivateUse1 = DeviceType::PrivateUse1;
constexpr int COMPILE_TIME_MAX_DEVICE_TYPES =
    static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);

C10_API std::string DeviceTypeName(DeviceType type, bool lower_case = false);
C10_API bool isValidDeviceType(DeviceType type);
C10_API std::ostream& operator<<(std::ostream& out, DeviceType type);

// The name users see for the PrivateUse1 backend ("privateuseone"; it can be renamed once).
C10_API void register_privateuse1_backend(const std::string& name);
C10_API std::string get_privateuse1_backend(bool lower_case = true);

} // namespace c10

namespace at {
using c10::DeviceType;
using c10::kCPU;
using c10::kCUDA;
using c10::kMeta;
using c10::kPrivateUse1;
} // namespace at

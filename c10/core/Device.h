#pragma once

#include <c10/core/DeviceType.h>

namespace c10 {

using DeviceIndex = int8_t;

// A device type and an index; index -1 means the current device.
struct C10_API Device final {
  using Type = DeviceType;

  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  // Parses "cpu", "cuda:1", ...; throws for anything else.
  Device(const std::string& text);
  Device(const char* text) : Device(std::string(text)) {}

  constexpr bool operator==(const Device& other) const noexcept {
    return type_ == other.type_ && index_ == other.index_;
  }
  constexpr DeviceType type() const noexcept { return type_; }
  constexpr DeviceIndex index() const noexcept { return index_; }
  constexpr bool has_index() const noexcept { return index_ != -1; }
  void set_index(DeviceIndex index) { index_ = index; }
  constexpr bool is_cpu() const noexcept { return type_ == DeviceType::CPU; }
  constexpr bool is_cuda() const noexcept { return type_ == DeviceType::CUDA; }
  constexpr bool is_meta() const noexcept { return type_ == DeviceType::Meta; }
  constexpr bool is_privateuseone() const noexcept { return type_ == DeviceType::PrivateUse1; }
  std::string str() const;

 private:
  DeviceType type_;
  DeviceIndex index_ = -1;
};

C10_API std::ostream& operator<<(std::ostream& out, const Device& device);

} // namespace c10

namespace at {
using c10::Device;
using c10::DeviceIndex;
} // namespace at

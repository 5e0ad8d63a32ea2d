#pragma once

// The memory of the device. Its addresses are a reserved range that nobody can read or write: a
// host function that follows a device pointer dies at once. The bytes themselves are mapped a
// second time, where only the device's own code looks.

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>

namespace private_device {

constexpr int kDevices = 2;

// A block on a device, and back.
void* take(size_t bytes, c10::DeviceIndex device);
void give_back(void* pointer);

// Where the device's own code finds the bytes of a device pointer.
char* bytes_of(const void* device_pointer);
bool is_device_pointer(const void* pointer);
c10::DeviceIndex device_of(const void* device_pointer);

struct Statistics {
  int64_t blocks;
  int64_t bytes;
  int64_t copies; // calls of the copy functions
};
Statistics statistics();
void count_copy();

c10::DeviceIndex current_device();
void set_current_device(c10::DeviceIndex device);

} // namespace private_device

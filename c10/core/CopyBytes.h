#pragma once

#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

#include <cstddef>

namespace c10 {

// Copies bytes between memory of two device types. A back end registers one function for each
// direction that it knows; code that does not name devices calls CopyBytes().
using CopyBytesFunction = void (*)(
    size_t bytes, const void* source, Device source_device, void* destination,
    Device destination_device);

struct C10_API _CopyBytesFunctionRegisterer {
  _CopyBytesFunctionRegisterer(
      DeviceType from, DeviceType to, CopyBytesFunction synchronous,
      CopyBytesFunction asynchronous = nullptr);
};

#define REGISTER_COPY_BYTES_FUNCTION(from, to, ...)                                         \
  static ::c10::_CopyBytesFunctionRegisterer C10_ANONYMOUS_VARIABLE(g_copy_bytes_function)( \
      from, to, __VA_ARGS__);

C10_API bool hasCopyBytesFunction(DeviceType from, DeviceType to);

// Raises when no function is registered for the pair. An asynchronous copy may return before it is
// done; what it then has to be ordered with is the current stream of the device that is not the
// host.
C10_API void CopyBytes(
    size_t bytes, const void* source, Device source_device, void* destination,
    Device destination_device, bool async);

} // namespace c10

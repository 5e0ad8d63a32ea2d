#pragma once
// The arguments of torch._C's functions on CUDA devices.
#include <torch/csrc/python_headers.h>

#include <c10/core/Device.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <cstdint>
#include <string>

namespace torch::cuda {

inline c10::DeviceIndex unpack_index(PyObject* object, const char* function) {
  if (!is_int(object)) throw_python(PyExc_TypeError, "invalid argument to %s", function);
  return static_cast<c10::DeviceIndex>(unpack_long(object));
}

// An index in [0, device_count).
c10::DeviceIndex unpack_existing_device(PyObject* object, const char* function);

inline void set_item(PyObject* dict, const char* name, PyObject* value) {
  const THPObjectPtr owned(checked(value));
  checked(PyDict_SetItemString(dict, name, owned.get()));
}
inline void set_item(PyObject* dict, const char* name, int64_t value) {
  set_item(dict, name, PyLong_FromLongLong(value));
}

} // namespace torch::cuda

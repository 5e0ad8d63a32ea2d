#pragma once
// torch.device
#include <torch/csrc/python_headers.h>

#include <c10/core/Device.h>

#include <optional>

struct THPDevice {
  PyObject_HEAD c10::Device device;
};

extern PyTypeObject THPDeviceType;
bool THPDevice_init(PyObject* module);
inline bool THPDevice_Check(PyObject* object) {
  return Py_TYPE(object) == &THPDeviceType;
}
PyObject* THPDevice_New(c10::Device device);

namespace torch {
// Parses torch.device, "cuda:1" or the index of an accelerator.
c10::Device unpack_device(PyObject* object);

// The device on which this thread's factory functions create tensors by default: set permanently,
// or for the duration of a `with device:` block.
std::optional<c10::Device> default_device();
extern PyMethodDef default_device_methods[];
} // namespace torch

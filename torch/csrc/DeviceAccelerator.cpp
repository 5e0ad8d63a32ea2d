#include <torch/csrc/DeviceAccelerator.h>

#include <ATen/DeviceAccelerator.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Stream.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/dlpack.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/python_numbers.h>

namespace torch {

namespace {

c10::DeviceIndex unpack_index(PyObject* object) {
  return static_cast<c10::DeviceIndex>(unpack_long(object));
}

PyObject* get_accelerator(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  const auto type = at::accelerator::getAccelerator();
  if (!type) Py_RETURN_NONE;
  return THPDevice_New(c10::Device(*type));
  END_HANDLE_TH_ERRORS
}

PyObject* device_count(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromLong(at::accelerator::deviceCount());
  END_HANDLE_TH_ERRORS
}

PyObject* get_device_index(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromLong(at::accelerator::getDeviceIndex());
  END_HANDLE_TH_ERRORS
}

PyObject* set_device_index(PyObject*, PyObject* index) {
  HANDLE_TH_ERRORS
  at::accelerator::setDeviceIndex(unpack_index(index));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_stream(PyObject*, PyObject* index) {
  HANDLE_TH_ERRORS
  return THPStream_Wrap(at::accelerator::getCurrentStream(unpack_index(index)));
  END_HANDLE_TH_ERRORS
}

PyObject* set_stream(PyObject*, PyObject* stream) {
  HANDLE_TH_ERRORS
  if (!PyType_IsSubtype(Py_TYPE(stream), &THPStreamType)) {
    throw_python(PyExc_TypeError, "expected a torch.Stream, but got %s", Py_TYPE(stream)->tp_name);
  }
  at::accelerator::setCurrentStream(reinterpret_cast<THPStream*>(stream)->stream);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* synchronize_device(PyObject*, PyObject* index) {
  HANDLE_TH_ERRORS
  const c10::DeviceIndex device = unpack_index(index);
  {
    const WithoutGil without_gil;
    at::accelerator::synchronizeDevice(device);
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* rename_privateuse1_backend(PyObject*, PyObject* name) {
  HANDLE_TH_ERRORS
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (!text) {
    throw_python(
        PyExc_TypeError, "_rename_privateuse1_backend expects a str, but got %s",
        Py_TYPE(name)->tp_name);
  }
  c10::register_privateuse1_backend(text);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_privateuse1_backend_name(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(c10::get_privateuse1_backend().c_str());
  END_HANDLE_TH_ERRORS
}

// (device type, index) as DLPack counts them.
PyObject* dlpack_device(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(tensor)) {
    throw_python(PyExc_TypeError, "expected a Tensor, but got %s", Py_TYPE(tensor)->tp_name);
  }
  const DLDevice device = dl_device(THPVariable_Unpack(tensor).device());
  return Py_BuildValue(
      "(ii)", static_cast<int>(device.device_type), static_cast<int>(device.device_id));
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef accelerator_methods[] = {
    {"_get_accelerator", get_accelerator, METH_NOARGS, nullptr},
    {"_accelerator_deviceCount", device_count, METH_NOARGS, nullptr},
    {"_accelerator_getDeviceIndex", get_device_index, METH_NOARGS, nullptr},
    {"_accelerator_setDeviceIndex", set_device_index, METH_O, nullptr},
    {"_accelerator_getStream", get_stream, METH_O, nullptr},
    {"_accelerator_setStream", set_stream, METH_O, nullptr},
    {"_accelerator_synchronizeDevice", synchronize_device, METH_O, nullptr},
    {"_rename_privateuse1_backend", rename_privateuse1_backend, METH_O, nullptr},
    {"_get_privateuse1_backend_name", get_privateuse1_backend_name, METH_NOARGS, nullptr},
    {"_dlpack_device", dlpack_device, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch

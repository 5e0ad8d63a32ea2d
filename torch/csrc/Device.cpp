#include <torch/csrc/Device.h>

#include <ATen/DeviceAccelerator.h>
#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <vector>

namespace {

PyObject* cpu_device = nullptr; // the device of nearly every tensor
PyObject* meta_device = nullptr;

const c10::Device& unpack(PyObject* self) {
  return reinterpret_cast<THPDevice*>(self)->device;
}

PyObject* make(c10::Device device) {
  THPDevice* self = PyObject_New(THPDevice, &THPDeviceType);
  if (self) new (&self->device) c10::Device(device);
  return reinterpret_cast<PyObject*>(self);
}

PyObject* new_device(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"type", "index", nullptr};
  PyObject *type = nullptr, *index = nullptr;
  if (kwargs && PyDict_GetItemString(kwargs, "device")) names[0] = "device";
  const bool parsed = PyArg_ParseTupleAndKeywords(
      args, kwargs, "O|O:device", const_cast<char**>(names), &type, &index);
  names[0] = "type";
  if (!parsed) return nullptr;
  c10::Device device = torch::unpack_device(type);
  if (index && index != Py_None) {
    if (!torch::is_int(index)) {
      torch::throw_python(
          PyExc_TypeError, "device(): argument 'index' (position 2) must be int, not %s",
          Py_TYPE(index)->tp_name);
    }
    if (device.has_index()) {
      torch::throw_python(
          PyExc_RuntimeError,
          "type (string) must not include an index because index was passed "
          "explicitly: %S",
          type);
    }
    const int64_t number = torch::unpack_long(index);
    TORCH_CHECK(number >= 0, "Device index must not be negative");
    device = c10::Device(device.type(), static_cast<c10::DeviceIndex>(number));
  }
  return THPDevice_New(device);
  END_HANDLE_TH_ERRORS
}

PyObject* repr(PyObject* self) {
  HANDLE_TH_ERRORS
  const c10::Device& device = unpack(self);
  const std::string type = c10::DeviceTypeName(device.type(), true);
  if (!device.has_index()) return PyUnicode_FromFormat("device(type='%s')", type.c_str());
  return PyUnicode_FromFormat("device(type='%s', index=%d)", type.c_str(), device.index());
  END_HANDLE_TH_ERRORS
}

PyObject* str(PyObject* self) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(unpack(self).str().c_str());
  END_HANDLE_TH_ERRORS
}

Py_hash_t hash(PyObject* self) {
  const c10::Device& device = unpack(self);
  return static_cast<Py_hash_t>(device.type()) * 1031 + device.index() + 3;
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (!THPDevice_Check(other) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((unpack(self) == unpack(other)) == (op == Py_EQ));
}

PyObject* get_type(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(c10::DeviceTypeName(unpack(self).type(), true).c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* get_index(PyObject* self, void*) {
  if (!unpack(self).has_index()) Py_RETURN_NONE;
  return PyLong_FromLong(unpack(self).index());
}

// ---- the default device

thread_local std::optional<c10::Device> current_default;
thread_local std::vector<std::optional<c10::Device>> outer_defaults;

PyObject* enter(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  outer_defaults.push_back(current_default);
  current_default = unpack(self);
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* exit(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(!outer_defaults.empty(), "device.__exit__() without __enter__() in this thread");
  current_default = outer_defaults.back();
  outer_defaults.pop_back();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* set_default_device(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  current_default = device == Py_None ? std::nullopt : std::optional(torch::unpack_device(device));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_default_device(PyObject*, PyObject*) {
  return THPDevice_New(current_default.value_or(c10::Device(c10::default_device_type)));
}

PyObject* reduce(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return Py_BuildValue("(O(s))", &THPDeviceType, unpack(self).str().c_str());
  END_HANDLE_TH_ERRORS
}

PyGetSetDef properties[] = {
    {"type", get_type, nullptr, "Return the kind of the device, such as 'cpu' or 'cuda'.", nullptr},
    {"index", get_index, nullptr,
     "Return the number of the device, or None for the current one of its kind.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", exit, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyTypeObject THPDeviceType = torch::static_type("torch.device", sizeof(THPDevice));

bool THPDevice_init(PyObject* module) {
  THPDeviceType.tp_doc =
      "device(type, index=None)\n"
      "\n"
      "A place for tensors: the CPU, or a device by kind and number.\n"
      "\n"
      "As a context manager it is the default device of new tensors.\n"
      "\n"
      "Example:\n"
      "    >>> torch.device(\"cuda:1\").index\n"
      "    1\n"
      "    >>> with torch.device(\"meta\"):\n"
      "    ...     torch.zeros(2).is_meta\n"
      "    True";
  THPDeviceType.tp_new = new_device;
  THPDeviceType.tp_repr = repr;
  THPDeviceType.tp_str = str;
  THPDeviceType.tp_hash = hash;
  THPDeviceType.tp_richcompare = compare;
  THPDeviceType.tp_getset = properties;
  THPDeviceType.tp_methods = methods;
  if (PyType_Ready(&THPDeviceType) < 0) return false;
  cpu_device = make(c10::Device(c10::kCPU));
  meta_device = make(c10::Device(c10::kMeta));
  return cpu_device && meta_device &&
      PyModule_AddObjectRef(module, "device", reinterpret_cast<PyObject*>(&THPDeviceType)) == 0;
}

PyObject* THPDevice_New(c10::Device device) {
  if (device == c10::Device(c10::kCPU)) return Py_NewRef(cpu_device);
  if (device == c10::Device(c10::kMeta)) return Py_NewRef(meta_device);
  return make(device);
}

namespace torch {

PyMethodDef default_device_methods[] = {
    {"_set_default_device", set_default_device, METH_O, nullptr},
    {"_get_default_device", get_default_device, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

std::optional<c10::Device> default_device() {
  return current_default;
}

c10::Device unpack_device(PyObject* object) {
  if (THPDevice_Check(object)) return unpack(object);
  if (PyUnicode_Check(object)) {
    const char* text = PyUnicode_AsUTF8(object);
    if (!text) throw_python_error();
    return c10::Device(std::string(text));
  }
  if (!is_int(object)) {
    throw_python(
        PyExc_TypeError, "device(): argument 'type' (position 1) must be str, not %s",
        Py_TYPE(object)->tp_name);
  }
  // A bare index means the accelerator.
  const int64_t index = unpack_long(object);
  TORCH_CHECK(index >= 0, "Device index must not be negative");
  return {*at::getAccelerator(/*checked=*/true), static_cast<c10::DeviceIndex>(index)};
}

} // namespace torch

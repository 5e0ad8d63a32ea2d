#include <torch/csrc/Autocast.h>

#include <ATen/autocast_mode.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>

#include <string>

namespace torch {

namespace {

#define ARGUMENTS PyObject *, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

constexpr Parameter kDeviceType = {"device_type", ParameterType::String, kRequired, 0};

c10::DeviceType device_type(const PythonArgs& r, int i) {
  return c10::Device(std::string(r.string(i))).type();
}

bool unpack_enabled(PyObject* object) {
  if (!PyBool_Check(object))
    throw_python(PyExc_TypeError, "enabled must be a bool (got %s)", Py_TYPE(object)->tp_name);
  return object == Py_True;
}

// ---- on and off

PyObject* is_autocast_enabled(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {kDeviceType};
  static constexpr Signature signatures[] = {
      {"()", parameters, 0, 0, false}, {"(str device_type)", parameters, 1, 1, false}};
  static constexpr PythonArgParser parser("is_autocast_enabled", signatures, 2, kPlain);
  ParsedArgs<1> r;
  const int chosen = parser.parse(r, nullptr, args, nargs, kwnames);
  const c10::DeviceType type = chosen == 0 ? c10::DeviceType::CUDA : device_type(r, 0);
  return PyBool_FromLong(at::autocast::is_autocast_enabled(type));
  END_HANDLE_TH_ERRORS
}

PyObject* set_autocast_enabled(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter enabled[] = {{"enabled", ParameterType::Bool, kRequired, 0}};
  static constexpr Parameter parameters[] = {
      kDeviceType, {"enabled", ParameterType::Bool, kRequired, 0}};
  static constexpr Signature signatures[] = {
      {"(bool enabled)", enabled, 1, 1, false},
      {"(str device_type, bool enabled)", parameters, 2, 2, false}};
  static constexpr PythonArgParser parser("set_autocast_enabled", signatures, 2, kPlain);
  ParsedArgs<2> r;
  if (parser.parse(r, nullptr, args, nargs, kwnames) == 0)
    at::autocast::set_autocast_enabled(c10::DeviceType::CUDA, r.boolean(0));
  else
    at::autocast::set_autocast_enabled(device_type(r, 0), r.boolean(1));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* is_any_autocast_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(at::autocast::is_any_autocast_enabled());
}

PyObject* is_autocast_available(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {kDeviceType};
  static constexpr Signature signatures[] = {{"(str device_type)", parameters, 1, 1, false}};
  static constexpr PythonArgParser parser("_is_autocast_available", signatures, 1, kPlain);
  ParsedArgs<1> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  return PyBool_FromLong(at::autocast::is_autocast_available(device_type(r, 0)));
  END_HANDLE_TH_ERRORS
}

PyObject* supported_devices(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  THPObjectPtr names(checked(PyList_New(0)));
  for (const c10::DeviceType type : at::autocast::supported_device_types) {
    const std::string name = c10::DeviceTypeName(type, /*lower_case=*/true);
    const THPObjectPtr text(checked(PyUnicode_FromString(name.c_str())));
    if (PyList_Append(names.get(), text.get()) < 0) throw_python_error();
  }
  return names.release();
  END_HANDLE_TH_ERRORS
}

// ---- the lower precision

PyObject* get_autocast_dtype(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {kDeviceType};
  static constexpr Signature signatures[] = {{"(str device_type)", parameters, 1, 1, false}};
  static constexpr PythonArgParser parser("get_autocast_dtype", signatures, 1, kPlain);
  ParsedArgs<1> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  return Py_NewRef(THPDtype_Get(at::autocast::get_autocast_dtype(device_type(r, 0))));
  END_HANDLE_TH_ERRORS
}

PyObject* set_autocast_dtype(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      kDeviceType, {"dtype", ParameterType::ScalarType, kRequired, 0}};
  static constexpr Signature signatures[] = {
      {"(str device_type, torch.dtype dtype)", parameters, 2, 2, false}};
  static constexpr PythonArgParser parser("set_autocast_dtype", signatures, 1, kPlain);
  ParsedArgs<2> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  at::autocast::set_autocast_dtype(device_type(r, 0), r.dtype(1));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// ---- regions and their cache

PyObject* increment_nesting(PyObject*, PyObject*) {
  return PyLong_FromLong(at::autocast::increment_nesting());
}
PyObject* decrement_nesting(PyObject*, PyObject*) {
  return PyLong_FromLong(at::autocast::decrement_nesting());
}
PyObject* clear_cache(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  at::autocast::clear_cache();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* is_cache_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(at::autocast::is_autocast_cache_enabled());
}
PyObject* set_cache_enabled(PyObject*, PyObject* enabled) {
  HANDLE_TH_ERRORS
  at::autocast::set_autocast_cache_enabled(unpack_enabled(enabled));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef autocast_methods[] = {
    {"is_autocast_enabled", method(is_autocast_enabled), METH_FASTCALL | METH_KEYWORDS,
     "is_autocast_enabled(device_type='cuda') -> bool\n"
     "\n"
     "Return whether this thread is in a region of torch.autocast for a device type.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If autocast does not exist for the device type.\n"
     "\n"
     "Example:\n"
     "    >>> with torch.autocast('cpu'):\n"
     "    ...     torch.is_autocast_enabled('cpu')\n"
     "    True"},
    {"set_autocast_enabled", method(set_autocast_enabled), METH_FASTCALL | METH_KEYWORDS,
     "set_autocast_enabled(device_type, enabled) -> None\n"
     "\n"
     "Turn autocast on or off for a device type in this thread; torch.autocast also restores it.\n"
     "\n"
     "Example:\n"
     "    >>> torch.set_autocast_enabled('cpu', False)"},
    {"_is_any_autocast_enabled", is_any_autocast_enabled, METH_NOARGS, nullptr},
    {"_is_autocast_available", method(is_autocast_available), METH_FASTCALL | METH_KEYWORDS,
     nullptr},
    {"_autocast_supported_devices", supported_devices, METH_NOARGS, nullptr},
    {"get_autocast_dtype", method(get_autocast_dtype), METH_FASTCALL | METH_KEYWORDS,
     "get_autocast_dtype(device_type) -> torch.dtype\n"
     "\n"
     "Return the dtype that autocast casts to on a device type in this thread.\n"
     "\n"
     "Example:\n"
     "    >>> torch.get_autocast_dtype('cpu')\n"
     "    torch.bfloat16"},
    {"set_autocast_dtype", method(set_autocast_dtype), METH_FASTCALL | METH_KEYWORDS,
     "set_autocast_dtype(device_type, dtype) -> None\n"
     "\n"
     "Set the dtype that autocast casts to on a device type in this thread.\n"
     "\n"
     "Example:\n"
     "    >>> torch.set_autocast_dtype('cpu', torch.bfloat16)"},
    {"autocast_increment_nesting", increment_nesting, METH_NOARGS,
     "autocast_increment_nesting() -> int\n"
     "\n"
     "Enter a region of autocast, and return the number of regions that this thread is in.\n"
     "\n"
     "Example:\n"
     "    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()\n"
     "    (1, 0)"},
    {"autocast_decrement_nesting", decrement_nesting, METH_NOARGS,
     "autocast_decrement_nesting() -> int\n"
     "\n"
     "Leave a region of autocast, and return the number of regions that this thread is in.\n"
     "\n"
     "Example:\n"
     "    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()\n"
     "    (1, 0)"},
    {"clear_autocast_cache", clear_cache, METH_NOARGS,
     "clear_autocast_cache() -> None\n"
     "\n"
     "Drop the casts of weights that autocast keeps until the outermost region ends.\n"
     "\n"
     "Example:\n"
     "    >>> torch.clear_autocast_cache()"},
    {"is_autocast_cache_enabled", is_cache_enabled, METH_NOARGS,
     "is_autocast_cache_enabled() -> bool\n"
     "\n"
     "Return whether autocast keeps its casts of weights within a region.\n"
     "\n"
     "Example:\n"
     "    >>> torch.is_autocast_cache_enabled()\n"
     "    True"},
    {"set_autocast_cache_enabled", set_cache_enabled, METH_O,
     "set_autocast_cache_enabled(enabled) -> None\n"
     "\n"
     "Set whether autocast keeps its casts of weights within a region.\n"
     "\n"
     "Example:\n"
     "    >>> torch.set_autocast_cache_enabled(True)"},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch

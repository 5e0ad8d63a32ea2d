#include <torch/csrc/utils/torch_function.h>

#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch {
namespace {

thread_local bool enabled = true;
PyObject* protocol_name = nullptr;
PyObject* disabled_implementation = nullptr;

PyObject* disabled_torch_function(PyObject*, PyObject* args) {
  PyObject *function = nullptr, *types = nullptr, *call_args = nullptr, *kwargs = nullptr;
  if (!PyArg_UnpackTuple(
          args, "_disabled_torch_function_impl", 2, 4, &function, &types, &call_args, &kwargs)) {
    return nullptr;
  }
  const bool before = enabled;
  enabled = false;
  const THPObjectPtr none(call_args ? nullptr : PyTuple_New(0));
  PyObject* result = PyObject_Call(
      function, call_args ? call_args : none.get(), kwargs == Py_None ? nullptr : kwargs);
  enabled = before;
  return result;
}

PyObject* set_enabled(PyObject*, PyObject* value) {
  const bool before = enabled;
  enabled = value == Py_True;
  return PyBool_FromLong(before);
}

PyObject* is_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(enabled);
}

PyObject* has_torch_function_python(PyObject*, PyObject* args) {
  const THPObjectPtr items(PySequence_Fast(args, "expected a sequence"));
  if (!items) return nullptr;
  for (Py_ssize_t i = 0; enabled && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    if (has_torch_function(PySequence_Fast_GET_ITEM(items.get(), i))) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}

PyMethodDef disabled_def = {
    "_disabled_torch_function_impl", disabled_torch_function, METH_VARARGS, nullptr};

// Adds the object unless its type is already present; a subclass goes before its base.
void add_overloaded(PyObject* overloaded, PyObject* object) {
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(object, i);
      if (!PyTuple_CheckExact(item) && !PyList_CheckExact(item)) add_overloaded(overloaded, item);
    }
    return;
  }
  if (!has_torch_function(object)) return;
  Py_ssize_t position = PyList_GET_SIZE(overloaded);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(overloaded); ++i) {
    PyTypeObject* seen = Py_TYPE(PyList_GET_ITEM(overloaded, i));
    if (seen == Py_TYPE(object)) return;
    if (position == PyList_GET_SIZE(overloaded) && PyType_IsSubtype(Py_TYPE(object), seen))
      position = i;
  }
  checked(PyList_Insert(overloaded, position, object));
}

PyObject* types_of(PyObject* overloaded) {
  PyObject* types = checked(PyTuple_New(PyList_GET_SIZE(overloaded)));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(overloaded); ++i) {
    PyTuple_SET_ITEM(types, i, Py_NewRef(Py_TYPE(PyList_GET_ITEM(overloaded, i))));
  }
  return types;
}

} // namespace

PyMethodDef torch_function_methods[] = {
    {"_set_torch_function_enabled", set_enabled, METH_O, nullptr},
    {"_is_torch_function_enabled", is_enabled, METH_NOARGS, nullptr},
    {"_has_torch_function", has_torch_function_python, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

bool init_torch_function(PyObject* module) {
  protocol_name = PyUnicode_InternFromString("__torch_function__");
  disabled_implementation = PyCFunction_New(&disabled_def, nullptr);
  return protocol_name && disabled_implementation &&
      PyModule_AddObjectRef(module, disabled_def.ml_name, disabled_implementation) == 0;
}

bool torch_function_enabled() {
  return enabled;
}

bool has_torch_function(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == THPVariableClass || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
      PyUnicode_CheckExact(object) || PyBool_Check(object) || object == Py_None) {
    return false;
  }
  PyObject* found = _PyType_Lookup(type, protocol_name);
  return found && found != disabled_implementation;
}

PyObject* public_function(const char* name, bool method, bool nn) {
  if (method)
    return checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(THPVariableClass), name));
  const THPObjectPtr module(checked(PyImport_ImportModule("torch._C")));
  const THPObjectPtr functions(
      checked(PyObject_GetAttrString(module.get(), nn ? "_nn" : "_VariableFunctions")));
  return checked(PyObject_GetAttrString(functions.get(), name));
}

PyObject* call_torch_function(
    PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
    PyObject* kwnames) {
  const THPObjectPtr owned(function);
  const THPObjectPtr overloaded(checked(PyList_New(0)));
  const Py_ssize_t offset = self ? 1 : 0;
  const THPObjectPtr call_args(checked(PyTuple_New(nargs + offset)));
  if (self) {
    add_overloaded(overloaded.get(), self);
    PyTuple_SET_ITEM(call_args.get(), 0, Py_NewRef(self));
  }
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    add_overloaded(overloaded.get(), args[i]);
    PyTuple_SET_ITEM(call_args.get(), i + offset, Py_NewRef(args[i]));
  }
  const THPObjectPtr kwargs(checked(PyDict_New()));
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    add_overloaded(overloaded.get(), args[nargs + k]);
    checked(PyDict_SetItem(kwargs.get(), PyTuple_GET_ITEM(kwnames, k), args[nargs + k]));
  }
  const THPObjectPtr types(types_of(overloaded.get()));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(overloaded.get()); ++i) {
    const THPObjectPtr handler(
        checked(PyObject_GetAttr(PyList_GET_ITEM(overloaded.get(), i), protocol_name)));
    PyObject* result = checked(PyObject_CallFunctionObjArgs(
        handler.get(), function, types.get(), call_args.get(), kwargs.get(), nullptr));
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  throw_python(
      PyExc_TypeError,
      "no implementation found for '%R' on types that implement __torch_function__: %R", function,
      types.get());
}

PyObject* property_override(PyObject* self, const char* name) {
  if (!enabled || !has_torch_function(self)) return nullptr;
  const THPObjectPtr descriptor(public_function(name, /*method=*/true, /*nn=*/false));
  PyObject* get = checked(PyObject_GetAttrString(descriptor.get(), "__get__"));
  return call_torch_function(get, self, nullptr, 0, nullptr);
}

} // namespace torch

#include <torch/csrc/utils/torch_function.h>

#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/mode_stack.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch {
namespace {

thread_local bool enabled = true; // for subclasses
thread_local bool modes_enabled = true;
PyObject* protocol_name = nullptr;
PyObject* disabled_implementation = nullptr;

PyObject* call_disabled_torch_function(PyObject*, PyObject* args) {
  PyObject *function = nullptr, *types = nullptr, *call_args = nullptr, *kwargs = nullptr;
  if (!PyArg_UnpackTuple(
          args, "_disabled_torch_function_impl", 2, 4, &function, &types, &call_args, &kwargs)) {
    return nullptr;
  }
  const bool before = enabled;
  enabled = false;
  PyObject* result = call_with(function, call_args, kwargs);
  enabled = before;
  return result;
}

template <bool* flag()>
PyObject* set_flag(PyObject*, PyObject* value) {
  const bool before = std::exchange(*flag(), value == Py_True);
  return PyBool_FromLong(before);
}
bool* subclass_flag() {
  return &enabled;
}
bool* mode_flag() {
  return &modes_enabled;
}

// ---- modes

// Fast paths are open while no thread has a mode. The GIL protects the count.
void count_modes(int change) {
  static int total = 0;
  total += change;
  THPVariablePlainClass = total ? nullptr : THPVariableClass;
}

using Modes = ModeStack<count_modes>;

PyObject* is_mode_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(torch_function_mode_enabled());
}

PyObject* is_all_disabled(PyObject*, PyObject*) {
  return PyBool_FromLong(!enabled && !modes_enabled);
}

PyObject* is_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(enabled);
}

PyObject* has_torch_function_unary(PyObject*, PyObject* argument) {
  return PyBool_FromLong(overrides_calls(argument));
}

PyObject* has_torch_function_variadic(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (torch_function_mode_enabled()) Py_RETURN_TRUE;
  for (Py_ssize_t i = 0; enabled && i < nargs; ++i) {
    if (has_torch_function(args[i])) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}

PyObject* has_torch_function_python(PyObject*, PyObject* args) {
  if (torch_function_mode_enabled()) Py_RETURN_TRUE;
  const THPObjectPtr items(PySequence_Fast(args, "expected a sequence"));
  if (!items) return nullptr;
  for (Py_ssize_t i = 0; enabled && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    if (has_torch_function(PySequence_Fast_GET_ITEM(items.get(), i))) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}

PyMethodDef disabled_def = {
    "_disabled_torch_function_impl", call_disabled_torch_function, METH_VARARGS, nullptr};

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

// Asks the innermost mode, then each overloaded argument. `describe` is the function that writes
// the message if all of them decline.
PyObject* dispatch(
    PyObject* function, PyObject* overloaded, PyObject* args, PyObject* kwargs,
    const char* describe) {
  const THPObjectPtr types(types_of(overloaded));
  if (torch_function_mode_enabled()) {
    const Modes::Innermost mode;
    PyObject* result = checked(PyObject_CallMethodObjArgs(
        mode.get(), protocol_name, function, types.get(), args, kwargs, nullptr));
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(overloaded); ++i) {
    const THPObjectPtr handler(
        checked(PyObject_GetAttr(PyList_GET_ITEM(overloaded, i), protocol_name)));
    PyObject* result = checked(
        PyObject_CallFunctionObjArgs(handler.get(), function, types.get(), args, kwargs, nullptr));
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  throw_declined(describe, function, types.get());
}

// _call_torch_function(public_api, relevant_args, args, kwargs)
PyObject* call_from_python(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  HANDLE_TH_ERRORS
  if (nargs != 4) throw_python(PyExc_TypeError, "_call_torch_function takes 4 arguments");
  const THPObjectPtr relevant(checked(PySequence_Tuple(args[1])));
  const THPObjectPtr overloaded(checked(PyList_New(0)));
  for (Py_ssize_t i = 0; enabled && i < PyTuple_GET_SIZE(relevant.get()); ++i)
    add_overloaded(overloaded.get(), PyTuple_GET_ITEM(relevant.get(), i));
  return dispatch(
      args[0], overloaded.get(), args[2], args[3], "_describe_declined_python_function");
  END_HANDLE_TH_ERRORS
}

// _overloaded_args(relevant_args): the arguments whose types override calls, in calling order.
PyObject* overloaded_args(PyObject*, PyObject* relevant) {
  HANDLE_TH_ERRORS
  const THPObjectPtr arguments(checked(PySequence_Tuple(relevant)));
  THPObjectPtr overloaded(checked(PyList_New(0)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments.get()); ++i)
    add_overloaded(overloaded.get(), PyTuple_GET_ITEM(arguments.get(), i));
  return overloaded.release();
  END_HANDLE_TH_ERRORS
}

PyCFunction fastcall(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

} // namespace

PyMethodDef torch_function_methods[] = {
    {"_set_torch_function_enabled", set_flag<subclass_flag>, METH_O, nullptr},
    {"_set_torch_function_modes_enabled", set_flag<mode_flag>, METH_O, nullptr},
    {"_is_torch_function_enabled", is_enabled, METH_NOARGS, nullptr},
    {"_is_torch_function_mode_enabled", is_mode_enabled, METH_NOARGS, nullptr},
    {"_is_torch_function_all_disabled", is_all_disabled, METH_NOARGS, nullptr},
    {"_has_torch_function", has_torch_function_python, METH_O, nullptr},
    {"_has_torch_function_unary", has_torch_function_unary, METH_O, nullptr},
    {"_has_torch_function_variadic", fastcall(has_torch_function_variadic), METH_FASTCALL, nullptr},
    {"_call_torch_function", fastcall(call_from_python), METH_FASTCALL, nullptr},
    {"_overloaded_args", overloaded_args, METH_O, nullptr},
    {"_push_on_torch_function_stack", Modes::push, METH_O, nullptr},
    {"_pop_torch_function_stack", Modes::pop, METH_NOARGS, nullptr},
    {"_get_function_stack_at", Modes::at, METH_O, nullptr},
    {"_len_torch_function_stack", Modes::count, METH_NOARGS, nullptr},
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

bool torch_function_mode_enabled() {
  return !THPVariablePlainClass && modes_enabled && Modes::size() > 0;
}

bool overrides_calls(PyObject* object) {
  return (enabled && has_torch_function(object)) || torch_function_mode_enabled();
}

PyObject* call_with(PyObject* function, PyObject* args, PyObject* kwargs) {
  const THPObjectPtr tuple(args ? PySequence_Tuple(args) : PyTuple_New(0));
  if (!tuple) return nullptr;
  if (kwargs == Py_None) kwargs = nullptr;
  if (kwargs && !PyDict_Check(kwargs)) {
    return PyErr_Format(PyExc_TypeError, "kwargs must be a dict, not %s", Py_TYPE(kwargs)->tp_name);
  }
  return PyObject_Call(function, tuple.get(), kwargs);
}

PyObject* disabled_torch_function() {
  return disabled_implementation;
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
  for (const char* table : {nn ? "_nn" : "_VariableFunctions", "_linalg", "_special", "_fft"}) {
    const THPObjectPtr functions(PyObject_GetAttrString(module.get(), table));
    PyObject* found = functions ? PyObject_GetAttrString(functions.get(), name) : nullptr;
    if (found) return found;
    PyErr_Clear();
  }
  auto* const tensor = reinterpret_cast<PyObject*>(THPVariableClass); // its static methods
  if (PyObject* found = PyObject_GetAttrString(tensor, name)) return found;
  PyErr_Clear();
  throw_python(PyExc_AttributeError, "torch has no function %s", name);
}

PyObject* call_torch_function(
    PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
    PyObject* kwnames) {
  const THPObjectPtr owned(function);
  const THPObjectPtr overloaded(checked(PyList_New(0)));
  const Py_ssize_t offset = self ? 1 : 0;
  const THPObjectPtr call_args(checked(PyTuple_New(nargs + offset)));
  const auto add = [&](PyObject* object) {
    if (enabled) add_overloaded(overloaded.get(), object);
  };
  if (self) {
    add(self);
    PyTuple_SET_ITEM(call_args.get(), 0, Py_NewRef(self));
  }
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    add(args[i]);
    PyTuple_SET_ITEM(call_args.get(), i + offset, Py_NewRef(args[i]));
  }
  const bool named = kwnames && PyTuple_GET_SIZE(kwnames) > 0;
  const THPObjectPtr kwargs(named ? checked(PyDict_New()) : Py_NewRef(Py_None));
  for (Py_ssize_t k = 0; named && k < PyTuple_GET_SIZE(kwnames); ++k) {
    add(args[nargs + k]);
    checked(PyDict_SetItem(kwargs.get(), PyTuple_GET_ITEM(kwnames, k), args[nargs + k]));
  }
  return dispatch(
      function, overloaded.get(), call_args.get(), kwargs.get(), "_describe_declined_function");
}

void throw_declined(const char* describe, PyObject* function, PyObject* types) {
  const THPObjectPtr module(checked(PyImport_ImportModule("torch._torch_function")));
  const THPObjectPtr message(
      checked(PyObject_CallMethod(module.get(), describe, "OO", function, types)));
  throw_python(PyExc_TypeError, "%U", message.get());
}

PyObject* property_override(PyObject* self, const char* name) {
  if (!overrides_calls(self)) return nullptr;
  const THPObjectPtr descriptor(public_function(name, /*method=*/true, /*nn=*/false));
  PyObject* get = checked(PyObject_GetAttrString(descriptor.get(), "__get__"));
  return call_torch_function(get, self, nullptr, 0, nullptr);
}

bool setter_override(PyObject* self, const char* name, PyObject* value) {
  if (!overrides_calls(self)) return false;
  const THPObjectPtr descriptor(public_function(name, /*method=*/true, /*nn=*/false));
  PyObject* set =
      checked(PyObject_GetAttrString(descriptor.get(), value ? "__set__" : "__delete__"));
  const THPObjectPtr result(call_torch_function(set, self, &value, value ? 1 : 0, nullptr));
  return true;
}

} // namespace torch

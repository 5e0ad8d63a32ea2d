#include <torch/csrc/utils/python_dispatch.h>

#include <ATen/core/stack.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/jit/python/python_schema.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/utils/ivalue_convert.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_kernel.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/torch_function.h>
#include <torch/library.h>

#include <algorithm>
#include <string>

namespace torch {
namespace {

using c10::FunctionSchema;
using c10::IValue;

// ---- an operator overload as a callable object ------------------------------------------------

struct Operator {
  PyObject_HEAD c10::OperatorEntry* entry;
};

c10::OperatorHandle handle_of(PyObject* self) {
  return c10::OperatorHandle(*reinterpret_cast<Operator*>(self)->entry);
}

// The message for keyword arguments that are not used.
std::string unknown_keyword(const FunctionSchema& schema, PyObject* kwargs) {
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t place = 0; PyDict_Next(kwargs, &place, &key, &value);) {
    const std::string name = PyUnicode_AsUTF8(key);
    const auto& known = schema.arguments();
    if (std::none_of(known.begin(), known.end(), [&](const auto& a) { return a.name == name; })) {
      return "Unknown keyword argument '" + name + "' for operator '" + schema.name() +
          "'. Schema: " + c10::toString(schema);
    }
  }
  // A positional argument has the same name.
  Py_ssize_t place = 0;
  PyDict_Next(kwargs, &place, &key, &value);
  return "Argument '" + std::string(PyUnicode_AsUTF8(key)) +
      "' specified both as positional and keyword argument. Schema: " + c10::toString(schema);
}

std::string representation(PyObject* object) {
  const THPObjectPtr text(checked(PyObject_Repr(object)));
  return PyUnicode_AsUTF8(text.get());
}

// Pushes the arguments in the schema's order; returns false and the message if they do not fit.
bool bind(
    const FunctionSchema& schema, PyObject* args, PyObject* kwargs, jit::Stack& stack,
    std::string& message, bool numbers_as_tensors = false) {
  const Py_ssize_t given = PyTuple_GET_SIZE(args);
  Py_ssize_t used_keywords = 0, position = 0, index = -1;
  const auto refuse = [&](const std::string& reason, const char* separator) {
    message = schema.name() + "() " + reason + separator + "Declaration: " + c10::toString(schema);
    return false;
  };
  for (const c10::Argument& argument : schema.arguments()) {
    PyObject* object = nullptr;
    ++index;
    if (!argument.kwarg_only && position < given) {
      object = PyTuple_GET_ITEM(args, position++);
    } else if (kwargs) {
      object = PyDict_GetItemString(kwargs, argument.name.c_str());
      if (object) ++used_keywords;
    }
    if (!object) {
      if (!argument.default_value) {
        return refuse("is missing value for argument '" + argument.name + "'.", " ");
      }
      stack.push_back(*argument.default_value);
      continue;
    }
    auto value = to_ivalue(object, argument.type);
    if (!value && numbers_as_tensors && argument.type.kind == c10::TypeKind::Tensor &&
        is_number(object)) {
      value = IValue(wrapped_number_tensor(unpack_scalar(object)));
    }
    if (!value) {
      return refuse(
          "Expected a value of type '" + argument.type.str() + "' for argument '" + argument.name +
              "' but instead found type '" + Py_TYPE(object)->tp_name +
              "'.\nPosition: " + std::to_string(index) + "\nValue: " + representation(object),
          "\n");
    }
    stack.push_back(std::move(*value));
  }
  if (position < given) {
    return refuse(
        "expected at most " + std::to_string(position) + " argument(s) but received " +
            std::to_string(given) + " argument(s).",
        " ");
  }
  if (kwargs && used_keywords < PyDict_GET_SIZE(kwargs)) {
    message = unknown_keyword(schema, kwargs);
    return false;
  }
  return true;
}

std::string full_name(const FunctionSchema& schema) {
  return schema.name() + (schema.overload_name().empty() ? "" : "." + schema.overload_name());
}

PyObject* run(const jit::Operator& op, jit::Stack& stack) {
  PyThreadState* state = PyEval_SaveThread();
  try {
    op.call(stack);
  } catch (...) {
    PyEval_RestoreThread(state);
    throw;
  }
  PyEval_RestoreThread(state);
  return pack_results(op.schema(), stack);
}

PyObject* operator_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  const jit::Operator op(*reinterpret_cast<Operator*>(self)->entry);
  jit::Stack stack = bind_arguments(op.schema(), args, kwargs);
  return run(op, stack);
  END_HANDLE_TH_ERRORS
}

PyObject* operator_schema(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return jit::wrap_schema(handle_of(self).schema());
  END_HANDLE_TH_ERRORS
}

PyObject* has_kernel(PyObject* self, PyObject* key) {
  HANDLE_TH_ERRORS
  const char* name = PyUnicode_AsUTF8(key);
  if (!name) return nullptr;
  return PyBool_FromLong(handle_of(self).hasComputedKernelForDispatchKey(parse_dispatch_key(name)));
  END_HANDLE_TH_ERRORS
}

PyObject* kernel_for(PyObject* self, PyObject* key) {
  HANDLE_TH_ERRORS
  const char* name = PyUnicode_AsUTF8(key);
  if (!name) return nullptr;
  return make_kernel(handle_of(self), parse_dispatch_key(name));
  END_HANDLE_TH_ERRORS
}

PyMethodDef operator_methods[] = {
    {"kernel_for", kernel_for, METH_O, nullptr},
    {"has_kernel_for_dispatch_key", has_kernel, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef operator_properties[] = {
    {"_schema", operator_schema, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyTypeObject operator_type = static_type("torch._C._Operator", sizeof(Operator));

// ---- kernels written in Python ------------------------------------------------------------------

struct PythonKernel final : c10::OperatorKernel {
  explicit PythonKernel(PyObject* owned) : callable(owned) {}
  ~PythonKernel() override {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(callable);
    PyGILState_Release(state);
  }
  PyObject* callable;
};

struct WithGil {
  PyGILState_STATE state = PyGILState_Ensure();
  ~WithGil() { PyGILState_Release(state); }
};

[[noreturn]] void bad_result(const FunctionSchema& schema, PyObject* result) {
  throw_python(
      PyExc_RuntimeError, "the Python kernel of %s returned %s, but its schema is %s",
      full_name(schema).c_str(), Py_TYPE(result)->tp_name, c10::toString(schema).c_str());
}

void push_results(const FunctionSchema& schema, PyObject* result, jit::Stack* stack) {
  const auto& returns = schema.returns();
  if (returns.empty()) return;
  if (returns.size() == 1) {
    auto value = to_ivalue(result, returns[0].type);
    if (!value) bad_result(schema, result);
    stack->push_back(std::move(*value));
    return;
  }
  if (!PyTuple_Check(result) ||
      PyTuple_GET_SIZE(result) != static_cast<Py_ssize_t>(returns.size())) {
    bad_result(schema, result);
  }
  for (size_t i = 0; i < returns.size(); ++i) {
    auto value = to_ivalue(PyTuple_GET_ITEM(result, i), returns[i].type);
    if (!value) bad_result(schema, result);
    stack->push_back(std::move(*value));
  }
}

void call_python_kernel(
    c10::OperatorKernel* kernel, const c10::OperatorHandle& handle, c10::DispatchKeySet,
    jit::Stack* stack) {
  const WithGil gil;
  const FunctionSchema& schema = handle.schema();
  const auto& arguments = schema.arguments();
  const THPObjectPtr positional(checked(PyList_New(0)));
  const THPObjectPtr keywords(checked(PyDict_New()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const THPObjectPtr object(to_python(jit::peek(*stack, i, arguments.size()), arguments[i].type));
    if (arguments[i].kwarg_only) {
      checked(PyDict_SetItemString(keywords.get(), arguments[i].name.c_str(), object.get()));
    } else {
      checked(PyList_Append(positional.get(), object.get()));
    }
  }
  jit::drop(*stack, arguments.size());
  const THPObjectPtr tuple(checked(PyList_AsTuple(positional.get())));
  const THPObjectPtr result(checked(
      PyObject_Call(static_cast<PythonKernel*>(kernel)->callable, tuple.get(), keywords.get())));
  push_results(schema, result.get(), stack);
}

// ---- torch.library's registrations

struct PythonLibrary {
  PyObject_HEAD Library* library;
};

PyObject* new_library(PyTypeObject* type, PyObject* args, PyObject*) {
  HANDLE_TH_ERRORS
  const char *kind = nullptr, *ns = nullptr, *key = "";
  if (!PyArg_ParseTuple(args, "ss|s:_DispatchLibrary", &kind, &ns, &key)) return nullptr;
  const std::string name(kind);
  Library::Kind parsed = Library::FRAGMENT;
  if (name == "DEF")
    parsed = Library::DEF;
  else if (name == "IMPL")
    parsed = Library::IMPL;
  else
    TORCH_CHECK_VALUE(name == "FRAGMENT", "Unsupported library kind: ", name);
  std::optional<c10::DispatchKey> dispatch_key;
  if (*key) dispatch_key = parse_dispatch_key(key);
  THPObjectPtr self(checked(type->tp_alloc(type, 0)));
  reinterpret_cast<PythonLibrary*>(self.get())->library =
      new Library(parsed, ns, dispatch_key, "Python", 0);
  return self.release();
  END_HANDLE_TH_ERRORS
}

void library_dealloc(PyObject* self) {
  delete reinterpret_cast<PythonLibrary*>(self)->library;
  Py_TYPE(self)->tp_free(self);
}

Library& library_of(PyObject* self) {
  return *reinterpret_cast<PythonLibrary*>(self)->library;
}

PyObject* library_define(PyObject* self, PyObject* schema) {
  HANDLE_TH_ERRORS
  const char* text = PyUnicode_AsUTF8(schema);
  if (!text) return nullptr;
  library_of(self).def(text);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

CppFunction python_function(PyObject* callable) {
  return CppFunction::makeFromBoxedKernel(
      {c10::make_intrusive<PythonKernel>(Py_NewRef(callable)), call_python_kernel});
}

// impl(name, dispatch_key, function); None stands for a fallthrough.
PyObject* library_impl(PyObject* self, PyObject* args) {
  HANDLE_TH_ERRORS
  const char *name = nullptr, *key = nullptr;
  PyObject* callable = nullptr;
  if (!PyArg_ParseTuple(args, "ssO:impl", &name, &key, &callable)) return nullptr;
  CppFunction function =
      callable == Py_None ? CppFunction::makeFallthrough() : python_function(callable);
  if (*key) function.set_dispatch_key(parse_dispatch_key(key));
  library_of(self).impl(name, std::move(function));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* library_reset(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  auto* holder = reinterpret_cast<PythonLibrary*>(self);
  delete std::exchange(holder->library, nullptr);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef library_methods[] = {
    {"define", library_define, METH_O, nullptr},
    {"impl", library_impl, METH_VARARGS, nullptr},
    {"reset", library_reset, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyTypeObject library_type = static_type("torch._C._DispatchLibrary", sizeof(PythonLibrary));

// ---- lookups

PyObject* get_overloads(PyObject*, PyObject* name) {
  HANDLE_TH_ERRORS
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  THPObjectPtr list(checked(PyList_New(0)));
  for (const auto& found : jit::getAllOperatorsFor(text)) {
    const std::string name = found->handle().operator_name().overload_name;
    const THPObjectPtr overload(checked(PyUnicode_FromString(name.c_str())));
    checked(PyList_Append(list.get(), overload.get()));
  }
  return list.release();
  END_HANDLE_TH_ERRORS
}

PyObject* get_operator(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  const char *name = nullptr, *overload = "";
  if (!PyArg_ParseTuple(args, "s|s:_get_operator", &name, &overload)) return nullptr;
  const auto handle = c10::Dispatcher::singleton().findSchema({name, overload});
  if (!handle) throw_python(PyExc_RuntimeError, "there is no operator %s.%s", name, overload);
  Operator* self = PyObject_New(Operator, &operator_type);
  if (!self) return nullptr;
  self->entry = &handle->entry();
  return reinterpret_cast<PyObject*>(self);
  END_HANDLE_TH_ERRORS
}

// Returns the result of the first overload that fits the arguments; the error has the message of
// the only overload, or lists those of all.
PyObject* call_overloads(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  const char* name = nullptr;
  PyObject *call_args = nullptr, *kwargs = nullptr;
  if (!PyArg_ParseTuple(
          args, "sO!O!:_call_operator", &name, &PyTuple_Type, &call_args, &PyDict_Type, &kwargs)) {
    return nullptr;
  }
  std::string reasons;
  const auto overloads = jit::getAllOperatorsFor(name);
  for (const auto& found : overloads) {
    jit::Stack stack;
    std::string reason;
    if (bind(found->schema(), call_args, kwargs, stack, reason)) return run(*found, stack);
    if (overloads.size() == 1) throw_python(PyExc_RuntimeError, "%s", reason.c_str());
    reasons += reason + "\n\n";
  }
  throw_python(
      PyExc_RuntimeError,
      "Overloaded torch operator invoked from Python failed to match any schema:\n%s",
      reasons.c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* all_operators(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  THPObjectPtr list(checked(PyList_New(0)));
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const std::string text =
        name.name + (name.overload_name.empty() ? "" : "." + name.overload_name);
    const THPObjectPtr item(checked(PyUnicode_FromString(text.c_str())));
    checked(PyList_Append(list.get(), item.get()));
  }
  return list.release();
  END_HANDLE_TH_ERRORS
}

PyMethodDef module_methods[] = {
    {"_get_operator_overloads", get_overloads, METH_O, nullptr},
    {"_get_operator", get_operator, METH_VARARGS, nullptr},
    {"_call_operator", call_overloads, METH_VARARGS, nullptr},
    {"_dispatch_get_all_op_names", all_operators, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

jit::Stack bind_arguments(const FunctionSchema& schema, PyObject* args, PyObject* kwargs) {
  jit::Stack stack;
  std::string reason;
  if (!bind(schema, args, kwargs, stack, reason, /*numbers_as_tensors=*/true)) {
    throw_python(PyExc_RuntimeError, "%s", reason.c_str());
  }
  return stack;
}

PyObject* pack_results(const FunctionSchema& schema, const jit::Stack& stack) {
  const auto& returns = schema.returns();
  const size_t count = returns.size();
  if (count == 0) Py_RETURN_NONE;
  if (count == 1) return to_python(stack.back(), returns[0].type);
  THPObjectPtr tuple(checked(PyTuple_New(static_cast<Py_ssize_t>(count))));
  for (size_t i = 0; i < count; ++i) {
    const IValue& value = stack[stack.size() - count + i];
    PyTuple_SET_ITEM(tuple.get(), i, to_python(value, returns[i].type));
  }
  return tuple.release();
}

bool initDispatchBindings(PyObject* module) {
  operator_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  operator_type.tp_call = operator_call;
  operator_type.tp_methods = operator_methods;
  operator_type.tp_getset = operator_properties;
  library_type.tp_new = new_library;
  library_type.tp_dealloc = library_dealloc;
  library_type.tp_methods = library_methods;
  return init_kernels() && PyType_Ready(&operator_type) == 0 && PyType_Ready(&library_type) == 0 &&
      PyModule_AddType(module, &library_type) == 0 &&
      PyModule_AddFunctions(module, module_methods) == 0;
}

} // namespace torch

#include <torch/csrc/utils/python_torch_dispatch.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <ATen/ops/detach_ops.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/PythonDispatch.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/ivalue_convert.h>
#include <torch/csrc/utils/mode_stack.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/torch_function.h>
#include <torch/library.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace torch {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::FunctionSchema;
using c10::IValue;
using c10::SchemaType;

PyObject* protocol_name = nullptr;
PyObject* first_name = nullptr;
PyObject* disabled_implementation = nullptr;

struct WithGil {
  PyGILState_STATE state = PyGILState_Ensure();
  ~WithGil() { PyGILState_Release(state); }
};

// ---- the stack of modes: calls of the thread go to the key Python while it is not empty

void mode_count_changed(int);
using Modes = ModeStack<mode_count_changed>;

void mode_count_changed(int) {
  c10::impl::tls_set_dispatch_key_included(DispatchKey::Python, Modes::size() > 0);
}

// ---- from a boxed call to Python arguments

// Whether the argument has its default, which handlers do not see.
bool is_default(const IValue& value, const c10::Argument& argument) {
  if (!argument.default_value) return false;
  const IValue& expected = *argument.default_value;
  if (value.isNone() || expected.isNone()) return value.isNone() && expected.isNone();
  if (value.tag() != expected.tag()) return false;
  switch (value.tag()) {
    case IValue::Tag::Bool:
      return value.toBool() == expected.toBool();
    case IValue::Tag::Int:
      return value.toInt() == expected.toInt();
    case IValue::Tag::Double:
      return value.toDouble() == expected.toDouble();
    case IValue::Tag::String:
      return value.toStringRef() == expected.toStringRef();
    case IValue::Tag::IntList:
      return value.toIntList() == expected.toIntList();
    default:
      return false;
  }
}

struct Call {
  THPObjectPtr args;
  THPObjectPtr kwargs;
};

// Arithmetic with a number has a separate overload here, but handlers know the one for tensors,
// which takes a number too.
std::string shown_overload(const c10::OperatorName& name) {
  static const std::unordered_set<std::string> arithmetic{"aten::add",  "aten::add_", "aten::sub",
                                                          "aten::sub_", "aten::mul",  "aten::mul_",
                                                          "aten::div",  "aten::div_"};
  if (name.overload_name != "Scalar") return name.overload_name;
  if (arithmetic.contains(name.name)) return "Tensor";
  return name.name == "aten::floor_divide" ? "" : name.overload_name;
}

// The number of arguments that handlers get by position.
size_t positional_count(const FunctionSchema& schema) {
  const auto& name = schema.operator_name();
  const auto& arguments = schema.arguments();
  // The overload for tensors takes alpha and rounding_mode by keyword.
  const size_t limit = shown_overload(name) == name.overload_name ? arguments.size() : 2;
  size_t count = 0;
  while (count < limit && !arguments[count].kwarg_only)
    ++count;
  return count;
}

Call python_call(const FunctionSchema& schema, torch::jit::Stack& stack) {
  const auto& arguments = schema.arguments();
  const size_t count = arguments.size();
  const size_t positional = positional_count(schema);
  size_t shown = positional;
  while (shown > 0 && is_default(jit::peek(stack, shown - 1, count), arguments[shown - 1]))
    --shown;
  Call call{
      THPObjectPtr(checked(PyTuple_New(static_cast<Py_ssize_t>(shown)))),
      THPObjectPtr(checked(PyDict_New()))};
  for (size_t i = 0; i < shown; ++i) {
    PyTuple_SET_ITEM(call.args.get(), i, to_python(jit::peek(stack, i, count), arguments[i].type));
  }
  for (size_t i = positional; i < count; ++i) {
    const IValue& value = jit::peek(stack, i, count);
    if (is_default(value, arguments[i])) continue;
    const THPObjectPtr object(to_python(value, arguments[i].type));
    checked(PyDict_SetItemString(call.kwargs.get(), arguments[i].name.c_str(), object.get()));
  }
  return call;
}

// The object torch.ops.<namespace>.<name>.<overload>; borrowed.
PyObject* overload_object(const c10::OperatorHandle& op) {
  static auto* known = new std::unordered_map<const c10::OperatorEntry*, PyObject*>;
  PyObject*& object = (*known)[&op.entry()];
  if (!object) {
    const THPObjectPtr module(checked(PyImport_ImportModule("torch._ops")));
    const auto name = op.operator_name();
    object = checked(PyObject_CallMethod(
        module.get(), "_find_overload", "ss", name.name.c_str(), shown_overload(name).c_str()));
  }
  return object;
}

// ---- who handles a call

// Adds the object unless its type is already present. A subclass goes before its base. A tensor of
// a running transform goes before all others, since it may wrap them.
void add_overloaded(PyObject* overloaded, PyObject* object) {
  if (!has_torch_dispatch(Py_TYPE(object))) return;
  const bool first = _PyType_Lookup(Py_TYPE(object), first_name) != nullptr;
  Py_ssize_t position = first ? 0 : PyList_GET_SIZE(overloaded);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(overloaded); ++i) {
    PyTypeObject* seen = Py_TYPE(PyList_GET_ITEM(overloaded, i));
    if (seen == Py_TYPE(object)) return;
    if (position == PyList_GET_SIZE(overloaded) && PyType_IsSubtype(Py_TYPE(object), seen))
      position = i;
  }
  checked(PyList_Insert(overloaded, position, object));
}

void add_tensors(PyObject* overloaded, PyObject* object) {
  if (THPVariable_Check(object)) {
    if (THPVariable_Unpack(object).unsafeGetTensorImpl()->is_python_dispatch())
      add_overloaded(overloaded, object);
  } else if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
      add_tensors(overloaded, PySequence_Fast_GET_ITEM(object, i));
  }
}

THPObjectPtr overloaded_of(const Call& call) {
  THPObjectPtr overloaded(checked(PyList_New(0)));
  add_tensors(overloaded.get(), call.args.get());
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(call.kwargs.get(), &at, &key, &value);)
    add_tensors(overloaded.get(), value);
  return overloaded;
}

// torch.library.register_torch_dispatch: {class: function} of the operator, or nullptr.
PyObject* rules_of(PyObject* op) {
  PyObject* rules = PyObject_GetAttrString(op, "_torch_dispatch_rules");
  if (!rules) throw_python_error();
  Py_DECREF(rules); // the operator keeps it
  return PyDict_Check(rules) && PyDict_GET_SIZE(rules) > 0 ? rules : nullptr;
}

PyObject* handle(PyObject* owner, PyObject* op, PyObject* types, const Call& call) {
  if (PyObject* rules = rules_of(op)) {
    PyObject* rule = PyDict_GetItem(rules, reinterpret_cast<PyObject*>(Py_TYPE(owner)));
    if (rule) {
      PyObject* first = PyObject_TypeCheck(owner, &THPVariableType)
          ? reinterpret_cast<PyObject*>(Py_TYPE(owner))
          : owner;
      return checked(PyObject_CallFunctionObjArgs(
          rule, first, op, types, call.args.get(), call.kwargs.get(), nullptr));
    }
  }
  return checked(PyObject_CallMethodObjArgs(
      owner, protocol_name, op, types, call.args.get(), call.kwargs.get(), nullptr));
}

// The first result that is not NotImplemented, or nullptr if there is nobody to ask.
PyObject* ask(PyObject* op, const Call& call) {
  const THPObjectPtr overloaded = overloaded_of(call);
  const Py_ssize_t count = PyList_GET_SIZE(overloaded.get());
  if (count == 0 && Modes::size() == 0) return nullptr;
  const THPObjectPtr types(checked(PyTuple_New(count)));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(types.get(), i, Py_NewRef(Py_TYPE(PyList_GET_ITEM(overloaded.get(), i))));
  }
  if (Modes::size() > 0) {
    const Modes::Innermost mode;
    PyObject* result = handle(mode.get(), op, types.get(), call);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* result = handle(PyList_GET_ITEM(overloaded.get(), i), op, types.get(), call);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  throw_declined("_describe_declined_operator", op, types.get());
}

// ---- the kernel of the key Python

IValue result_value(const FunctionSchema& schema, PyObject* object, const SchemaType& type) {
  if (object == Py_None && type.kind == c10::TypeKind::Tensor) return IValue(at::Tensor());
  auto value = to_ivalue(object, type);
  if (!value) {
    throw_python(
        PyExc_RuntimeError, "a __torch_dispatch__ of %s returned %s, but its schema is %s",
        schema.name().c_str(), Py_TYPE(object)->tp_name, c10::toString(schema).c_str());
  }
  return std::move(*value);
}

void push_results(const FunctionSchema& schema, PyObject* result, jit::Stack* stack) {
  const auto& returns = schema.returns();
  if (returns.size() == 1) {
    stack->push_back(result_value(schema, result, returns[0].type));
  } else if (!returns.empty()) {
    const THPObjectPtr items(PySequence_Fast(result, "expected a tuple of results"));
    if (!items) throw_python_error();
    if (PySequence_Fast_GET_SIZE(items.get()) != static_cast<Py_ssize_t>(returns.size())) {
      throw_python(
          PyExc_RuntimeError, "a __torch_dispatch__ of %s returned %zd values instead of %zu",
          schema.name().c_str(), PySequence_Fast_GET_SIZE(items.get()), returns.size());
    }
    for (size_t i = 0; i < returns.size(); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
      stack->push_back(result_value(schema, item, returns[i].type));
    }
  }
}

// Whether all that the operator does is call other operators, which handlers then see instead.
bool is_composite(const c10::OperatorHandle& op) {
  return op.entry().has_kernel_for(DispatchKey::CompositeImplicitAutograd) &&
      !op.entry().has_kernel_for(DispatchKey::CPU);
}

void python_fallback(const c10::OperatorHandle& op, DispatchKeySet keys, jit::Stack* stack) {
  if (is_composite(op)) {
    op.redispatchBoxed(DispatchKeySet(DispatchKey::AutogradCPU), stack);
    return;
  }
  const FunctionSchema& schema = op.schema();
  if (Py_IsInitialized()) {
    const WithGil gil;
    const Call call = python_call(schema, *stack);
    const THPObjectPtr result(ask(overload_object(op), call));
    if (result) {
      jit::drop(*stack, schema.arguments().size());
      push_results(schema, result.get(), stack);
      return;
    }
  }
  op.redispatchBoxed(keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, DispatchKey::Python), stack);
}

TORCH_LIBRARY_IMPL(_, Python, m) {
  m.fallback(CppFunction::makeFromBoxedFunction<&python_fallback>());
}

c10::intrusive_ptr<c10::TensorImpl> detach_in_python(const c10::TensorImpl* tensor) {
  const at::AutoDispatchBelowADInplaceOrView guard;
  const at::Tensor self(
      c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(const_cast<c10::TensorImpl*>(tensor)));
  // A tensor of a transform is copied without detaching what it wraps from the graphs of outer
  // levels.
  {
    const WithGil gil;
    PyObject* object = THPVariable_Wrap(self);
    PyObject* copy = nullptr;
    if (object && PyObject_HasAttrString(object, "_shallow_copy")) {
      copy = PyObject_CallMethod(object, "_shallow_copy", nullptr);
      if (!copy) {
        Py_DECREF(object);
        throw python_error();
      }
    }
    Py_XDECREF(object);
    if (copy) {
      c10::intrusive_ptr<c10::TensorImpl> impl = THPVariable_Unpack(copy).getIntrusivePtr();
      Py_DECREF(copy);
      return impl;
    }
  }
  return at::_ops::detach::call(self).getIntrusivePtr();
}

PyObject* disabled_torch_dispatch(PyObject*, PyObject* args) {
  PyObject *function = nullptr, *types = nullptr, *call_args = nullptr, *kwargs = nullptr;
  if (!PyArg_UnpackTuple(
          args, "_disabled_torch_dispatch_impl", 2, 4, &function, &types, &call_args, &kwargs)) {
    return nullptr;
  }
  const c10::impl::ExcludeDispatchKeyGuard guard{DispatchKey::Python};
  return call_with(function, call_args, kwargs);
}

// _swap_tensor_impl(a, b): two Python objects exchange the tensors that they stand for.
PyObject* swap_tensor_impl(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *a = nullptr, *b = nullptr;
  if (!PyArg_ParseTuple(
          args, "O!O!:_swap_tensor_impl", &THPVariableType, &a, &THPVariableType, &b)) {
    return nullptr;
  }
  std::swap(reinterpret_cast<THPVariable*>(a)->cdata, reinterpret_cast<THPVariable*>(b)->cdata);
  for (PyObject* object : {a, b})
    THPVariable_Unpack(object).unsafeGetTensorImpl()->pyobj_slot()->set_pyobj(object);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// _set_storage_of(tensor, other): the tensor gets the other's storage.
PyObject* set_storage_of(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *tensor = nullptr, *other = nullptr;
  if (!PyArg_ParseTuple(
          args, "O!O!:_set_storage_of", &THPVariableType, &tensor, &THPVariableType, &other)) {
    return nullptr;
  }
  c10::TensorImpl* impl = THPVariable_Unpack(tensor).unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(THPVariable_Unpack(other).storage());
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// _set_geometry_of(tensor, other): a tensor without memory gets the other's sizes and strides.
PyObject* set_geometry_of(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *tensor = nullptr, *other = nullptr;
  if (!PyArg_ParseTuple(
          args, "O!O!:_set_geometry_of", &THPVariableType, &tensor, &THPVariableType, &other)) {
    return nullptr;
  }
  const at::Tensor& like = THPVariable_Unpack(other);
  THPVariable_Unpack(tensor).unsafeGetTensorImpl()->set_sizes_and_strides(
      like.sizes(), like.strides(), like.storage_offset());
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// _set_python_dispatch(tensor): its operators call the __torch_dispatch__ of its class.
PyObject* set_python_dispatch_of(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  set_python_dispatch(tensor_argument(tensor));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// _storage_use_count(tensor): the number of tensors and storages that share the tensor's memory.
PyObject* storage_use_count(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  return PyLong_FromSize_t(tensor_argument(tensor).storage().use_count());
  END_HANDLE_TH_ERRORS
}

PyMethodDef disabled_def = {
    "_disabled_torch_dispatch_impl", disabled_torch_dispatch, METH_VARARGS, nullptr};

} // namespace

bool has_torch_dispatch(PyTypeObject* type) {
  PyObject* found = _PyType_Lookup(type, protocol_name);
  return found && found != disabled_implementation;
}

void set_python_dispatch(const at::Tensor& tensor) {
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  impl->set_key_set(impl->key_set().add(DispatchKey::Python));
}

PyMethodDef torch_dispatch_methods[] = {
    {"_push_on_torch_dispatch_stack", Modes::push, METH_O, nullptr},
    {"_pop_torch_dispatch_stack", Modes::pop, METH_VARARGS, nullptr},
    {"_get_dispatch_stack_at", Modes::at, METH_O, nullptr},
    {"_set_storage_of", set_storage_of, METH_VARARGS, nullptr},
    {"_set_geometry_of", set_geometry_of, METH_VARARGS, nullptr},
    {"_set_python_dispatch", set_python_dispatch_of, METH_O, nullptr},
    {"_storage_use_count", storage_use_count, METH_O, nullptr},
    {"_swap_tensor_impl", swap_tensor_impl, METH_VARARGS, nullptr},
    {"_len_torch_dispatch_stack", Modes::count, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

bool init_torch_dispatch(PyObject* module) {
  c10::impl::python_detach = detach_in_python;
  protocol_name = PyUnicode_InternFromString("__torch_dispatch__");
  first_name = PyUnicode_InternFromString("_handles_calls_first");
  disabled_implementation = PyCFunction_New(&disabled_def, nullptr);
  return protocol_name && first_name && disabled_implementation &&
      PyModule_AddObjectRef(module, disabled_def.ml_name, disabled_implementation) == 0;
}

} // namespace torch

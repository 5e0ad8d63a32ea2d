#include <torch/csrc/utils/python_guards.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/library.h>

#include <new>
#include <optional>

namespace torch {

namespace {

// A Python type whose `with` block holds a C++ guard.
template <typename Guard>
class ContextManager {
 public:
  static bool init(PyObject* module, const char* name) {
    type_ = static_type(name, sizeof(Object));
    type_.tp_new = make;
    type_.tp_dealloc = dealloc;
    type_.tp_methods = methods_;
    return PyModule_AddType(module, &type_) == 0;
  }

 private:
  struct Object {
    PyObject_HEAD std::optional<Guard> guard;
  };
  static std::optional<Guard>& guard(PyObject* self) {
    return reinterpret_cast<Object*>(self)->guard;
  }
  static PyObject* make(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* const self = type->tp_alloc(type, 0);
    if (self) new (&guard(self)) std::optional<Guard>();
    return self;
  }
  static void dealloc(PyObject* self) {
    guard(self).~optional();
    Py_TYPE(self)->tp_free(self);
  }
  static PyObject* enter(PyObject* self, PyObject*) {
    guard(self).emplace();
    return Py_NewRef(self);
  }
  static PyObject* exit(PyObject* self, PyObject*) {
    guard(self).reset();
    Py_RETURN_NONE;
  }

  static inline PyTypeObject type_{};
  static inline PyMethodDef methods_[] = {
      {"__enter__", enter, METH_NOARGS, nullptr},
      {"__exit__", exit, METH_VARARGS, nullptr},
      {nullptr, nullptr, 0, nullptr}};
};

struct DisableTorchDispatch {
  c10::impl::ExcludeDispatchKeyGuard guard{
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot})};
};

// The keys with which a call from Python starts; autocast stays as it is.
struct DefaultDispatchKeys {
  c10::impl::ForceDispatchKeyGuard guard{
      c10::impl::tls_local_dispatch_key_set().included_ | c10::default_included_set,
      c10::impl::tls_local_dispatch_key_set().excluded_ - c10::autograd_dispatch_keyset -
          c10::inplace_or_view_ks - c10::python_ks};
};

// Inside vmap, calls go to FuncTorchVmapMode, where random factories have kernels in Python.
struct IncludeVmapMode {
  c10::impl::IncludeDispatchKeyGuard guard{c10::DispatchKey::FuncTorchVmapMode};
};

struct ExcludeVmapMode {
  c10::impl::ExcludeDispatchKeyGuard guard{c10::DispatchKey::FuncTorchVmapMode};
};

TORCH_LIBRARY_IMPL(_, FuncTorchVmapMode, m) {
  m.fallback(CppFunction::makeFallthrough());
}

// ---- dispatch keys and sets of them as integers, wrapped by torch/_dispatch_keys.py ----

c10::DispatchKeySet set_of(unsigned long long raw) {
  return c10::DispatchKeySet::from_raw_repr(raw);
}

PyObject* key_values(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  THPObjectPtr list(checked(PyList_New(0)));
  for (uint16_t value = 0; value <= static_cast<uint16_t>(c10::DispatchKey::EndOfAliasKeys);
       ++value) {
    const auto key = static_cast<c10::DispatchKey>(value);
    const bool functionality = key < c10::DispatchKey::EndOfFunctionalityKeys;
    if (!functionality && !c10::isRuntimeDispatchKey(key) && !c10::isAliasDispatchKey(key)) {
      continue;
    }
    const THPObjectPtr item(checked(Py_BuildValue("(si)", c10::toString(key), value)));
    checked(PyList_Append(list.get(), item.get()));
  }
  return list.release();
  END_HANDLE_TH_ERRORS
}

PyObject* keyset_bits(PyObject*, PyObject* value) {
  HANDLE_TH_ERRORS
  const long key = PyLong_AsLong(value);
  if (key == -1 && PyErr_Occurred()) return nullptr;
  return PyLong_FromUnsignedLongLong(
      c10::DispatchKeySet(static_cast<c10::DispatchKey>(key)).raw_repr());
  END_HANDLE_TH_ERRORS
}

PyObject* keyset_of(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(tensor)) throw_python(PyExc_TypeError, "expected a Tensor");
  return PyLong_FromUnsignedLongLong(THPVariable_Unpack(tensor).key_set().raw_repr());
  END_HANDLE_TH_ERRORS
}

PyObject* keyset_highest(PyObject*, PyObject* value) {
  HANDLE_TH_ERRORS
  const unsigned long long raw = PyLong_AsUnsignedLongLong(value);
  if (PyErr_Occurred()) return nullptr;
  return PyLong_FromLong(static_cast<long>(set_of(raw).highestPriorityTypeId()));
  END_HANDLE_TH_ERRORS
}

PyObject* local_keysets(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  const auto local = c10::impl::tls_local_dispatch_key_set();
  return Py_BuildValue("(KK)", local.included_.raw_repr(), local.excluded_.raw_repr());
  END_HANDLE_TH_ERRORS
}

PyObject* set_local_keysets(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  unsigned long long included = 0, excluded = 0;
  if (!PyArg_ParseTuple(args, "KK:_dispatch_set_local_keysets", &included, &excluded)) {
    return nullptr;
  }
  c10::impl::_force_tls_local_dispatch_key_set({set_of(included), set_of(excluded)});
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// Sets whether a tensor is conjugated, or negated, when its elements are read: (tensor, bool).
template <c10::DispatchKey key>
PyObject* set_pending(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* tensor = nullptr;
  int pending = 0;
  if (!PyArg_ParseTuple(args, "Op", &tensor, &pending)) return nullptr;
  if (!THPVariable_Check(tensor)) throw_python(PyExc_TypeError, "expected a Tensor");
  const at::Tensor& changed = THPVariable_Unpack(tensor);
  if constexpr (key == c10::DispatchKey::Conjugate) {
    changed._set_conj(pending != 0);
  } else {
    changed._set_neg(pending != 0);
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef key_functions[] = {
    {"_set_conj", set_pending<c10::DispatchKey::Conjugate>, METH_VARARGS, nullptr},
    {"_set_neg", set_pending<c10::DispatchKey::Negative>, METH_VARARGS, nullptr},
    {"_dispatch_key_values", key_values, METH_NOARGS, nullptr},
    {"_dispatch_keyset_bits", keyset_bits, METH_O, nullptr},
    {"_dispatch_keyset_of", keyset_of, METH_O, nullptr},
    {"_dispatch_keyset_highest", keyset_highest, METH_O, nullptr},
    {"_dispatch_local_keysets", local_keysets, METH_NOARGS, nullptr},
    {"_dispatch_set_local_keysets", set_local_keysets, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool init_guards(PyObject* module) {
  return PyModule_AddFunctions(module, key_functions) == 0 &&
      ContextManager<at::AutoDispatchBelowAutograd>::init(
             module, "torch._C._AutoDispatchBelowAutograd") &&
      ContextManager<at::AutoDispatchBelowADInplaceOrView>::init(
             module, "torch._C._AutoDispatchBelowADInplaceOrView") &&
      ContextManager<DisableTorchDispatch>::init(module, "torch._C._DisableTorchDispatch") &&
      ContextManager<DefaultDispatchKeys>::init(module, "torch._C._DefaultDispatchKeys") &&
      ContextManager<IncludeVmapMode>::init(module, "torch._C._IncludeVmapMode") &&
      ContextManager<ExcludeVmapMode>::init(module, "torch._C._ExcludeVmapMode");
}

} // namespace torch

#include <torch/csrc/utils/python_guards.h>

#include <ATen/core/LegacyTypeDispatch.h>
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

} // namespace

bool init_guards(PyObject* module) {
  return ContextManager<at::AutoDispatchBelowAutograd>::init(
             module, "torch._C._AutoDispatchBelowAutograd") &&
      ContextManager<at::AutoDispatchBelowADInplaceOrView>::init(
             module, "torch._C._AutoDispatchBelowADInplaceOrView") &&
      ContextManager<DisableTorchDispatch>::init(module, "torch._C._DisableTorchDispatch") &&
      ContextManager<DefaultDispatchKeys>::init(module, "torch._C._DefaultDispatchKeys") &&
      ContextManager<IncludeVmapMode>::init(module, "torch._C._IncludeVmapMode") &&
      ContextManager<ExcludeVmapMode>::init(module, "torch._C._ExcludeVmapMode");
}

} // namespace torch

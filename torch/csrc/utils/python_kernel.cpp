#include <torch/csrc/utils/python_kernel.h>

#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/core/stack.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_dispatch.h>

#include <new>
#include <optional>
#include <string>

namespace torch {
namespace {

// Keeps a boxed kernel alive, so that it can be called after another one has replaced it. Unboxed
// kernels are functions of a library, which stays loaded.
struct Captured {
  c10::OperatorHandle op;
  c10::KernelPtr unboxed;
  std::optional<c10::BoxedKernel> boxed;

  void call(c10::DispatchKeySet keys, jit::Stack& stack) const {
    if (boxed) {
      boxed->callBoxed(op, keys, &stack);
    } else {
      op.entry().info().call_boxed(unboxed, keys, &stack);
    }
  }
};

struct Kernel {
  PyObject_HEAD Captured captured;
};

const Captured& unpack(PyObject* self) {
  return reinterpret_cast<Kernel*>(self)->captured;
}

// call_boxed(raw_key_set, args, kwargs)
PyObject* call_boxed(PyObject* self, PyObject* all) {
  HANDLE_TH_ERRORS
  unsigned long long raw = 0;
  PyObject *args = nullptr, *kwargs = nullptr;
  if (!PyArg_ParseTuple(
          all, "KO!O!:call_boxed", &raw, &PyTuple_Type, &args, &PyDict_Type, &kwargs)) {
    return nullptr;
  }
  const Captured& captured = unpack(self);
  jit::Stack stack = bind_arguments(captured.op.schema(), args, kwargs);
  {
    const WithoutGil guard;
    captured.call(c10::DispatchKeySet(c10::DispatchKeySet::RAW, raw), stack);
  }
  return pack_results(captured.op.schema(), stack);
  END_HANDLE_TH_ERRORS
}

void dealloc(PyObject* self) {
  reinterpret_cast<Kernel*>(self)->captured.~Captured();
  PyObject_Free(self);
}

PyMethodDef methods[] = {
    {"call_boxed", call_boxed, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyTypeObject kernel_type = static_type("torch._C._Kernel", sizeof(Kernel));

} // namespace

PyObject* make_kernel(const c10::OperatorHandle& op, c10::DispatchKey key) {
  const c10::OperatorEntry& entry = op.entry();
  TORCH_CHECK(
      entry.has_computed_kernel_for(key), "no kernel for ", c10::toString(key), " for ",
      toString(op.operator_name()));
  entry.resolve();
  const c10::BoxedKernel* boxed = entry.boxed(key);
  Kernel* const self = PyObject_New(Kernel, &kernel_type);
  if (!self) throw_python_error();
  new (&self->captured) Captured{op, entry.slot(key), boxed ? std::optional(*boxed) : std::nullopt};
  return reinterpret_cast<PyObject*>(self);
}

bool init_kernels() {
  kernel_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  kernel_type.tp_dealloc = dealloc;
  kernel_type.tp_methods = methods;
  return PyType_Ready(&kernel_type) == 0;
}

} // namespace torch

#include <torch/csrc/autograd/python_legacy_variable.h>

#include <ATen/ops/detach.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

namespace {

PyTypeObject variable_base = static_type("torch._C._LegacyVariableBase", sizeof(PyObject));

at::Tensor tensor_of(PyObject* data) {
  if (data == Py_None) return at::empty({0}, c10::get_default_dtype_as_scalartype());
  if (!THPVariable_Check(data)) {
    throw_python(
        PyExc_TypeError, "Variable data has to be a tensor, but got %s", Py_TYPE(data)->tp_name);
  }
  return at::detach(THPVariable_Unpack(data));
}

// Returns a tensor that shares the memory of `data`, not an object of the type.
PyObject* new_variable(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  PyObject *data = Py_None, *grad_fn = Py_None;
  int requires_grad = 0, is_volatile = 0;
  const char* name = nullptr;
  static const char* keywords[] = {"data",     "requires_grad", "volatile",
                                   "_grad_fn", "name",          nullptr};
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|OppOz", const_cast<char**>(keywords), &data, &requires_grad, &is_volatile,
          &grad_fn, &name)) {
    throw_python_error();
  }
  if (is_volatile) {
    TORCH_WARN("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.");
    TORCH_CHECK_VALUE(
        !requires_grad, "Variable can't be volatile and require_grad at the same time!");
  }
  if (grad_fn != Py_None && !THPFunction_Check(grad_fn)) {
    throw_python(
        PyExc_TypeError, "_grad_fn has to be a Function object or None, but got %s",
        Py_TYPE(grad_fn)->tp_name);
  }
  at::Tensor tensor = tensor_of(data);
  tensor.set_requires_grad(requires_grad);
  if (name) impl::set_name(tensor, name);
  return THPVariable_Wrap(std::move(tensor));
  END_HANDLE_TH_ERRORS
}

} // namespace

bool init_legacy_variable(PyObject* module) {
  variable_base.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  variable_base.tp_doc = "The base of torch.autograd.Variable, whose calls return tensors.";
  variable_base.tp_new = new_variable;
  PyObject* type = reinterpret_cast<PyObject*>(&variable_base);
  return PyType_Ready(&variable_base) == 0 &&
      PyModule_AddObjectRef(module, "_LegacyVariableBase", type) == 0;
}

} // namespace torch::autograd

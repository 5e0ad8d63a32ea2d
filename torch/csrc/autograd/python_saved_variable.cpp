#include <torch/csrc/autograd/python_saved_variable.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_saved_variable_hooks.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>

namespace torch::autograd {
namespace {

struct THPSavedVariable {
  PyObject_HEAD SavedVariable* variable;
  PyObject* owner;
};

PyTypeObject type = static_type("torch._C._autograd.SavedTensor", sizeof(THPSavedVariable));

THPSavedVariable* cast(PyObject* object) {
  return reinterpret_cast<THPSavedVariable*>(object);
}

void dealloc(PyObject* self) {
  Py_DECREF(cast(self)->owner);
  PyObject_Del(self);
}

PyObject* register_hooks(PyObject* self, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *pack = nullptr, *unpack = nullptr;
  if (!PyArg_UnpackTuple(args, "register_hooks", 2, 2, &pack, &unpack)) return nullptr;
  cast(self)->variable->register_hooks(std::make_unique<PySavedVariableHooks>(pack, unpack));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* data(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const std::optional<at::Tensor> raw = cast(self)->variable->get_raw_data();
  if (!raw) Py_RETURN_NONE;
  return wrap(*raw);
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"register_hooks", register_hooks, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"data", data, nullptr, nullptr, nullptr}, {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

PyObject* THPSavedVariable_Wrap(SavedVariable& variable, PyObject* owner) {
  THPSavedVariable* object = PyObject_New(THPSavedVariable, &type);
  if (!object) throw_python_error();
  object->variable = &variable;
  object->owner = Py_NewRef(owner);
  return reinterpret_cast<PyObject*>(object);
}

bool THPSavedVariable_init(PyObject* module) {
  type.tp_dealloc = dealloc;
  type.tp_methods = methods;
  type.tp_getset = properties;
  return PyType_Ready(&type) == 0 &&
      PyModule_AddObjectRef(module, "SavedTensor", reinterpret_cast<PyObject*>(&type)) == 0;
}

} // namespace torch::autograd

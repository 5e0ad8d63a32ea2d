#include <torch/csrc/autograd/python_variable_metatype.h>

#include <torch/csrc/Tensor.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_torch_dispatch.h>
#include <torch/csrc/utils/torch_function.h>

namespace torch::autograd {

namespace {

PyTypeObject metatype = static_type("torch._C._TensorMeta", 0);

// The function of a method that a class has or inherits; a new reference.
PyObject* function_of(PyTypeObject* type, const char* name) {
  THPObjectPtr method(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
  if (!method) return nullptr;
  PyObject* function = PyObject_GetAttrString(method.get(), "__func__");
  if (function) return function;
  PyErr_Clear(); // not a classmethod
  return method.release();
}

// A subclass that handles operators in __torch_dispatch__ does not want its results converted by
// the
// __torch_function__ that it inherits from Tensor.
int choose_torch_function(PyTypeObject* type) {
  if (!has_torch_dispatch(type)) return 0;
  constexpr const char* kName = "__torch_function__";
  const THPObjectPtr own(function_of(type, kName));
  const THPObjectPtr inherited(function_of(THPVariableClass, kName));
  if (!own || !inherited) return -1;
  if (own.get() != inherited.get()) return 0;
  return PyObject_SetAttrString(
      reinterpret_cast<PyObject*>(type), kName, disabled_torch_function());
}

int init_class(PyObject* object, PyObject* args, PyObject* kwargs) {
  if (PyType_Type.tp_init(object, args, kwargs) < 0) return -1;
  if (!THPVariableClass) return 0; // this is torch.Tensor
  auto* type = reinterpret_cast<PyTypeObject*>(object);
  if (!PyType_IsSubtype(type, THPVariableClass)) {
    PyErr_SetString(PyExc_RuntimeError, "Cannot subclass _TensorBase directly");
    return -1;
  }
  type->tp_dealloc = THPVariable_Dealloc;
  return choose_torch_function(type);
}

} // namespace

bool init_variable_metatype(PyObject* module) {
  metatype.tp_base = &PyType_Type;
  metatype.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  metatype.tp_init = init_class;
  if (PyType_Ready(&metatype) < 0) return false;
  Py_SET_TYPE(&THPVariableType, &metatype);
  return PyModule_AddObjectRef(module, "_TensorMeta", reinterpret_cast<PyObject*>(&metatype)) == 0;
}

} // namespace torch::autograd

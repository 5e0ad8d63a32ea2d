#pragma once
// torch.Tensor objects. One PyObject represents one TensorImpl for as long as either side can see
// the other: the impl remembers its object, and when Python's last reference goes away, the impl
// keeps an object with state of its own alive.
#include <torch/csrc/python_headers.h>

#include <ATen/core/Tensor.h>

struct THPVariable {
  PyObject_HEAD at::Tensor cdata;
  PyObject* dict;
  PyObject* weakrefs;
  PyObject* backward_hooks;
  bool borrowed; // the impl owns this object, and cdata holds no reference
};

extern PyTypeObject THPVariableType;   // torch._C.TensorBase
extern PyTypeObject* THPVariableClass; // torch.Tensor, set when the package has created it

bool THPVariable_initModule(PyObject* module);

// New references; undefined tensors become None.
PyObject* THPVariable_WrapSlow(at::Tensor&& tensor);
inline PyObject* THPVariable_Wrap(at::Tensor&& tensor) {
  return THPVariable_WrapSlow(std::move(tensor));
}
inline PyObject* THPVariable_Wrap(const at::Tensor& tensor) {
  return THPVariable_WrapSlow(at::Tensor(tensor));
}
// Creates an object of `type` for a tensor that has none yet.
PyObject* THPVariable_NewWithVar(PyTypeObject* type, at::Tensor&& tensor);

inline bool THPVariable_CheckExact(PyObject* object) {
  return Py_TYPE(object) == THPVariableClass;
}
inline bool THPVariable_Check(PyObject* object) {
  return THPVariable_CheckExact(object) || PyType_IsSubtype(Py_TYPE(object), &THPVariableType);
}
inline const at::Tensor& THPVariable_Unpack(PyObject* object) {
  return reinterpret_cast<THPVariable*>(object)->cdata;
}
inline at::Tensor& THPVariable_UnpackMutable(PyObject* object) {
  return reinterpret_cast<THPVariable*>(object)->cdata;
}

// Tells the garbage collector to track an object that may now be part of a cycle.
void THPVariable_Track(PyObject* object);

// The method tables, generated and handwritten.
namespace torch::autograd {
extern PyMethodDef manual_variable_methods[];
extern PyMethodDef variable_autograd_methods[];
extern PyGetSetDef variable_properties[];
extern PyGetSetDef variable_autograd_properties[];
extern PyNumberMethods variable_as_number;
extern PySequenceMethods variable_as_sequence;
extern PyMappingMethods variable_as_mapping;
PyObject* variable_richcompare(PyObject* self, PyObject* other, int op);
PyObject* variable_iter(PyObject* self);
} // namespace torch::autograd

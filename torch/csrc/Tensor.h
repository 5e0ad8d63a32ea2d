#pragma once
// torch.Tensor objects, as the rest of the bindings sees them. One PyObject represents one
// TensorImpl for as long as either side can see the other: the impl remembers its object, and when
// Python's last reference goes away, the impl keeps an object with state of its own alive. The type
// itself is in autograd/python_variable.cpp.
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
// torch.Tensor, whose objects take fast paths around __torch_function__; nullptr while a thread has
// a function mode, which must see all calls.
extern PyTypeObject* THPVariablePlainClass;

// New references; undefined tensors become None.
PyObject* THPVariable_WrapSlow(at::Tensor&& tensor);
inline PyObject* THPVariable_Wrap(at::Tensor&& tensor) {
  return THPVariable_WrapSlow(std::move(tensor));
}
inline PyObject* THPVariable_Wrap(const at::Tensor& tensor) {
  return THPVariable_WrapSlow(at::Tensor(tensor));
}

inline bool THPVariable_CheckExact(PyObject* object) {
  return Py_TYPE(object) == THPVariablePlainClass;
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
// The tensor of an argument; raises TypeError if it is none.
const at::Tensor& tensor_argument(PyObject* object);

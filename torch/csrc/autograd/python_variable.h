#pragma once
// The type of torch.Tensor: how its objects are created, tracked and given their methods.
#include <torch/csrc/Tensor.h>

bool THPVariable_initModule(PyObject* module);

// Creates an object of `type` for a tensor that has none yet.
PyObject* THPVariable_NewWithVar(PyTypeObject* type, at::Tensor&& tensor);

// Returns a class as one that THPVariable_NewWithVar can create objects of; raises TypeError if it
// is no subclass of torch.Tensor.
PyTypeObject* require_tensor_class(PyObject* object);

// tp_dealloc of torch.Tensor and its subclasses. The one that Python gives a class clears
// `__slots__` before it finds out that a tensor in C++ keeps the object.
void THPVariable_Dealloc(PyObject* object);

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
// _wrapper_like(cls, tensor, **attributes): a tensor without memory of the same shape, dtype and
// device.
PyObject* wrapper_like(
    PyObject* unused, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
// _make_wrapper_subclass(cls, size, ...): a tensor without memory.
PyObject* make_wrapper_subclass(
    PyObject* unused, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
} // namespace torch::autograd

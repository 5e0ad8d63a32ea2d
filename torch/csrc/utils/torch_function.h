#pragma once
// The __torch_function__ protocol: types other than torch.Tensor may take over a call.
#include <torch/csrc/Exceptions.h>

namespace torch {

// Whether the object's type has a __torch_function__ that is not the disabled one.
bool has_torch_function(PyObject* object);
bool torch_function_enabled();

// The object users know the binding by: torch.Tensor.add or torch.add. A new reference.
PyObject* public_function(const char* name, bool method, bool nn);

// Calls the first __torch_function__ that does not return NotImplemented. Steals `function`; a new
// reference, or python_error.
PyObject* call_torch_function(
    PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// An attribute of a subclass: what its __torch_function__ makes of the getter, or nullptr when the
// type does not take calls over.
PyObject* property_override(PyObject* self, const char* name);

extern PyMethodDef torch_function_methods[];
bool init_torch_function(PyObject* module);

} // namespace torch

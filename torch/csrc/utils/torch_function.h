#pragma once
// The __torch_function__ protocol: types other than torch.Tensor may override calls.
#include <torch/csrc/Exceptions.h>

namespace torch {

// Whether the object's type has a __torch_function__ other than the disabled one.
bool has_torch_function(PyObject* object);
bool torch_function_enabled();
// Whether calls of this thread go to a TorchFunctionMode first.
bool torch_function_mode_enabled();
// Whether a call with this argument goes to a mode or to the argument's __torch_function__.
bool overrides_calls(PyObject* object);

// The object by which users know the binding: torch.Tensor.add or torch.add. Returns a new
// reference.
PyObject* public_function(const char* name, bool method, bool nn);

// Calls the innermost mode, then the __torch_function__ implementations in turn, until one does not
// return NotImplemented.
// Steals `function`. Returns a new reference or throws python_error.
PyObject* call_torch_function(
    PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// Raises a TypeError, since every handler returned NotImplemented. `describe` is the function of
// torch._torch_function that writes the message.
[[noreturn]] void throw_declined(const char* describe, PyObject* function, PyObject* types);

// For an attribute of a subclass: the result of its __torch_function__ for the getter, or nullptr
// if the type does not override calls.
PyObject* property_override(PyObject* self, const char* name);

// The same for the setter, or for the deleter if the value is null: whether the type answered.
bool setter_override(PyObject* self, const char* name, PyObject* value);

// Calls a function with what a handler got: a sequence and a dict, each of which may be null.
// Returns nullptr with an exception set.
PyObject* call_with(PyObject* function, PyObject* args, PyObject* kwargs);

// What types have that do not override calls; a borrowed reference.
PyObject* disabled_torch_function();

extern PyMethodDef torch_function_methods[];
bool init_torch_function(PyObject* module);

} // namespace torch

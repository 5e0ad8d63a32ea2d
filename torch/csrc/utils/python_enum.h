#pragma once
// Named constants such as torch.strided: objects that print, hash and pickle by their name.
#include <torch/csrc/python_headers.h>

struct THPEnum {
  PyObject_HEAD int value;
  const char* name; // "torch.strided"
};

namespace torch {

PyTypeObject make_enum_type(const char* name, const char* doc);
// Creates the constant and adds it to the module under the last part of its name. Returns a
// borrowed reference that lives as long as the process, or nullptr.
PyObject* add_enum_value(PyObject* module, PyTypeObject* type, int value, const char* name);

} // namespace torch

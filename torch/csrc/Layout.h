#pragma once
// torch.layout
#include <torch/csrc/python_headers.h>

#include <c10/core/Layout.h>

extern PyTypeObject THPLayoutType;
bool THPLayout_init(PyObject* module);
inline bool THPLayout_Check(PyObject* object) {
  return Py_TYPE(object) == &THPLayoutType;
}
c10::Layout THPLayout_Unpack(PyObject* object);
PyObject* THPLayout_Get(c10::Layout layout); // borrowed

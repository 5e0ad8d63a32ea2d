#pragma once
// torch.Size: a tuple of ints whose repr and slices are of its own type.
#include <torch/csrc/python_headers.h>

#include <c10/util/ArrayRef.h>

extern PyTypeObject THPSizeType;
bool THPSize_init(PyObject* module);
inline bool THPSize_Check(PyObject* object) {
  return Py_TYPE(object) == &THPSizeType;
}
PyObject* THPSize_New(c10::ArrayRef<int64_t> sizes);
// Converts to a plain tuple.
PyObject* THPTuple_New(c10::ArrayRef<int64_t> values);

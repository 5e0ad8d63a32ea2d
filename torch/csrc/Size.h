#pragma once
// torch.Size: a tuple of ints that prints and slices as itself.
#include <torch/csrc/python_headers.h>

#include <c10/util/ArrayRef.h>

extern PyTypeObject THPSizeType;
bool THPSize_init(PyObject* module);
inline bool THPSize_Check(PyObject* object) {
  return Py_TYPE(object) == &THPSizeType;
}
PyObject* THPSize_New(c10::ArrayRef<int64_t> sizes);
// A plain tuple.
PyObject* THPTuple_New(c10::ArrayRef<int64_t> values);

#pragma once
// torch.memory_format
#include <torch/csrc/python_headers.h>

#include <c10/core/MemoryFormat.h>

extern PyTypeObject THPMemoryFormatType;
bool THPMemoryFormat_init(PyObject* module);
inline bool THPMemoryFormat_Check(PyObject* object) {
  return Py_TYPE(object) == &THPMemoryFormatType;
}
c10::MemoryFormat THPMemoryFormat_Unpack(PyObject* object);
PyObject* THPMemoryFormat_Get(c10::MemoryFormat format); // borrowed

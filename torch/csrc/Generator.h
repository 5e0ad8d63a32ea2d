#pragma once
// torch.Generator
#include <torch/csrc/python_headers.h>

#include <ATen/core/Generator.h>

struct THPGenerator {
  PyObject_HEAD at::Generator cdata;
};

extern PyTypeObject THPGeneratorType;
bool THPGenerator_init(PyObject* module);
inline bool THPGenerator_Check(PyObject* object) {
  return PyType_IsSubtype(Py_TYPE(object), &THPGeneratorType);
}
inline const at::Generator& THPGenerator_Unpack(PyObject* object) {
  return reinterpret_cast<THPGenerator*>(object)->cdata;
}
PyObject* THPGenerator_Wrap(at::Generator generator);

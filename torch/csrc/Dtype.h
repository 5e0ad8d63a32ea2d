#pragma once
// torch.dtype: one immortal object per scalar type.
#include <torch/csrc/python_headers.h>

#include <c10/core/ScalarType.h>

struct THPDtype {
  PyObject_HEAD at::ScalarType scalar_type;
  const char* name; // "float32"
};

extern PyTypeObject THPDtypeType;
extern PyObject* THPDtype_objects[c10::NumScalarTypes];

bool THPDtype_init(PyObject* module);

inline bool THPDtype_Check(PyObject* object) {
  return Py_TYPE(object) == &THPDtypeType;
}
inline PyObject* THPDtype_Get(at::ScalarType type) {
  return THPDtype_objects[static_cast<int>(type)];
}

namespace torch {
// float, int, bool and complex are accepted as dtypes, too.
inline bool is_python_scalar_type(PyObject* object) {
  return object == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
      object == reinterpret_cast<PyObject*>(&PyLong_Type) ||
      object == reinterpret_cast<PyObject*>(&PyBool_Type) ||
      object == reinterpret_cast<PyObject*>(&PyComplex_Type);
}
at::ScalarType unpack_dtype(PyObject* object);
const char* dtype_name(at::ScalarType type);
} // namespace torch

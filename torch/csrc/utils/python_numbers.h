#pragma once
// Converts Python numbers, including NumPy scalars, to C++ numbers. NumPy's types are recognized by
// name, so nothing here links or imports NumPy.
#include <c10/core/Scalar.h>
#include <torch/csrc/Exceptions.h>

#include <cstring>

namespace torch {

inline bool is_numpy_scalar(PyObject* object) {
  const char* name = Py_TYPE(object)->tp_name;
  return std::strncmp(name, "numpy.", 6) == 0 && std::strcmp(name + 6, "ndarray") != 0 &&
      Py_TYPE(object)->tp_as_number && !PySequence_Check(object);
}
inline bool is_numpy_bool(PyObject* object) {
  const char* name = Py_TYPE(object)->tp_name;
  return std::strncmp(name, "numpy.bool", 10) == 0;
}
// Whether this is an int as PyTorch defines it: bool does not count.
inline bool is_int(PyObject* object) {
  if (PyLong_CheckExact(object)) return true;
  if (PyLong_Check(object)) return !PyBool_Check(object);
  return is_numpy_scalar(object) && Py_TYPE(object)->tp_as_number->nb_index &&
      !is_numpy_bool(object);
}
inline bool is_real(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) ||
      (is_numpy_scalar(object) && Py_TYPE(object)->tp_as_number->nb_float);
}
inline bool is_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) ||
      (is_numpy_scalar(object) && Py_TYPE(object)->tp_as_number->nb_float);
}

// Throws python_error (OverflowError) if the value does not fit.
int64_t unpack_long(PyObject* object);
double unpack_double(PyObject* object);
bool unpack_bool(PyObject* object);
c10::complex<double> unpack_complex(PyObject* object);
at::Scalar unpack_scalar(PyObject* object);

PyObject* wrap_scalar(const at::Scalar& scalar);

} // namespace torch

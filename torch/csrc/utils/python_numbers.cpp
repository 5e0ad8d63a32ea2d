#include <torch/csrc/utils/python_numbers.h>

#include <torch/csrc/utils/object_ptr.h>

namespace torch {

int64_t unpack_long(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) throw_python(PyExc_OverflowError, "Overflow when unpacking long long");
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  return value;
}

double unpack_double(PyObject* object) {
  if (PyFloat_CheckExact(object)) return PyFloat_AS_DOUBLE(object);
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) throw_python_error();
  return value;
}

bool unpack_bool(PyObject* object) {
  if (object == Py_True) return true;
  if (object == Py_False) return false;
  const int truth = PyObject_IsTrue(object);
  checked(truth);
  return truth;
}

c10::complex<double> unpack_complex(PyObject* object) {
  const Py_complex value = PyComplex_AsCComplex(object);
  if (value.real == -1.0 && PyErr_Occurred()) throw_python_error();
  return {value.real, value.imag};
}

namespace {

at::Scalar unpack_python_int(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) return at::Scalar(static_cast<uint64_t>(large));
    PyErr_Clear();
  }
  if (overflow != 0) throw_python(PyExc_OverflowError, "Overflow when unpacking long long");
  return at::Scalar(static_cast<int64_t>(value));
}

} // namespace

at::Scalar unpack_scalar(PyObject* object) {
  if (PyFloat_Check(object)) return at::Scalar(PyFloat_AS_DOUBLE(object));
  if (PyBool_Check(object)) return at::Scalar(object == Py_True);
  if (PyLong_Check(object)) return unpack_python_int(object);
  if (PyComplex_Check(object)) return at::Scalar(unpack_complex(object));
  if (is_numpy_bool(object)) return at::Scalar(unpack_bool(object));
  if (Py_TYPE(object)->tp_as_number && Py_TYPE(object)->tp_as_number->nb_index) {
    const THPObjectPtr index(checked(PyNumber_Index(object)));
    return unpack_python_int(index.get());
  }
  if (std::strncmp(Py_TYPE(object)->tp_name, "numpy.c", 7) == 0) {
    return at::Scalar(unpack_complex(object));
  }
  return at::Scalar(unpack_double(object));
}

PyObject* wrap_scalar(const at::Scalar& scalar) {
  if (scalar.isFloatingPoint()) return checked(PyFloat_FromDouble(scalar.toDouble()));
  if (scalar.isBoolean()) return PyBool_FromLong(scalar.toBool());
  if (scalar.isComplex()) {
    const auto value = scalar.toComplexDouble();
    return checked(PyComplex_FromDoubles(value.real(), value.imag()));
  }
  if (scalar.type() == at::ScalarType::UInt64) {
    return checked(PyLong_FromUnsignedLongLong(scalar.toUInt64()));
  }
  return checked(PyLong_FromLongLong(scalar.toLong()));
}

} // namespace torch

#include <torch/csrc/Dtype.h>

#include <c10/core/DefaultDtype.h>
#include <torch/csrc/Exceptions.h>

#include <array>
#include <cctype>
#include <string>

PyObject* THPDtype_objects[c10::NumScalarTypes];

namespace {

at::ScalarType type_of(PyObject* self) {
  return reinterpret_cast<THPDtype*>(self)->scalar_type;
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("torch.%s", reinterpret_cast<THPDtype*>(self)->name);
}

PyObject* reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(reinterpret_cast<THPDtype*>(self)->name);
}

// The module where pickle looks up a dtype by name.
PyObject* module_name(PyObject*, void*) {
  return PyUnicode_FromString("torch");
}

PyObject* is_floating_point(PyObject* self, void*) {
  return PyBool_FromLong(c10::isFloatingType(type_of(self)));
}
PyObject* is_complex(PyObject* self, void*) {
  return PyBool_FromLong(c10::isComplexType(type_of(self)));
}
PyObject* is_signed(PyObject* self, void*) {
  return PyBool_FromLong(c10::isSignedType(type_of(self)));
}
PyObject* itemsize(PyObject* self, void*) {
  return PyLong_FromSize_t(c10::elementSize(type_of(self)));
}

PyObject* to_real(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const at::ScalarType type = type_of(self);
  const at::ScalarType real = c10::isFloatingType(type) ? type
      : c10::isComplexType(type)                        ? c10::toRealValueType(type)
                                                        : c10::get_default_dtype_as_scalartype();
  return Py_NewRef(THPDtype_Get(real));
  END_HANDLE_TH_ERRORS
}

PyObject* to_complex(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const at::ScalarType type = type_of(self);
  const at::ScalarType from = c10::isFloatingType(type) || c10::isComplexType(type)
      ? type
      : c10::get_default_dtype_as_scalartype();
  return Py_NewRef(THPDtype_Get(c10::isComplexType(from) ? from : c10::toComplexType(from)));
  END_HANDLE_TH_ERRORS
}

PyGetSetDef properties[] = {
    {"__module__", module_name, nullptr, nullptr, nullptr},
    {"is_floating_point", is_floating_point, nullptr,
     "Return whether the dtype is a real floating-point dtype.", nullptr},
    {"is_complex", is_complex, nullptr, "Return whether the dtype is complex.", nullptr},
    {"is_signed", is_signed, nullptr, "Return whether the dtype can hold negative numbers.",
     nullptr},
    {"itemsize", itemsize, nullptr, "Return the size of one element in bytes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"to_real", to_real, METH_NOARGS,
     "to_real() -> torch.dtype\n"
     "\n"
     "Return the dtype of the parts of a complex dtype; a real one is returned as it is.\n"
     "\n"
     "Example:\n"
     "    >>> torch.complex64.to_real()\n"
     "    torch.float32"},
    {"to_complex", to_complex, METH_NOARGS,
     "to_complex() -> torch.dtype\n"
     "\n"
     "Return the complex dtype whose parts have this dtype; a complex one is returned as it is.\n"
     "\n"
     "Example:\n"
     "    >>> torch.float32.to_complex()\n"
     "    torch.complex64"},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject make_dtype_type() {
  PyTypeObject type = torch::static_type("torch.dtype", sizeof(THPDtype));
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_doc = "The type of a tensor's elements, such as torch.float32 or torch.int64.";
  type.tp_repr = repr;
  type.tp_methods = methods;
  type.tp_getset = properties;
  return type;
}

struct DtypeNames {
  at::ScalarType type;
  const char* name;
  const char* legacy = nullptr; // the older name, if there is one
};

// The dtypes whose names in Python are not the ScalarType's in lower case.
constexpr DtypeNames kNames[] = {
    {at::ScalarType::Byte, "uint8"},
    {at::ScalarType::Char, "int8"},
    {at::ScalarType::Short, "int16", "short"},
    {at::ScalarType::Int, "int32", "int"},
    {at::ScalarType::Long, "int64", "long"},
    {at::ScalarType::Half, "float16", "half"},
    {at::ScalarType::Float, "float32", "float"},
    {at::ScalarType::Double, "float64", "double"},
    {at::ScalarType::ComplexHalf, "complex32", "chalf"},
    {at::ScalarType::ComplexFloat, "complex64", "cfloat"},
    {at::ScalarType::ComplexDouble, "complex128", "cdouble"},
};

// The ScalarType's name in lower case; lives as long as the process.
const char* lower_case_name(at::ScalarType type) {
  static std::array<std::string, c10::NumScalarTypes> names;
  std::string& name = names[static_cast<size_t>(type)];
  for (const char* letter = c10::toString(type); *letter; ++letter) {
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(*letter)));
  }
  return name.c_str();
}

DtypeNames names_of(at::ScalarType type) {
  for (const DtypeNames& row : kNames) {
    if (row.type == type) return row;
  }
  return {type, lower_case_name(type)};
}

bool add_dtype(PyObject* module, at::ScalarType type) {
  THPDtype* dtype = PyObject_New(THPDtype, &THPDtypeType);
  if (!dtype) return false;
  const DtypeNames names = names_of(type);
  dtype->scalar_type = type;
  dtype->name = names.name;
  PyObject* object = reinterpret_cast<PyObject*>(dtype);
  THPDtype_objects[static_cast<int>(type)] = object;
  return PyModule_AddObjectRef(module, names.name, object) == 0 &&
      (!names.legacy || PyModule_AddObjectRef(module, names.legacy, object) == 0);
}

} // namespace

PyTypeObject THPDtypeType = make_dtype_type();

bool THPDtype_init(PyObject* module) {
  if (PyType_Ready(&THPDtypeType) < 0) return false;
  for (int number = 0; number < static_cast<int>(at::ScalarType::Undefined); ++number) {
    const auto type = static_cast<at::ScalarType>(number);
    if (c10::elementSize(type) != 0 && !add_dtype(module, type)) return false;
  }
  return PyModule_AddObjectRef(module, "dtype", reinterpret_cast<PyObject*>(&THPDtypeType)) == 0;
}

namespace torch {

at::ScalarType unpack_dtype(PyObject* object) {
  if (THPDtype_Check(object)) return reinterpret_cast<THPDtype*>(object)->scalar_type;
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return at::ScalarType::Double;
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return at::ScalarType::Long;
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) return at::ScalarType::Bool;
  if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) return at::ScalarType::ComplexDouble;
  throw_python(PyExc_TypeError, "expected torch.dtype, not %s", Py_TYPE(object)->tp_name);
}

const char* dtype_name(at::ScalarType type) {
  return reinterpret_cast<THPDtype*>(THPDtype_Get(type))->name;
}

} // namespace torch

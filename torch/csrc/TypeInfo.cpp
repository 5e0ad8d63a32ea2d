#include <torch/csrc/TypeInfo.h>

#include <c10/core/DefaultDtype.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>

#include <cmath>
#include <limits>

namespace {

struct DTypeInfo {
  PyObject_HEAD at::ScalarType type;
};

at::ScalarType type_of(PyObject* self) {
  return reinterpret_cast<DTypeInfo*>(self)->type;
}

struct FloatFacts {
  double max, min, eps, tiny, smallest_subnormal;
  int digits; // of the mantissa, in base 2, after the point
};

template <typename T>
FloatFacts facts_of() {
  using Limits = std::numeric_limits<T>;
  return {static_cast<double>(Limits::max()),        static_cast<double>(Limits::lowest()),
          static_cast<double>(Limits::epsilon()),    static_cast<double>(Limits::min()),
          static_cast<double>(Limits::denorm_min()), Limits::digits - 1};
}

FloatFacts facts(at::ScalarType type) {
  switch (type) {
    case at::ScalarType::Half:
      return facts_of<c10::Half>();
    case at::ScalarType::BFloat16:
      return facts_of<c10::BFloat16>();
    case at::ScalarType::Float:
      return facts_of<float>();
#define FACTS_CASE(cpp, name, number) \
  case at::ScalarType::name:          \
    return facts_of<cpp>();
      C10_FORALL_FLOAT8_TYPES(FACTS_CASE)
#undef FACTS_CASE
    default:
      return facts_of<double>();
  }
}

PyObject* make(PyTypeObject* type, at::ScalarType scalar) {
  DTypeInfo* self = PyObject_New(DTypeInfo, type);
  if (self) self->type = scalar;
  return reinterpret_cast<PyObject*>(self);
}

void check_is_dtype(PyObject* object, const char* function) {
  if (THPDtype_Check(object) || torch::is_python_scalar_type(object)) return;
  torch::throw_python(
      PyExc_TypeError, "%s(): argument 'type' (position 1) must be torch.dtype, not %s", function,
      Py_TYPE(object)->tp_name);
}

PyObject* new_finfo(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"type", nullptr};
  PyObject* dtype = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:finfo", const_cast<char**>(names), &dtype)) {
    return nullptr;
  }
  if (dtype) check_is_dtype(dtype, "finfo");
  at::ScalarType scalar =
      dtype ? torch::unpack_dtype(dtype) : c10::get_default_dtype_as_scalartype();
  if (c10::isComplexType(scalar)) scalar = c10::toRealValueType(scalar);
  if (!c10::isFloatingType(scalar) || c10::isOpaqueType(scalar)) {
    torch::throw_python(
        PyExc_TypeError,
        "torch.finfo() requires a floating point input type. Use torch.iinfo to handle '%s'",
        torch::dtype_name(scalar));
  }
  return make(type, scalar);
  END_HANDLE_TH_ERRORS
}

// The dtype of the integers of a quantized dtype, which is an object of Python; else nothing.
THPObjectPtr stored_dtype(PyObject* dtype) {
  if (THPDtype_Check(dtype)) return {};
  THPObjectPtr stored(PyObject_GetAttrString(dtype, "_stored"));
  PyErr_Clear();
  return stored;
}

PyObject* new_iinfo(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"type", nullptr};
  PyObject* dtype = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:iinfo", const_cast<char**>(names), &dtype)) {
    return nullptr;
  }
  const THPObjectPtr stored = stored_dtype(dtype);
  if (stored) dtype = stored.get();
  check_is_dtype(dtype, "iinfo");
  const at::ScalarType scalar = torch::unpack_dtype(dtype);
  if (scalar == at::ScalarType::Bool) {
    torch::throw_python(PyExc_TypeError, "torch.bool is not supported by torch.iinfo");
  }
  if (!c10::isIntegralType(scalar, false)) {
    torch::throw_python(
        PyExc_TypeError,
        "torch.iinfo() requires an integer input type. Use torch.finfo to handle '%s'",
        torch::dtype_name(scalar));
  }
  return make(type, scalar);
  END_HANDLE_TH_ERRORS
}

PyObject* bits(PyObject* self, void*) {
  return PyLong_FromSize_t(8 * c10::elementSize(type_of(self)));
}
PyObject* dtype(PyObject* self, void*) {
  return PyUnicode_FromString(torch::dtype_name(type_of(self)));
}

template <double FloatFacts::*kFact>
PyObject* float_fact(PyObject* self, void*) {
  return PyFloat_FromDouble(facts(type_of(self)).*kFact);
}
PyObject* resolution(PyObject* self, void*) {
  const int digits = static_cast<int>(facts(type_of(self)).digits * std::log10(2.0));
  return PyFloat_FromDouble(std::pow(10.0, -digits));
}

PyObject* int_max(PyObject* self, void*) {
  const at::ScalarType type = type_of(self);
  const int width = static_cast<int>(8 * c10::elementSize(type));
  const uint64_t all = std::numeric_limits<uint64_t>::max() >> (64 - width);
  return PyLong_FromUnsignedLongLong(c10::isSignedType(type) ? all >> 1 : all);
}
PyObject* int_min(PyObject* self, void*) {
  const at::ScalarType type = type_of(self);
  if (!c10::isSignedType(type)) return PyLong_FromLong(0);
  const int shift = static_cast<int>(64 - 8 * c10::elementSize(type));
  return PyLong_FromLongLong(std::numeric_limits<int64_t>::min() >> shift);
}

PyObject* formatted(PyObject* self, const char* format) {
  const THPObjectPtr text(PyUnicode_FromString(format));
  return text ? PyObject_CallMethod(text.get(), "format", "O", self) : nullptr;
}
PyObject* float_repr(PyObject* self) {
  return formatted(
      self,
      "finfo(resolution={0.resolution:g}, min={0.min:g}, max={0.max:g}, eps={0.eps:g}, "
      "smallest_normal={0.smallest_normal:g}, tiny={0.tiny:g}, dtype={0.dtype})");
}
PyObject* int_repr(PyObject* self) {
  return formatted(self, "iinfo(min={0.min}, max={0.max}, dtype={0.dtype})");
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (Py_TYPE(self) != Py_TYPE(other) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((type_of(self) == type_of(other)) == (op == Py_EQ));
}

PyGetSetDef float_properties[] = {
    {"bits", bits, nullptr, "Return the number of bits of the dtype.", nullptr},
    {"eps", float_fact<&FloatFacts::eps>, nullptr,
     "Return the difference between 1 and the next larger number.", nullptr},
    {"max", float_fact<&FloatFacts::max>, nullptr, "Return the largest finite number.", nullptr},
    {"min", float_fact<&FloatFacts::min>, nullptr,
     "Return the smallest finite number, which is negative but for formats without sign.", nullptr},
    {"tiny", float_fact<&FloatFacts::tiny>, nullptr,
     "Return the smallest positive normal number. The same as `smallest_normal`.", nullptr},
    {"smallest_normal", float_fact<&FloatFacts::tiny>, nullptr,
     "Return the smallest positive normal number.", nullptr},
    {"smallest_subnormal", float_fact<&FloatFacts::smallest_subnormal>, nullptr,
     "Return the smallest positive number.", nullptr},
    {"resolution", resolution, nullptr,
     "Return the approximate decimal resolution, a power of ten.", nullptr},
    {"dtype", dtype, nullptr, "Return the name of the dtype.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyGetSetDef int_properties[] = {
    {"bits", bits, nullptr, "Return the number of bits of the dtype.", nullptr},
    {"max", int_max, nullptr, "Return the largest number.", nullptr},
    {"min", int_min, nullptr, "Return the smallest number.", nullptr},
    {"dtype", dtype, nullptr, "Return the name of the dtype.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject finfo_type = torch::static_type("torch.finfo", sizeof(DTypeInfo));
PyTypeObject iinfo_type = torch::static_type("torch.iinfo", sizeof(DTypeInfo));

bool add(
    PyObject* module, PyTypeObject& type, const char* doc, newfunc make_new,
    PyGetSetDef* properties, reprfunc repr) {
  type.tp_doc = doc;
  type.tp_new = make_new;
  type.tp_getset = properties;
  type.tp_repr = repr;
  type.tp_richcompare = compare;
  type.tp_hash = PyObject_HashNotImplemented;
  return PyType_Ready(&type) == 0 && PyModule_AddType(module, &type) == 0;
}

} // namespace

bool THPDTypeInfo_init(PyObject* module) {
  return add(module, finfo_type,
             "finfo(dtype=None)\n"
             "\n"
             "The limits of a floating-point or complex dtype; by default of the default dtype.\n"
             "\n"
             "Example:\n"
             "    >>> torch.finfo(torch.float16).max\n"
             "    65504.0",
             new_finfo, float_properties, float_repr) &&
      add(module, iinfo_type,
          "iinfo(dtype)\n"
          "\n"
          "The limits of an integer dtype.\n"
          "\n"
          "Example:\n"
          "    >>> torch.iinfo(torch.int8).max\n"
          "    127",
          new_iinfo, int_properties, int_repr);
}

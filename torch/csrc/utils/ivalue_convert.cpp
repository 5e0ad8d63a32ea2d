#include <torch/csrc/utils/ivalue_convert.h>

#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/python_values.h>

namespace torch {
namespace {

using c10::IValue;
using c10::SchemaType;
using c10::TypeKind;

template <typename T>
IValue enum_value(T value) {
  return IValue(static_cast<int64_t>(value));
}

template <typename T, typename Read>
IValue vector_of(const std::vector<IValue>& items, const Read& read) {
  std::vector<T> values;
  values.reserve(items.size());
  for (const IValue& item : items)
    values.push_back(read(item));
  return IValue(std::move(values));
}

// Converts a list whose items all have the element type to the vector of that kind.
std::optional<IValue> list_value(PyObject* object, const SchemaType& type) {
  const SchemaType& element = *type.element;
  if (type.size && element.kind == TypeKind::Int && is_int(object)) {
    return IValue(std::vector<int64_t>(type.size, unpack_scalar(object).toLong()));
  }
  if (!PyTuple_Check(object) && !PyList_Check(object)) return std::nullopt;
  std::vector<IValue> items;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    auto item = to_ivalue(PySequence_Fast_GET_ITEM(object, i), element);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
  }
  switch (element.kind) {
    case TypeKind::Int:
      return vector_of<int64_t>(items, [](const IValue& item) { return item.toInt(); });
    case TypeKind::Float:
      return vector_of<double>(items, [](const IValue& item) { return item.toDouble(); });
    case TypeKind::Bool:
      return vector_of<bool>(items, [](const IValue& item) { return item.toBool(); });
    case TypeKind::Tensor:
      return vector_of<at::Tensor>(items, [](const IValue& item) { return item.toTensor(); });
    default:
      return IValue(std::move(items));
  }
}

std::optional<IValue> device_value(PyObject* object) {
  if (THPDevice_Check(object) || PyUnicode_Check(object)) return IValue(unpack_device(object));
  return std::nullopt;
}

PyObject* list_object(const std::vector<IValue>& items, const SchemaType* element) {
  static const SchemaType any{TypeKind::Any, nullptr, 0, false};
  THPObjectPtr list(checked(PyList_New(static_cast<Py_ssize_t>(items.size()))));
  for (size_t i = 0; i < items.size(); ++i) {
    PyList_SET_ITEM(list.get(), i, to_python(items[i], element ? *element : any));
  }
  return list.release();
}

template <typename T, typename Make>
PyObject* list_of(const std::vector<T>& values, Make make) {
  THPObjectPtr list(checked(PyList_New(static_cast<Py_ssize_t>(values.size()))));
  for (size_t i = 0; i < values.size(); ++i)
    PyList_SET_ITEM(list.get(), i, checked(make(values[i])));
  return list.release();
}

PyObject* int_object(int64_t value, TypeKind kind) {
  switch (kind) {
    case TypeKind::ScalarType:
      return Py_NewRef(THPDtype_Get(static_cast<at::ScalarType>(value)));
    case TypeKind::Layout:
      return Py_NewRef(THPLayout_Get(static_cast<c10::Layout>(value)));
    case TypeKind::MemoryFormat:
      return Py_NewRef(THPMemoryFormat_Get(static_cast<c10::MemoryFormat>(value)));
    default:
      return checked(PyLong_FromLongLong(value));
  }
}

} // namespace

std::optional<IValue> to_ivalue(PyObject* object, const SchemaType& type) {
  switch (type.kind) {
    case TypeKind::Optional:
      return object == Py_None ? std::optional(IValue()) : to_ivalue(object, *type.element);
    case TypeKind::List:
      return list_value(object, type);
    case TypeKind::Tensor:
      if (THPVariable_Check(object)) return IValue(THPVariable_Unpack(object));
      return std::nullopt;
    case TypeKind::Int:
      if (is_int(object)) return IValue(unpack_scalar(object).toLong());
      return std::nullopt;
    case TypeKind::Float:
      if (is_real(object) && !PyBool_Check(object)) return IValue(unpack_double(object));
      return std::nullopt;
    case TypeKind::Bool:
      if (PyBool_Check(object)) return IValue(object == Py_True);
      return std::nullopt;
    case TypeKind::Complex:
      if (is_number(object)) return IValue(unpack_complex(object));
      return std::nullopt;
    case TypeKind::Scalar:
      if (is_number(object)) return IValue(unpack_scalar(object));
      return std::nullopt;
    case TypeKind::String:
      if (PyUnicode_Check(object)) return IValue(PyUnicode_AsUTF8(object));
      return std::nullopt;
    case TypeKind::Device:
      return device_value(object);
    case TypeKind::ScalarType:
      if (THPDtype_Check(object) || is_python_scalar_type(object))
        return enum_value(unpack_dtype(object));
      return std::nullopt;
    case TypeKind::Layout:
      if (THPLayout_Check(object)) return enum_value(THPLayout_Unpack(object));
      return std::nullopt;
    case TypeKind::MemoryFormat:
      if (THPMemoryFormat_Check(object)) return enum_value(THPMemoryFormat_Unpack(object));
      return std::nullopt;
    case TypeKind::Generator:
      if (THPGenerator_Check(object)) return IValue(THPGenerator_Unpack(object));
      return std::nullopt;
    case TypeKind::Storage:
      if (is_storage(object)) return IValue(unpack_storage(object));
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

PyObject* to_python(const IValue& value, const SchemaType& type) {
  const SchemaType* inner = &type;
  while (inner->is_optional())
    inner = inner->element.get();
  const SchemaType* element = inner->kind == TypeKind::List ? inner->element.get() : nullptr;
  switch (value.tag()) {
    case IValue::Tag::None:
      Py_RETURN_NONE;
    case IValue::Tag::Bool:
      return PyBool_FromLong(value.toBool());
    case IValue::Tag::Int:
      return int_object(value.toInt(), inner->kind);
    case IValue::Tag::Double:
      return checked(PyFloat_FromDouble(value.toDouble()));
    case IValue::Tag::ComplexDouble:
      return wrap_scalar(value.toScalar());
    case IValue::Tag::Device:
      return checked(THPDevice_New(value.toDevice()));
    case IValue::Tag::Tensor:
      return checked(THPVariable_Wrap(value.toTensor()));
    case IValue::Tag::Storage:
      return checked(THPStorage_Wrap(value.toStorage()));
    case IValue::Tag::Generator:
      return checked(THPGenerator_Wrap(value.toGenerator()));
    case IValue::Tag::String:
      return checked(PyUnicode_FromString(value.toStringRef().c_str()));
    case IValue::Tag::BoolList:
      return list_of(value.toBoolList(), [](bool flag) { return PyBool_FromLong(flag); });
    case IValue::Tag::IntList:
      return list_of(value.toIntList(), [](int64_t number) { return PyLong_FromLongLong(number); });
    case IValue::Tag::DoubleList:
      return list_of(
          value.toDoubleList(), [](double number) { return PyFloat_FromDouble(number); });
    case IValue::Tag::TensorList:
      return list_of(value.toTensorList(), [](const at::Tensor& t) { return THPVariable_Wrap(t); });
    case IValue::Tag::GenericList:
      return list_object(value.toGenericList(), element);
    case IValue::Tag::Tuple: {
      const THPObjectPtr list(list_object(value.toTupleElements(), nullptr));
      return checked(PyList_AsTuple(list.get()));
    }
    default:
      throw_python(
          PyExc_TypeError, "cannot convert a value of type %s to Python", value.tag_name());
  }
}

} // namespace torch

namespace torch::python {

std::optional<c10::IValue> value_of(PyObject* object, c10::TypeKind kind) {
  return to_ivalue(object, c10::SchemaType{kind, nullptr, 0, false});
}

PyObject* object_of(const c10::IValue& value, c10::TypeKind kind) {
  return to_python(value, c10::SchemaType{kind, nullptr, 0, false});
}

} // namespace torch::python

#include <torch/csrc/utils/python_arg_parser.h>

#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/tensor_numpy.h>
#include <torch/csrc/utils/torch_function.h>

#include <cstring>

namespace torch {
namespace {

// NumPy's names for parameters: sum(axis=0), add(x1, x2=b).
std::string_view numpy_name(std::string_view keyword) {
  if (keyword == "axis") return "dim";
  if (keyword == "keepdims") return "keepdim";
  if (keyword == "x" || keyword == "a" || keyword == "x1") return "input";
  if (keyword == "x2") return "other";
  return {};
}

std::string_view keyword_text(PyObject* keyword) {
  if (PyUnicode_IS_COMPACT_ASCII(keyword)) [[likely]] {
    return {
        reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(keyword)),
        static_cast<size_t>(PyUnicode_GET_LENGTH(keyword))};
  }
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(keyword, &length);
  if (!text) throw_python_error();
  return {text, static_cast<size_t>(length)};
}

int find_parameter(const Signature& signature, std::string_view name) {
  for (int i = 0; i < signature.count; ++i) {
    if (signature.parameters[i].name == name) return i;
  }
  return -1;
}

// A tensor that requires a gradient is no number: its value would leave the graph without a word.
bool is_number_tensor(PyObject* object) {
  if (!THPVariable_Check(object)) return false;
  const at::Tensor& tensor = THPVariable_Unpack(object);
  return tensor.dim() == 0 && !tensor.requires_grad();
}

bool is_integral_tensor(PyObject* object) {
  if (!THPVariable_Check(object)) return false;
  const at::Tensor& tensor = THPVariable_Unpack(object);
  return c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/false) && tensor.numel() == 1;
}

bool is_int_or_tensor(PyObject* object) {
  return is_int(object) || is_integral_tensor(object);
}

bool is_int_item(PyObject* object) {
  return is_int_or_tensor(object) || is_integer_array(object);
}

bool is_list(PyObject* object) {
  return PyTuple_Check(object) || PyList_Check(object);
}

// Checks only the first item; others are rejected, with their position, during conversion.
template <typename Accepts>
bool is_list_of(PyObject* object, Accepts accepts) {
  if (!is_list(object)) return false;
  return PySequence_Fast_GET_SIZE(object) == 0 || accepts(PySequence_Fast_GET_ITEM(object, 0));
}

bool is_tensor_or_none(PyObject* object) {
  return object == Py_None || THPVariable_Check(object);
}

bool is_typed_storage(const Signature& signature, PyObject* const* slots) {
  return signature.count && signature.parameters[0].type == ParameterType::Storage &&
      !THPStorage_Check(slots[0]);
}

void check_storage_dtype(const at::Tensor& self, PyObject* storage) {
  const THPObjectPtr dtype(checked(PyObject_GetAttrString(storage, "dtype")));
  if (!THPDtype_Check(dtype.get())) return; // a type that only Python knows
  const at::ScalarType type = reinterpret_cast<THPDtype*>(dtype.get())->scalar_type;
  TORCH_CHECK(
      type == self.scalar_type(), "Expected a Storage of type ", self.dtype(),
      " or an UntypedStorage, but got type ", type, " for argument 1 'storage'");
}

} // namespace

bool PythonArgParser::accepts(
    const Parameter& parameter, PyObject* object, PythonArgs& result) const {
  switch (parameter.type) {
    case ParameterType::Tensor:
      if (THPVariable_CheckExact(object)) return true;
      if (THPVariable_Check(object)) {
        result.overridden_ |= has_torch_function(object);
        return true;
      }
      if ((flags_ & kNumbersAsTensors) && !(parameter.flags & kKeywordOnly) && is_number(object)) {
        return true;
      }
      return false;
    case ParameterType::Scalar:
      if (is_number(object) || is_number_tensor(object)) return true;
      break;
    case ParameterType::Number:
      return !THPVariable_Check(object) && is_number(object);
    case ParameterType::Int:
      if (is_int(object) || (is_integral_tensor(object) && is_number_tensor(object))) return true;
      break;
    case ParameterType::SymInt:
      if (is_int_or_tensor(object)) return true;
      break;
    case ParameterType::Double:
      if (is_real(object) || is_number_tensor(object)) return true;
      break;
    case ParameterType::Bool:
      return PyBool_Check(object) || is_numpy_bool(object);
    case ParameterType::String:
      return PyUnicode_Check(object);
    case ParameterType::IntList:
      if (parameter.size && is_int_or_tensor(object)) return true;
      return is_list_of(object, is_int_item);
    case ParameterType::DoubleList:
      return (parameter.size && is_real(object)) || is_list_of(object, is_real);
    case ParameterType::BoolList:
      return is_list_of(object, [](PyObject* item) { return PyBool_Check(item) != 0; });
    case ParameterType::ScalarList:
      return is_list_of(object, is_number);
    case ParameterType::TensorList: {
      if (!is_list(object)) return false;
      const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
      for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(object, i);
        if (!THPVariable_CheckExact(item)) result.overridden_ |= has_torch_function(item);
      }
      return true;
    }
    case ParameterType::OptionalTensorList:
      return is_list_of(object, is_tensor_or_none);
    case ParameterType::ScalarType:
      return THPDtype_Check(object) || is_python_scalar_type(object);
    case ParameterType::Layout:
      return THPLayout_Check(object);
    case ParameterType::Device:
      return PyUnicode_Check(object) || THPDevice_Check(object) || is_int(object);
    case ParameterType::MemoryFormat:
      return THPMemoryFormat_Check(object);
    case ParameterType::Generator:
      return THPGenerator_Check(object);
    case ParameterType::Storage:
      result.overridden_ |= !THPStorage_Check(object); // parse() compares the dtype
      return is_storage(object);
    case ParameterType::Object:
      return true;
  }
  return false;
}

bool PythonArgParser::is_overridden(PyObject* object, PythonArgs& result) const {
  if (!torch_function_enabled()) return false;
  if (is_list(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(object, i);
      if (!THPVariable_Check(item) && has_torch_function(item)) return result.overridden_ = true;
    }
    return false;
  }
  if (THPVariable_Check(object) || !has_torch_function(object)) return false;
  return result.overridden_ = true;
}

bool PythonArgParser::matches(
    const Signature& signature, PythonArgs& result, PyObject* const* args, Py_ssize_t nargs,
    PyObject* kwnames) const {
  const Parameter* parameters = signature.parameters;
  result.varargs_ = false;
  result.overridden_ = false;
  Py_ssize_t filled = nargs;
  if (signature.positional == 1 && nargs >= 1 && parameters[0].type == ParameterType::IntList &&
      !parameters[0].size && is_int_item(args[0])) {
    result.varargs_ = true;
    result.slots_[0] = args[0];
    filled = 1;
  } else {
    if (nargs > signature.positional) return false;
    for (Py_ssize_t i = 0; i < nargs; ++i) {
      PyObject* object = args[i];
      if (!(object == Py_None && parameters[i].allows_none()) &&
          !accepts(parameters[i], object, result) && !is_overridden(object, result)) {
        return false;
      }
      result.slots_[i] = object;
    }
  }
  for (Py_ssize_t i = filled; i < signature.count; ++i)
    result.slots_[i] = nullptr;
  if (kwnames) {
    const Py_ssize_t keywords = PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t k = 0; k < keywords; ++k) {
      const std::string_view text = keyword_text(PyTuple_GET_ITEM(kwnames, k));
      int i = find_parameter(signature, text);
      if (i < 0) i = find_parameter(signature, numpy_name(text));
      if (i < 0 || result.slots_[i]) return false;
      PyObject* object = args[nargs + k];
      if (!(object == Py_None && parameters[i].allows_none()) &&
          !accepts(parameters[i], object, result) && !is_overridden(object, result)) {
        return false;
      }
      result.slots_[i] = object;
    }
  }
  for (Py_ssize_t i = filled; i < signature.count; ++i) {
    if (!result.slots_[i] && !parameters[i].has_default()) return false;
  }
  return true;
}

int PythonArgParser::parse(
    PythonArgs& result, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
    PyObject* kwnames) const {
  for (int i = 0; i < count_; ++i) {
    if (!matches(signatures_[i], result, args, nargs, kwnames)) continue;
    result.parser_ = this;
    result.signature_ = &signatures_[i];
    result.args_ = args;
    result.nargs_ = nargs;
    if (self && !THPVariable_CheckExact(self)) [[unlikely]] {
      result.overridden_ |= has_torch_function(self);
    }
    if (result.overridden_ || !THPVariablePlainClass) [[unlikely]] {
      if (self && is_typed_storage(signatures_[i], result.slots_)) {
        check_storage_dtype(THPVariable_Unpack(self), result.slots_[0]);
        result.overridden_ = has_torch_function(self);
      }
      if (result.overridden_ && torch_function_enabled()) return kOverridden;
      if (torch_function_mode_enabled()) return kOverridden;
    }
    return i;
  }
  raise(args, nargs, kwnames);
}

PyObject* PythonArgParser::call_override(
    PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) const {
  return call_torch_function(
      public_function(name_, self != nullptr, flags_ & kNnModule), self, args, nargs, kwnames);
}

PyObject* method_override(PyObject* self, const char* name) {
  if (!overrides_calls(self)) return nullptr;
  return call_torch_function(public_function(name, true, false), self, nullptr, 0, nullptr);
}

} // namespace torch

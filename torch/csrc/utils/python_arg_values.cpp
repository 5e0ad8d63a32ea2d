// The conversions behind PythonArgs' accessors. Types have already been checked, values have not.
#include <ATen/core/Generator.h>
#include <ATen/ops/item.h>
#include <c10/core/GradMode.h>
#include <c10/core/Storage.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/tensor_numpy.h>

namespace torch {
namespace {

int64_t int_item(PyObject* object) {
  if (PyLong_CheckExact(object)) return unpack_long(object);
  if (THPVariable_Check(object)) return at::methods::item(THPVariable_Unpack(object)).toLong();
  const THPObjectPtr index(checked(PyNumber_Index(object)));
  return unpack_long(index.get());
}

bool is_int_item(PyObject* object) {
  if (PyLong_Check(object)) return true;
  if (!THPVariable_Check(object)) return is_int(object) || is_integer_array(object);
  const at::Tensor& tensor = THPVariable_Unpack(object);
  return c10::isIntegralType(tensor.scalar_type(), false) && tensor.numel() == 1;
}

} // namespace

const char* PythonArgs::name() const {
  return parser_->name();
}

void PythonArgs::throw_wrong_type(int i, const char* wanted) const {
  const THPObjectPtr name(
      PyUnicode_FromStringAndSize(parameter(i).name.data(), parameter(i).name.size()));
  throw_python(
      PyExc_TypeError, "%s(): argument '%U' must be %s, not %s", this->name(), name.get(), wanted,
      Py_TYPE(slots_[i])->tp_name);
}

const at::Tensor& PythonArgs::tensor_or_number_slow(int i, at::Tensor& number) const {
  if (THPVariable_Check(slots_[i])) return tensor(i);
  number = wrapped_number_tensor(unpack_scalar(slots_[i]));
  return number;
}

at::Scalar PythonArgs::scalar(int i) const {
  if (THPVariable_Check(slots_[i])) return at::methods::item(tensor(i));
  return unpack_scalar(slots_[i]);
}

std::optional<at::Scalar> PythonArgs::optional_scalar(int i) const {
  return has(i) ? std::optional(scalar(i)) : std::nullopt;
}

int64_t PythonArgs::integer(int i) const {
  return int_item(slots_[i]);
}

std::optional<int64_t> PythonArgs::optional_integer(int i) const {
  return has(i) ? std::optional(integer(i)) : std::nullopt;
}

double PythonArgs::real(int i) const {
  if (THPVariable_Check(slots_[i])) return at::methods::item(tensor(i)).toDouble();
  return unpack_double(slots_[i]);
}

std::optional<double> PythonArgs::optional_real(int i) const {
  return has(i) ? std::optional(real(i)) : std::nullopt;
}

bool PythonArgs::boolean(int i) const {
  return unpack_bool(slots_[i]);
}

std::optional<bool> PythonArgs::optional_boolean(int i) const {
  return has(i) ? std::optional(boolean(i)) : std::nullopt;
}

std::string_view PythonArgs::string(int i) const {
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(slots_[i], &length);
  if (!text) throw_python_error();
  return {text, static_cast<size_t>(length)};
}

std::optional<std::string_view> PythonArgs::optional_string(int i) const {
  return has(i) ? std::optional(string(i)) : std::nullopt;
}

PythonArgs::IntList PythonArgs::int_list(int i) const {
  PyObject* const* items = nullptr;
  Py_ssize_t count = 0;
  if (varargs_ && i == 0) {
    items = args_;
    count = nargs_;
  } else if (PyTuple_Check(slots_[i]) || PyList_Check(slots_[i])) {
    items = PySequence_Fast_ITEMS(slots_[i]);
    count = PySequence_Fast_GET_SIZE(slots_[i]);
  } else if (slots_[i] == Py_None) {
    return {}; // only accepted where the default is empty
  } else {
    return IntList(parameter(i).size, int_item(slots_[i]));
  }
  IntList result(count);
  for (Py_ssize_t k = 0; k < count; ++k) {
    if (PyLong_CheckExact(items[k])) [[likely]] {
      result[k] = unpack_long(items[k]);
    } else if (is_int_item(items[k])) {
      result[k] = int_item(items[k]);
    } else {
      const THPObjectPtr parameter_name(
          PyUnicode_FromStringAndSize(parameter(i).name.data(), parameter(i).name.size()));
      throw_python(
          PyExc_TypeError,
          "%s(): argument '%U' failed to unpack the object at pos %zd with error \"type must be "
          "tuple of ints,but got %s\"",
          name(), parameter_name.get(), k + 1, Py_TYPE(items[k])->tp_name);
    }
  }
  return result;
}

std::optional<PythonArgs::IntList> PythonArgs::optional_int_list(int i) const {
  if (!has(i)) return std::nullopt;
  return int_list(i);
}

PythonArgs::TensorList PythonArgs::tensor_list(int i) const {
  PyObject* const* items = PySequence_Fast_ITEMS(slots_[i]);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(slots_[i]);
  TensorList result;
  result.reserve(count);
  for (Py_ssize_t k = 0; k < count; ++k) {
    if (!THPVariable_Check(items[k])) {
      throw_python(
          PyExc_TypeError, "expected Tensor as element %zd in argument %d, but got %s", k, i,
          Py_TYPE(items[k])->tp_name);
    }
    result.push_back(THPVariable_Unpack(items[k]));
  }
  return result;
}

c10::List<std::optional<at::Tensor>> PythonArgs::optional_tensor_list(int i) const {
  PyObject* const* items = PySequence_Fast_ITEMS(slots_[i]);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(slots_[i]);
  c10::List<std::optional<at::Tensor>> result;
  result.reserve(count);
  for (Py_ssize_t k = 0; k < count; ++k) {
    if (items[k] == Py_None) {
      result.emplace_back(std::nullopt);
    } else if (THPVariable_Check(items[k])) {
      result.emplace_back(THPVariable_Unpack(items[k]));
    } else {
      throw_python(
          PyExc_TypeError, "expected Tensor or None as element %zd in argument %d, but got %s", k,
          i, Py_TYPE(items[k])->tp_name);
    }
  }
  return result;
}

PythonArgs::TensorList PythonArgs::out_list(int i, int n) const {
  TensorList result = tensor_list(i);
  if (static_cast<int>(result.size()) != n) {
    throw_python(
        PyExc_TypeError, "%s(): argument 'out' must be tuple of %d Tensors, not of %zd", name(), n,
        static_cast<Py_ssize_t>(result.size()));
  }
  return result;
}

std::optional<c10::SmallVector<double, 4>> PythonArgs::optional_double_list(int i) const {
  if (!has(i)) return std::nullopt;
  const THPObjectPtr items(checked(PySequence_Fast(slots_[i], "expected a sequence of floats")));
  c10::SmallVector<double, 4> result;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.get()); ++k) {
    result.push_back(unpack_double(PySequence_Fast_GET_ITEM(items.get(), k)));
  }
  return result;
}

c10::SmallVector<at::Scalar, 4> PythonArgs::scalar_list(int i) const {
  c10::SmallVector<at::Scalar, 4> result;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(slots_[i]); ++k) {
    PyObject* item = PySequence_Fast_GET_ITEM(slots_[i], k);
    if (!is_number(item)) throw_wrong_type(i, "tuple of Scalars");
    result.push_back(unpack_scalar(item));
  }
  return result;
}

void PythonArgs::fill_bools(int i, bool* flags, size_t count) const {
  if (static_cast<size_t>(PySequence_Fast_GET_SIZE(slots_[i])) != count)
    throw_wrong_type(i, "tuple of bools");
  for (size_t k = 0; k < count; ++k)
    flags[k] = unpack_bool(PySequence_Fast_GET_ITEM(slots_[i], k));
}

at::ScalarType PythonArgs::dtype(int i) const {
  return unpack_dtype(slots_[i]);
}

c10::Layout PythonArgs::layout(int i) const {
  return THPLayout_Unpack(slots_[i]);
}

c10::Device PythonArgs::device(int i) const {
  const c10::Device device = unpack_device(slots_[i]);
  if (device.is_cuda()) cuda::lazy_init();
  return device;
}

c10::MemoryFormat PythonArgs::memory_format(int i) const {
  return THPMemoryFormat_Unpack(slots_[i]);
}

std::optional<at::Generator> PythonArgs::optional_generator(int i) const {
  return has(i) ? std::optional(THPGenerator_Unpack(slots_[i])) : std::nullopt;
}

c10::Storage PythonArgs::storage(int i) const {
  return unpack_storage(slots_[i]);
}

void PythonArgs::set_requires_grad(int i, const at::Tensor& tensor) const {
  if (slots_[i] != Py_None && unpack_bool(slots_[i]) && !tensor.requires_grad())
    tensor.set_requires_grad(true);
}

void PythonArgs::check_out(int out, int dtype, int layout, int device) const {
  const at::Tensor& result = tensor(out);
  TORCH_CHECK(
      !result.requires_grad() || !c10::GradMode::is_enabled(), "aten::", name(),
      "(): functions with out=... arguments don't support automatic differentiation, but one of "
      "the arguments requires grad.");
  if (has(dtype)) {
    TORCH_CHECK(
        this->dtype(dtype) == result.scalar_type(), "dtype ", this->dtype(dtype),
        " does not match dtype of out parameter (", result.scalar_type(), ")");
  }
  if (has(layout)) {
    TORCH_CHECK(
        this->layout(layout) == result.layout(), "layout ", this->layout(layout),
        " does not match layout of out parameter (", result.layout(), ")");
  }
  if (has(device)) {
    TORCH_CHECK(
        this->device(device).type() == result.device().type(), "device type ",
        this->device(device).type(), " does not match device type of out parameter (",
        result.device().type(), ")");
  }
}

} // namespace torch

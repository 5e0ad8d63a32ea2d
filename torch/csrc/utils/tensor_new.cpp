#include <torch/csrc/utils/tensor_new.h>

#include <ATen/DeterministicFill.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ScalarValue.h>
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/set_ops.h>
#include <ATen/ops/to_ops.h>
#include <c10/core/DefaultDtype.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/cuda_array_interface.h>
#include <torch/csrc/utils/dlpack.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/tensor_list.h>
#include <torch/csrc/utils/tensor_numpy.h>

namespace torch {
namespace {

using Sizes = c10::SmallVector<int64_t, 6>;
constexpr size_t kMaxDims = 128;

bool is_sequence(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object) ||
      (PySequence_Check(object) && !PyUnicode_Check(object) && !PyBytes_Check(object) &&
       !is_number(object));
}

// The lengths along the first elements; storing the data checks that the others agree.
Sizes sizes_of(PyObject* data) {
  Sizes sizes;
  THPObjectPtr item(Py_NewRef(data));
  while (is_sequence(item.get())) {
    if (THPVariable_Check(item.get())) {
      for (const int64_t size : THPVariable_Unpack(item.get()).sizes())
        sizes.push_back(size);
      break;
    }
    const Py_ssize_t length = PySequence_Size(item.get());
    checked(static_cast<int>(length < 0 ? -1 : 0));
    sizes.push_back(length);
    if (sizes.size() > kMaxDims) {
      throw_python(PyExc_ValueError, "too many dimensions '%s'", Py_TYPE(data)->tp_name);
    }
    if (length == 0) break;
    PyObject* const first = PySequence_GetItem(item.get(), 0);
    if (!first) {
      throw_python(
          PyExc_ValueError, "could not determine the shape of object type '%s'",
          Py_TYPE(item.get())->tp_name);
    }
    item = first;
  }
  if (PyUnicode_Check(item.get()) || PyBytes_Check(item.get())) {
    if (sizes.empty())
      throw_python(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(data)->tp_name);
    throw_python(PyExc_ValueError, "too many dimensions '%s'", Py_TYPE(item.get())->tp_name);
  }
  return sizes;
}

at::ScalarType numpy_scalar_dtype(PyObject* object) {
  const auto tensor = tensor_from_array_interface(object);
  return tensor ? tensor->scalar_type() : at::ScalarType::Undefined;
}

at::ScalarType infer_one(PyObject* object) {
  if (PyFloat_CheckExact(object)) return c10::get_default_dtype_as_scalartype();
  if (PyBool_Check(object)) return at::ScalarType::Bool;
  if (PyLong_Check(object)) return at::ScalarType::Long;
  if (THPVariable_Check(object)) return THPVariable_Unpack(object).scalar_type();
  if (is_numpy_scalar(object)) return numpy_scalar_dtype(object);
  if (PyFloat_Check(object)) return c10::get_default_dtype_as_scalartype();
  if (PyComplex_Check(object)) return c10::toComplexType(c10::get_default_dtype_as_scalartype());
  return at::ScalarType::Undefined;
}

at::ScalarType infer(PyObject* data, int depth) {
  const at::ScalarType known = infer_one(data);
  if (known != at::ScalarType::Undefined) return known;
  if (!is_sequence(data)) {
    throw_python(PyExc_RuntimeError, "Could not infer dtype of %s", Py_TYPE(data)->tp_name);
  }
  if (depth > static_cast<int>(kMaxDims)) {
    throw_python(PyExc_ValueError, "too many dimensions '%s'", Py_TYPE(data)->tp_name);
  }
  const THPObjectPtr items(checked(PySequence_Fast(data, "not a sequence")));
  at::ScalarType result = at::ScalarType::Undefined;
  PyTypeObject* previous = nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    const bool plain = PyFloat_CheckExact(item) || PyLong_CheckExact(item) || PyBool_Check(item);
    if (plain && Py_TYPE(item) == previous) continue;
    previous = plain ? Py_TYPE(item) : nullptr;
    const at::ScalarType one = infer(item, depth + 1);
    result = result == at::ScalarType::Undefined ? one : c10::promoteTypes(result, one);
  }
  return result == at::ScalarType::Undefined ? c10::get_default_dtype_as_scalartype() : result;
}

// Integers must fit. Floating-point numbers are rounded; those beyond the largest become infinity.
template <typename T>
void store_as(char* data, PyObject* item) {
  if constexpr (c10::is_complex<T>::value) {
    const Py_complex number = PyComplex_AsCComplex(item);
    if (number.real == -1 && PyErr_Occurred()) throw_python_error();
    *reinterpret_cast<T*>(data) =
        at::convert_element<T>(c10::complex<double>(number.real, number.imag));
  } else if constexpr (std::is_integral_v<T>) {
    *reinterpret_cast<T*>(data) = unpack_scalar(item).to<T>();
  } else {
    *reinterpret_cast<T*>(data) = at::convert_element<T>(unpack_double(item));
  }
}

// Writes one number; throws if the value does not fit the dtype.
void store(char* data, at::ScalarType type, PyObject* item) {
  if (THPVariable_Check(item)) {
    if (THPVariable_Unpack(item).numel() != 1) {
      throw_python(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
    }
    const THPObjectPtr number(item_of(THPVariable_Unpack(item)));
    return store(data, type, number.get());
  }
  if (!is_number(item)) {
    throw_python(PyExc_TypeError, "must be real number, not %s", Py_TYPE(item)->tp_name);
  }
  if (PyComplex_Check(item) && !c10::isComplexType(type)) {
    throw_python(PyExc_TypeError, "must be real number, not %s", Py_TYPE(item)->tp_name);
  }
  if (type == at::ScalarType::Long && PyLong_Check(item)) {
    int overflow = 0;
    *reinterpret_cast<int64_t*>(data) = PyLong_AsLongLongAndOverflow(item, &overflow);
    if (overflow) throw_python(PyExc_ValueError, "Overflow when unpacking long long");
    return;
  }
  if (type == at::ScalarType::Bool) {
    *reinterpret_cast<bool*>(data) = unpack_bool(item);
    return;
  }
  switch (type) {
#define STORE(cpp, name, number) \
  case at::ScalarType::name:     \
    return store_as<cpp>(data, item);
    C10_FORALL_SCALAR_TYPES(STORE)
#undef STORE
    default:
      throw_python(PyExc_TypeError, "cannot create a tensor of this dtype from data");
  }
}

class Filler {
 public:
  Filler(const Sizes& sizes, at::ScalarType type)
      : sizes_(sizes), type_(type), step_(c10::elementSize(type)) {}

  char* fill(char* data, PyObject* item, size_t dim) const {
    if (dim == sizes_.size()) {
      store(data, type_, item);
      return data + step_;
    }
    if (!is_sequence(item)) throw_python(PyExc_TypeError, "not a sequence");
    if (THPVariable_Check(item)) return fill_tensor(data, THPVariable_Unpack(item), dim);
    const THPObjectPtr items(checked(PySequence_Fast(item, "not a sequence")));
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(items.get());
    if (length != sizes_[dim]) bad_length(length, dim);
    for (Py_ssize_t i = 0; i < length; ++i) {
      data = fill(data, PySequence_Fast_GET_ITEM(items.get(), i), dim + 1);
    }
    return data;
  }

 private:
  [[noreturn]] void bad_length(Py_ssize_t length, size_t dim) const {
    throw_python(
        PyExc_ValueError, "expected sequence of length %lld at dim %zd (got %zd)",
        static_cast<long long>(sizes_[dim]), static_cast<Py_ssize_t>(dim), length);
  }

  char* fill_tensor(char* data, const at::Tensor& tensor, size_t dim) const {
    const THPObjectPtr values(list_of(tensor));
    return fill(data, values.get(), dim);
  }

  const Sizes& sizes_;
  at::ScalarType type_;
  size_t step_;
};

at::Tensor on_device(at::Tensor tensor, const std::optional<c10::Device>& device) {
  if (!device || tensor.device() == *device) return tensor;
  return at::_ops::to_dtype_layout::call(
      tensor, std::nullopt, std::nullopt, device, std::nullopt, false, false, std::nullopt);
}

at::Tensor converted(const at::Tensor& tensor, const NewTensorOptions& options) {
  return at::_ops::to_dtype_layout::call(
      tensor, options.dtype.value_or(tensor.scalar_type()), std::nullopt,
      options.device.value_or(tensor.device()), std::nullopt, false, !options.share, std::nullopt);
}

at::Tensor from_sequence(PyObject* data, const NewTensorOptions& options) {
  const Sizes sizes = sizes_of(data);
  const at::ScalarType type = options.dtype ? *options.dtype : infer(data, 0);
  at::Tensor tensor(at::detail::empty_cpu(sizes, type));
  if (tensor.numel() || sizes.empty()) {
    Filler(sizes, type).fill(static_cast<char*>(tensor.data_ptr()), data, 0);
  }
  return on_device(std::move(tensor), options.device);
}

} // namespace

at::Tensor wrapped_number_tensor(const at::Scalar& scalar) {
  const at::ScalarType type = scalar.type();
  at::Tensor tensor(at::detail::empty_cpu({}, type));
  switch (type) {
    case at::ScalarType::Double:
      *static_cast<double*>(tensor.data_ptr()) = scalar.toDouble();
      break;
    case at::ScalarType::Bool:
      *static_cast<bool*>(tensor.data_ptr()) = scalar.toBool();
      break;
    case at::ScalarType::UInt64:
      *static_cast<uint64_t*>(tensor.data_ptr()) = scalar.toUInt64();
      break;
    case at::ScalarType::ComplexDouble:
      *static_cast<c10::complex<double>*>(tensor.data_ptr()) = scalar.toComplexDouble();
      break;
    default:
      *static_cast<int64_t*>(tensor.data_ptr()) = scalar.toLong();
  }
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

at::ScalarType infer_dtype(PyObject* data) {
  return infer(data, 0);
}

at::Tensor elements_of(const c10::Storage& storage, at::ScalarType dtype) {
  at::Tensor elements(at::detail::empty_on(storage.device(), {0}, dtype));
  const auto count = static_cast<int64_t>(storage.nbytes() / elements.itemsize());
  const int64_t stride = 1;
  return at::_ops::set__source_Storage_storage_offset::call(elements, storage, 0, count, stride);
}

at::Tensor tensor_from_data(PyObject* data, const NewTensorOptions& options) {
  if (PyFloat_CheckExact(data) || PyLong_CheckExact(data) || PyList_CheckExact(data)) {
    return from_sequence(data, options);
  }
  if (THPVariable_Check(data)) return converted(THPVariable_Unpack(data), options);
  if (is_numpy_array(data)) return converted(tensor_from_numpy(data, options.share), options);
  if (THPStorage_Check(data)) { // as PyTorch's, without a dtype its bytes are integers of 64 bits
    const at::ScalarType dtype = options.dtype.value_or(at::ScalarType::Long);
    return converted(elements_of(unpack_storage(data), dtype), options);
  }
  if (!PyTuple_CheckExact(data)) {
    if (auto tensor = tensor_from_cuda_array_interface(data)) return converted(*tensor, options);
  }
  if (!PyTuple_Check(data) && !PyList_Check(data) && !is_number(data)) {
    if (auto tensor = tensor_from_array_interface(data)) return converted(*tensor, options);
    if (auto tensor = tensor_from_dlpack_object(data)) return converted(*tensor, options);
    if (is_storage(data)) {
      if (auto tensor = tensor_over_storage(data, options.dtype))
        return converted(*tensor, options);
    }
  }
  return from_sequence(data, options);
}

std::optional<at::Tensor> tensor_over_storage(
    PyObject* object, std::optional<at::ScalarType> dtype) {
  std::optional<at::ScalarType> type = dtype;
  if (PyObject_HasAttrString(object, "dtype")) {
    const THPObjectPtr own(checked(PyObject_GetAttrString(object, "dtype")));
    if (THPDtype_Check(own.get())) {
      type = reinterpret_cast<THPDtype*>(own.get())->scalar_type;
      TORCH_CHECK(
          !dtype || *dtype == *type, "Expected a Storage of type ", *dtype,
          " or an UntypedStorage, but got ", *type);
    }
  }
  if (!type) return std::nullopt;
  return elements_of(unpack_storage(object), *type);
}

namespace {

at::Tensor legacy_new(PyObject* args, PyObject* kwargs, NewTensorOptions options) {
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  PyObject* size = nullptr;
  if (kwargs) {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(kwargs, &position, &key, &value)) {
      if (count == 0 && PyUnicode_CompareWithASCIIString(key, "size") == 0) {
        size = value;
        continue;
      }
      if (PyUnicode_CompareWithASCIIString(key, "device") != 0) {
        throw_python(
            PyExc_TypeError,
            "new() received an invalid combination of arguments - got unrecognized keyword "
            "arguments: %U",
            key);
      }
      if (value != Py_None) options.device = unpack_device(value);
    }
  }
  if (count == 0 && size) {
    const THPObjectPtr sizes(checked(PySequence_Tuple(size)));
    const NewTensorOptions on_cpu{.dtype = options.dtype, .device = std::nullopt};
    return on_device(legacy_new(sizes.get(), nullptr, on_cpu), options.device);
  }
  if (count == 0)
    return on_device(at::Tensor(at::detail::empty_cpu({0}, *options.dtype)), options.device);
  PyObject* first = PyTuple_GET_ITEM(args, 0);
  if (count == 1 && THPVariable_Check(first)) {
    return at::_ops::alias::call(THPVariable_Unpack(first));
  }
  if (count == 1 && is_storage(first)) {
    return *tensor_over_storage(first, options.dtype);
  }
  if (count == 1 && !is_int(first) && !(PyTuple_Check(first) && Py_TYPE(first) != &PyTuple_Type)) {
    if (!is_sequence(first)) {
      throw_python(
          PyExc_TypeError, "new(): data must be a sequence (got %s)", Py_TYPE(first)->tp_name);
    }
    return tensor_from_data(first, options);
  }
  PyObject* sizes_from = count == 1 && PyTuple_Check(first) ? first : args;
  Sizes sizes;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sizes_from); ++i) {
    PyObject* item = PyTuple_GET_ITEM(sizes_from, i);
    if (!is_int(item)) {
      throw_python(
          PyExc_TypeError,
          "new() received an invalid combination of arguments: sizes must be ints, not %s",
          Py_TYPE(item)->tp_name);
    }
    sizes.push_back(unpack_scalar(item).toLong());
  }
  const at::Tensor tensor(at::detail::empty_cpu(sizes, *options.dtype));
  return on_device(at::uninitialized(tensor), options.device);
}

} // namespace

at::Tensor legacy_tensor_constructor(PyObject* args, PyObject* kwargs) {
  NewTensorOptions options;
  options.dtype = c10::get_default_dtype_as_scalartype();
  return legacy_new(args, kwargs, options);
}

at::Tensor legacy_typed_tensor(at::ScalarType dtype, PyObject* args, PyObject* kwargs) {
  NewTensorOptions options;
  options.dtype = dtype;
  at::Tensor tensor = legacy_new(args, kwargs, options);
  TORCH_CHECK(
      tensor.is_cpu(),
      "legacy constructor expects device type: cpu but device type: ", tensor.device().type(),
      " was passed");
  TORCH_CHECK_TYPE(
      tensor.scalar_type() == dtype, "expected a tensor of type ", dtype, " (got ",
      tensor.scalar_type(), ")");
  return tensor;
}

} // namespace torch

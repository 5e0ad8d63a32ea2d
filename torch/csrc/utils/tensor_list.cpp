#include <torch/csrc/utils/tensor_list.h>

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/MathBits.h>
#include <ATen/ops/_local_scalar_dense_ops.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/to.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

namespace torch {
namespace {

PyObject* complex_number(double real, double imag) {
  return PyComplex_FromDoubles(real, imag);
}

// Reads one element in memory as a Python number.
PyObject* element(const void* data, at::ScalarType type) {
  switch (type) {
    case at::ScalarType::Bool:
      return PyBool_FromLong(*static_cast<const bool*>(data));
    case at::ScalarType::Byte:
      return PyLong_FromLong(*static_cast<const uint8_t*>(data));
    case at::ScalarType::Char:
      return PyLong_FromLong(*static_cast<const int8_t*>(data));
    case at::ScalarType::Short:
      return PyLong_FromLong(*static_cast<const int16_t*>(data));
    case at::ScalarType::Int:
      return PyLong_FromLong(*static_cast<const int32_t*>(data));
    case at::ScalarType::Long:
      return PyLong_FromLongLong(*static_cast<const int64_t*>(data));
    case at::ScalarType::UInt16:
      return PyLong_FromLong(*static_cast<const uint16_t*>(data));
    case at::ScalarType::UInt32:
      return PyLong_FromUnsignedLong(*static_cast<const uint32_t*>(data));
    case at::ScalarType::UInt64:
      return PyLong_FromUnsignedLongLong(*static_cast<const uint64_t*>(data));
    case at::ScalarType::Half:
      return PyFloat_FromDouble(static_cast<float>(*static_cast<const c10::Half*>(data)));
    case at::ScalarType::BFloat16:
      return PyFloat_FromDouble(static_cast<float>(*static_cast<const c10::BFloat16*>(data)));
    case at::ScalarType::Float:
      return PyFloat_FromDouble(*static_cast<const float*>(data));
    case at::ScalarType::Double:
      return PyFloat_FromDouble(*static_cast<const double*>(data));
    case at::ScalarType::ComplexHalf: {
      const auto* parts = static_cast<const c10::Half*>(data);
      return complex_number(static_cast<float>(parts[0]), static_cast<float>(parts[1]));
    }
    case at::ScalarType::ComplexFloat: {
      const auto* parts = static_cast<const float*>(data);
      return complex_number(parts[0], parts[1]);
    }
    case at::ScalarType::ComplexDouble: {
      const auto* parts = static_cast<const double*>(data);
      return complex_number(parts[0], parts[1]);
    }
#define FLOAT8_CASE(cpp, name, number) \
  case at::ScalarType::name:           \
    return PyFloat_FromDouble(static_cast<float>(*static_cast<const cpp*>(data)));
      C10_FORALL_FLOAT8_TYPES(FLOAT8_CASE)
#undef FLOAT8_CASE
    default:
      throw_python(
          PyExc_NotImplementedError, "\"_local_scalar_dense_cpu\" not implemented for '%s'",
          c10::toString(type));
  }
}

PyObject* nested(const char* data, const at::Tensor& tensor, int64_t dim) {
  if (dim == tensor.dim()) return checked(element(data, tensor.scalar_type()));
  const int64_t count = tensor.size(dim);
  const int64_t step = tensor.stride(dim) * tensor.element_size();
  THPObjectPtr list(checked(PyList_New(count)));
  for (int64_t i = 0; i < count; ++i) {
    PyList_SET_ITEM(list.get(), i, nested(data + i * step, tensor, dim + 1));
  }
  return list.release();
}

} // namespace

PyObject* item_of(const at::Tensor& tensor) {
  if (tensor.numel() != 1) {
    throw_python(
        PyExc_RuntimeError, "a Tensor with %lld elements cannot be converted to Scalar",
        static_cast<long long>(tensor.numel()));
  }
  if (at::native::are_in_host_memory(tensor) &&
      !c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Python)) {
    return checked(element(tensor.const_data_ptr(), tensor.scalar_type()));
  }
  return wrap_scalar(at::_ops::_local_scalar_dense::call(tensor));
}

PyObject* list_of(const at::Tensor& tensor) {
  TORCH_CHECK_NOT_IMPLEMENTED(!tensor.is_meta(), "Cannot copy out of meta tensor; no data!");
  if (!tensor.is_cpu()) {
    const at::AutoDispatchBelowADInplaceOrView values_only;
    return list_of(at::methods::to(tensor, at::Device(at::kCPU), tensor.scalar_type()));
  }
  if (auto* functional = at::functionalization::impl::wrapper_of(tensor)) {
    functional->sync_();
    return list_of(functional->value());
  }
  if (at::native::has_math_bits(tensor)) {
    const at::AutoDispatchBelowADInplaceOrView values_only;
    return list_of(at::clone(tensor));
  }
  const auto* data = static_cast<const char*>(tensor.const_data_ptr());
  TORCH_CHECK(
      data || tensor.numel() == 0,
      ".tolist() is not supported for tensor subclasses without memory");
  return nested(data, tensor, 0);
}

} // namespace torch

#pragma once
// The arguments of a legacy kernel, which Python passes by position.
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/python_numbers.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>

#include <initializer_list>
#include <optional>

namespace torch::nn {

// Each member takes the argument at an index, or throws python_error (TypeError) with the
// signature. Tensors are on the given type of device.
class Arguments {
 public:
  Arguments(PyObject* args, at::DeviceType device, Py_ssize_t count, const char* signature)
      : args_(args), device_(device), signature_(signature) {
    if (PyTuple_GET_SIZE(args) != count) {
      throw_python(
          PyExc_TypeError, "expected %zd arguments but got %zd: %s", count, PyTuple_GET_SIZE(args),
          signature);
    }
  }

  bool is_none(Py_ssize_t index) const { return PyTuple_GET_ITEM(args_, index) == Py_None; }

  // The library has no state: the argument is 0, for the interface's sake.
  void* state(Py_ssize_t index) const {
    check(PyLong_Check(PyTuple_GET_ITEM(args_, index)), index);
    return nullptr;
  }

  c10::TensorImpl* tensor(Py_ssize_t index, at::ScalarType type) const {
    PyObject* object = PyTuple_GET_ITEM(args_, index);
    check(
        THPVariable_Check(object) && THPVariable_Unpack(object).scalar_type() == type &&
            THPVariable_Unpack(object).device().type() == device_,
        index);
    return THPVariable_Unpack(object).unsafeGetTensorImpl();
  }

  int64_t integer(Py_ssize_t index) const {
    PyObject* object = PyTuple_GET_ITEM(args_, index);
    check(is_int(object), index);
    return unpack_long(object);
  }

  double real(Py_ssize_t index) const {
    PyObject* object = PyTuple_GET_ITEM(args_, index);
    check(is_real(object), index);
    return unpack_double(object);
  }

  bool boolean(Py_ssize_t index) const {
    PyObject* object = PyTuple_GET_ITEM(args_, index);
    check(PyBool_Check(object), index);
    return object == Py_True;
  }

 private:
  void check(bool fits, Py_ssize_t index) const {
    if (!fits) {
      throw_python(
          PyExc_TypeError, "argument %zd is not what the kernel takes, but %s: %s", index + 1,
          Py_TYPE(PyTuple_GET_ITEM(args_, index))->tp_name, signature_);
    }
  }

  PyObject* args_;
  at::DeviceType device_;
  const char* signature_;
};

// The device of the tensors of a call; null for an argument that is left out.
inline at::Device device_of(std::initializer_list<c10::TensorImpl*> tensors) {
  std::optional<at::Device> device;
  for (const c10::TensorImpl* tensor : tensors) {
    if (tensor == nullptr) continue;
    TORCH_CHECK(
        !device || *device == tensor->device(), "expected all tensors on one device, but found ",
        *device, " and ", tensor->device());
    device = tensor->device();
  }
  TORCH_CHECK(device, "expected at least one tensor");
  return *device;
}

// Surrounds the call of a kernel, which records no gradients: without the GIL and below autograd.
struct KernelScope {
  WithoutGil without_gil;
  at::AutoDispatchBelowADInplaceOrView below_autograd;
};

} // namespace torch::nn

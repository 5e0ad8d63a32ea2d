#pragma once
// The arguments of a legacy kernel, which Python passes by position.
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/python_numbers.h>

#include <ATen/core/LegacyTypeDispatch.h>

namespace torch::nn {

// Each member takes the argument at an index, or throws python_error (TypeError) with the
// signature.
class Arguments {
 public:
  Arguments(PyObject* args, Py_ssize_t count, const char* signature)
      : args_(args), signature_(signature) {
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
            THPVariable_Unpack(object).is_cpu(),
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
  const char* signature_;
};

// Surrounds the call of a kernel, which records no gradients: without the GIL and below autograd.
struct KernelScope {
  WithoutGil without_gil;
  at::AutoDispatchBelowADInplaceOrView below_autograd;
};

} // namespace torch::nn

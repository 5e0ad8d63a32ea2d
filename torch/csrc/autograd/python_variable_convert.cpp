#include <torch/csrc/autograd/python_variable_convert.h>

#include <ATen/ops/unbind_ops.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/tensor_list.h>

#include <cmath>

namespace torch::autograd {
namespace {

THPObjectPtr item_object(PyObject* self) {
  const at::Tensor& tensor = THPVariable_Unpack(self);
  if (tensor.numel() != 1) {
    throw_python(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
  }
  return THPObjectPtr(item_of(tensor));
}

} // namespace

int variable_bool(PyObject* self) {
  HANDLE_TH_ERRORS
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    const THPObjectPtr result(method_override(self, "__bool__"));
    if (result) return PyObject_IsTrue(result.get());
  }
  const at::Tensor& tensor = THPVariable_Unpack(self);
  TORCH_CHECK(tensor.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
  TORCH_CHECK(tensor.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return PyObject_IsTrue(item_object(self).get());
  END_HANDLE_TH_ERRORS_RET(-1)
}

// The only element, whose imaginary part has to be 0.
THPObjectPtr real_item(PyObject* self, const char* type) {
  THPObjectPtr item = item_object(self);
  if (!PyComplex_Check(item.get())) return item;
  TORCH_CHECK(
      PyComplex_ImagAsDouble(item.get()) == 0, "value cannot be converted to type ", type,
      " without overflow");
  return THPObjectPtr(checked(PyFloat_FromDouble(PyComplex_RealAsDouble(item.get()))));
}

PyObject* variable_int(PyObject* self) {
  HANDLE_TH_ERRORS
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    if (PyObject* result = method_override(self, "__int__")) return result;
  }
  const THPObjectPtr item = real_item(self, "int64_t");
  if (PyFloat_Check(item.get())) {
    const double value = PyFloat_AS_DOUBLE(item.get());
    if (std::isinf(value))
      throw_python(PyExc_OverflowError, "cannot convert float infinity to integer");
    if (std::isnan(value)) throw_python(PyExc_ValueError, "cannot convert float NaN to integer");
  }
  return PyNumber_Long(item.get());
  END_HANDLE_TH_ERRORS
}

PyObject* variable_float(PyObject* self) {
  HANDLE_TH_ERRORS
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    if (PyObject* result = method_override(self, "__float__")) return result;
  }
  if (THPVariable_Unpack(self).requires_grad()) {
    TORCH_WARN_ONCE(
        "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
        "behavior.\nConsider using tensor.detach() first.");
  }
  return PyNumber_Float(real_item(self, "double").get());
  END_HANDLE_TH_ERRORS
}

PyObject* variable_index(PyObject* self) {
  HANDLE_TH_ERRORS
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    if (PyObject* result = method_override(self, "__index__")) return result;
  }
  const at::Tensor& tensor = THPVariable_Unpack(self);
  if (tensor.numel() != 1 || !c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/true)) {
    throw_python(
        PyExc_TypeError, "only integer tensors of a single element can be converted to an index");
  }
  return PyNumber_Long(item_object(self).get());
  END_HANDLE_TH_ERRORS
}

Py_ssize_t variable_length(PyObject* self) {
  HANDLE_TH_ERRORS
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    const THPObjectPtr result(method_override(self, "__len__"));
    if (result) return PyLong_AsSsize_t(result.get());
  }
  const at::Tensor& tensor = THPVariable_Unpack(self);
  if (tensor.dim() == 0) throw_python(PyExc_TypeError, "len() of a 0-d tensor");
  return static_cast<Py_ssize_t>(tensor.sizes()[0]);
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject* variable_iter(PyObject* self) {
  HANDLE_TH_ERRORS
  const at::Tensor& tensor = THPVariable_Unpack(self);
  if (tensor.dim() == 0) throw_python(PyExc_TypeError, "iteration over a 0-d tensor");
  const THPObjectPtr rows(
      THPVariable_CheckExact(self) ? wrap(at::_ops::unbind_int::call(tensor, 0))
                                   : checked(PyObject_CallMethod(self, "unbind", "i", 0)));
  return PyObject_GetIter(rows.get());
  END_HANDLE_TH_ERRORS
}

int variable_contains(PyObject* self, PyObject* element) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(element) && !is_number(element)) {
    throw_python(
        PyExc_RuntimeError,
        "Tensor.__contains__ only supports Tensor or scalar, but you passed in a %R.",
        Py_TYPE(element));
  }
  const THPObjectPtr equal(checked(PyObject_RichCompare(self, element, Py_EQ)));
  const THPObjectPtr any(checked(PyObject_CallMethod(equal.get(), "any", nullptr)));
  return PyObject_IsTrue(any.get());
  END_HANDLE_TH_ERRORS_RET(-1)
}

} // namespace torch::autograd

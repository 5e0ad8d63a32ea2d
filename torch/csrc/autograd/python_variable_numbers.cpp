// The operators of Python's data model: + - * @ == and so on. Tensor with Tensor and Tensor with a
// Python number go directly to the operator, if neither a mode nor a type overrides calls;
// everything else goes through the method, which converts arguments and reports errors.
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/bitwise_and_ops.h>
#include <ATen/ops/bitwise_not_ops.h>
#include <ATen/ops/bitwise_or_ops.h>
#include <ATen/ops/bitwise_xor_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/floor_divide_ops.h>
#include <ATen/ops/ge_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/matmul_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/ne_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/remainder_ops.h>
#include <ATen/ops/rsub_ops.h>
#include <ATen/ops/sub_ops.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/python_variable_convert.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/tensor_numpy.h>
#include <torch/csrc/utils/torch_function.h>

#include <string_view>

namespace torch::autograd {
namespace {

using TensorTensor = at::Tensor (*)(const at::Tensor&, const at::Tensor&);
using TensorScalar = at::Tensor (*)(const at::Tensor&, const at::Scalar&);

using IsTensor = bool (*)(PyObject*);

// A torch.Tensor itself, which nothing overrides the calls of: asked first, because it is cheap.
bool is_plain_tensor(PyObject* object) {
  return THPVariable_CheckExact(object);
}

// Also those of subclasses such as nn.Parameter: asked once nothing is found to override the call.
bool is_tensor(PyObject* object) {
  return THPVariable_Check(object);
}

bool is_plain_number(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
      PyComplex_CheckExact(object);
}

// In an operator, a TypeError becomes NotImplemented, so that the other operand is tried.
PyObject* not_implemented_for_type_error(PyObject* result) {
  if (result || !PyErr_ExceptionMatches(PyExc_TypeError)) return result;
  PyErr_Clear();
  Py_RETURN_NOTIMPLEMENTED;
}

PyObject* call_method(PyObject* self, const char* name, PyObject* other) {
  return not_implemented_for_type_error(PyObject_CallMethod(self, name, "(O)", other));
}

PyObject* call_function(const char* name, PyObject* left, PyObject* right) {
  const THPObjectPtr function(public_function(name, false, false));
  PyObject* arguments[] = {left, right};
  return not_implemented_for_type_error(PyObject_Vectorcall(function.get(), arguments, 2, nullptr));
}

// The result of a mode or a type that overrides the operator, or nullptr if there is none.
// `reflected` is the method that computes other OP tensor.
PyObject* overridden(PyObject* left, PyObject* right, const char* name, const char* reflected) {
  if (!overrides_calls(left) && !overrides_calls(right)) return nullptr;
  const bool forward = THPVariable_Check(left);
  PyObject* arguments[] = {forward ? right : left};
  return not_implemented_for_type_error([&]() -> PyObject* {
    HANDLE_TH_ERRORS
    return call_torch_function(
        public_function(forward ? name : reflected, true, false), forward ? left : right, arguments,
        1, nullptr);
    END_HANDLE_TH_ERRORS
  }());
}

template <TensorTensor with_tensor>
PyObject* apply(const at::Tensor& left, const at::Tensor& right) {
  ReleaseGil gil(left.numel() > right.numel() ? left : right);
  at::Tensor result = with_tensor(left, right);
  gil.acquire();
  return wrap(std::move(result));
}

template <TensorScalar with_scalar>
PyObject* apply(const at::Tensor& left, const at::Scalar& right) {
  ReleaseGil gil(left);
  at::Tensor result = with_scalar(left, right);
  gil.acquire();
  return wrap(std::move(result));
}

// What computes an operator without the method: `call` returns nullptr for other operands.

// tensor OP tensor or tensor OP number.
template <TensorTensor with_tensor, TensorScalar with_scalar>
struct Forward {
  template <IsTensor accepts>
  static PyObject* call(PyObject* left, PyObject* right) {
    if (!accepts(left)) return nullptr;
    if (accepts(right)) {
      return apply<with_tensor>(THPVariable_Unpack(left), THPVariable_Unpack(right));
    }
    if (is_plain_number(right)) {
      return apply<with_scalar>(THPVariable_Unpack(left), unpack_scalar(right));
    }
    return nullptr;
  }
};

// Also number OP tensor, which `reflected` computes from (tensor, number).
template <TensorTensor with_tensor, TensorScalar with_scalar, TensorScalar reflected>
struct Binary {
  template <IsTensor accepts>
  static PyObject* call(PyObject* left, PyObject* right) {
    if (accepts(right) && is_plain_number(left)) {
      return apply<reflected>(THPVariable_Unpack(right), unpack_scalar(left));
    }
    return Forward<with_tensor, with_scalar>::template call<accepts>(left, right);
  }
};

// The object on the left is the result.
template <auto with_tensor, auto with_scalar>
struct InPlace {
  template <IsTensor accepts>
  static PyObject* call(PyObject* self, PyObject* other) {
    if (!accepts(self)) return nullptr;
    if (accepts(other)) {
      ReleaseGil gil(THPVariable_Unpack(self));
      with_tensor(THPVariable_UnpackMutable(self), THPVariable_Unpack(other));
      return gil.acquire(), Py_NewRef(self);
    }
    if (is_plain_number(other)) {
      const at::Scalar number = unpack_scalar(other);
      ReleaseGil gil(THPVariable_Unpack(self));
      with_scalar(THPVariable_UnpackMutable(self), number);
      return gil.acquire(), Py_NewRef(self);
    }
    return nullptr;
  }
};

struct MatrixProduct {
  template <IsTensor accepts>
  static PyObject* call(PyObject* left, PyObject* right) {
    if (!accepts(left) || !accepts(right)) return nullptr;
    return apply<at::_ops::matmul::call>(THPVariable_Unpack(left), THPVariable_Unpack(right));
  }
};

// Computes an operator: directly for plain tensors, then by what overrides the call, then directly
// for the tensors of subclasses, then by the method.
template <typename Direct, typename Slow>
PyObject* compute(
    PyObject* left, PyObject* right, const char* name, const char* reflected, Slow slow) {
  HANDLE_TH_ERRORS
  PyObject* result = Direct::template call<is_plain_tensor>(left, right);
  if (!result) result = overridden(left, right, name, reflected);
  if (!result && !PyErr_Occurred()) result = Direct::template call<is_tensor>(left, right);
  return result || PyErr_Occurred() ? result : slow(left, right);
  END_HANDLE_TH_ERRORS
}

at::Tensor add_tensor(const at::Tensor& a, const at::Tensor& b) {
  return at::_ops::add_Tensor::call(a, b, 1);
}
at::Tensor add_scalar(const at::Tensor& a, const at::Scalar& b) {
  return at::_ops::add_Scalar::call(a, b, 1);
}
at::Tensor sub_tensor(const at::Tensor& a, const at::Tensor& b) {
  return at::_ops::sub_Tensor::call(a, b, 1);
}
at::Tensor sub_scalar(const at::Tensor& a, const at::Scalar& b) {
  return at::_ops::sub_Scalar::call(a, b, 1);
}
at::Tensor rsub_scalar(const at::Tensor& a, const at::Scalar& b) {
  return at::_ops::rsub_Scalar::call(a, b, 1);
}
at::Tensor rdiv_scalar(const at::Tensor& a, const at::Scalar& b) {
  return at::_ops::mul_Scalar::call(at::_ops::reciprocal::call(a), b);
}
at::Tensor rpow_scalar(const at::Tensor& a, const at::Scalar& b) {
  return at::_ops::pow_Scalar::call(b, a);
}
at::Tensor rfloor_scalar(const at::Tensor& a, const at::Scalar& b) {
  return at::_ops::floor_divide::call(wrapped_number_tensor(b), a);
}
at::Tensor rremainder_scalar(const at::Tensor& a, const at::Scalar& b) {
  return at::_ops::remainder_Scalar_Tensor::call(b, a);
}

#define OP(name) at::_ops::name::call

PyObject* nb_add(PyObject* a, PyObject* b) {
  return compute<Binary<add_tensor, add_scalar, add_scalar>>(
      a, b, "add", "add", [](PyObject* x, PyObject* y) {
        return THPVariable_Check(x) ? call_method(x, "add", y) : call_method(y, "add", x);
      });
}
PyObject* nb_subtract(PyObject* a, PyObject* b) {
  return compute<Binary<sub_tensor, sub_scalar, rsub_scalar>>(
      a, b, "sub", "__rsub__", [](PyObject* x, PyObject* y) {
        return THPVariable_Check(x) ? call_method(x, "sub", y) : call_function("rsub", y, x);
      });
}
PyObject* nb_multiply(PyObject* a, PyObject* b) {
  return compute<Binary<OP(mul_Tensor), OP(mul_Scalar), OP(mul_Scalar)>>(
      a, b, "mul", "mul", [](PyObject* x, PyObject* y) {
        return THPVariable_Check(x) ? call_method(x, "mul", y) : call_method(y, "mul", x);
      });
}
PyObject* nb_true_divide(PyObject* a, PyObject* b) {
  return compute<Binary<OP(div_Tensor), OP(div_Scalar), rdiv_scalar>>(
      a, b, "div", "__rtruediv__", [](PyObject* x, PyObject* y) {
        if (THPVariable_Check(x)) return call_method(x, "div", y);
        const THPObjectPtr inverse(PyObject_CallMethod(y, "reciprocal", nullptr));
        // The operator, not the method: an array multiplies a tensor that cannot multiply it.
        return inverse ? not_implemented_for_type_error(PyNumber_Multiply(inverse.get(), x))
                       : nullptr;
      });
}
PyObject* nb_floor_divide(PyObject* a, PyObject* b) {
  return compute<Binary<OP(floor_divide), OP(floor_divide_Scalar), rfloor_scalar>>(
      a, b, "__floordiv__", "__rfloordiv__",
      [](PyObject* x, PyObject* y) { return call_function("floor_divide", x, y); });
}
PyObject* nb_remainder(PyObject* a, PyObject* b) {
  return compute<Binary<OP(remainder_Tensor), OP(remainder_Scalar), rremainder_scalar>>(
      a, b, "remainder", "__rmod__",
      [](PyObject* x, PyObject* y) { return call_function("remainder", x, y); });
}
PyObject* nb_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return compute<Binary<OP(pow_Tensor_Tensor), OP(pow_Tensor_Scalar), rpow_scalar>>(
      a, b, "__pow__", "__rpow__",
      [](PyObject* x, PyObject* y) { return call_function("pow", x, y); });
}
PyObject* nb_and(PyObject* a, PyObject* b) {
  return compute<Binary<OP(bitwise_and_Tensor), OP(bitwise_and_Scalar), OP(bitwise_and_Scalar)>>(
      a, b, "__and__", "bitwise_and", [](PyObject* x, PyObject* y) {
        return THPVariable_Check(x) ? call_method(x, "bitwise_and", y)
                                    : call_method(y, "bitwise_and", x);
      });
}
PyObject* nb_or(PyObject* a, PyObject* b) {
  return compute<Binary<OP(bitwise_or_Tensor), OP(bitwise_or_Scalar), OP(bitwise_or_Scalar)>>(
      a, b, "__or__", "bitwise_or", [](PyObject* x, PyObject* y) {
        return THPVariable_Check(x) ? call_method(x, "bitwise_or", y)
                                    : call_method(y, "bitwise_or", x);
      });
}
PyObject* nb_xor(PyObject* a, PyObject* b) {
  return compute<Binary<OP(bitwise_xor_Tensor), OP(bitwise_xor_Scalar), OP(bitwise_xor_Scalar)>>(
      a, b, "__xor__", "bitwise_xor", [](PyObject* x, PyObject* y) {
        return THPVariable_Check(x) ? call_method(x, "bitwise_xor", y)
                                    : call_method(y, "bitwise_xor", x);
      });
}

PyObject* nb_matrix_multiply(PyObject* a, PyObject* b) {
  return compute<MatrixProduct>(a, b, "matmul", "__rmatmul__", [](PyObject* x, PyObject* y) {
    return call_function("matmul", x, y);
  });
}

template <auto with_tensor, auto with_scalar>
PyObject* in_place(PyObject* self, PyObject* other, const char* name) {
  return compute<InPlace<with_tensor, with_scalar>>(
      self, other, name, name, [&](PyObject* x, PyObject* y) { return call_method(x, name, y); });
}

void iadd_tensor(at::Tensor& a, const at::Tensor& b) {
  at::_ops::add__Tensor::call(a, b, 1);
}
void iadd_scalar(at::Tensor& a, const at::Scalar& b) {
  at::_ops::add__Scalar::call(a, b, 1);
}
void isub_tensor(at::Tensor& a, const at::Tensor& b) {
  at::_ops::sub__Tensor::call(a, b, 1);
}
void isub_scalar(at::Tensor& a, const at::Scalar& b) {
  at::_ops::sub__Scalar::call(a, b, 1);
}

PyObject* nb_inplace_add(PyObject* a, PyObject* b) {
  return in_place<iadd_tensor, iadd_scalar>(a, b, "add_");
}
PyObject* nb_inplace_subtract(PyObject* a, PyObject* b) {
  return in_place<isub_tensor, isub_scalar>(a, b, "sub_");
}
PyObject* nb_inplace_multiply(PyObject* a, PyObject* b) {
  return in_place<OP(mul__Tensor), OP(mul__Scalar)>(a, b, "mul_");
}
PyObject* nb_inplace_true_divide(PyObject* a, PyObject* b) {
  return in_place<OP(div__Tensor), OP(div__Scalar)>(a, b, "div_");
}
PyObject* nb_inplace_floor_divide(PyObject* a, PyObject* b) {
  return in_place<OP(floor_divide__Tensor), OP(floor_divide__Scalar)>(a, b, "floor_divide_");
}
PyObject* nb_inplace_remainder(PyObject* a, PyObject* b) {
  return in_place<OP(remainder__Tensor), OP(remainder__Scalar)>(a, b, "remainder_");
}
PyObject* nb_inplace_power(PyObject* a, PyObject* b, PyObject*) {
  return in_place<OP(pow__Tensor), OP(pow__Scalar)>(a, b, "pow_");
}
PyObject* nb_inplace_and(PyObject* a, PyObject* b) {
  return in_place<OP(bitwise_and__Tensor), OP(bitwise_and__Scalar)>(a, b, "bitwise_and_");
}
PyObject* nb_inplace_or(PyObject* a, PyObject* b) {
  return in_place<OP(bitwise_or__Tensor), OP(bitwise_or__Scalar)>(a, b, "bitwise_or_");
}
PyObject* nb_inplace_xor(PyObject* a, PyObject* b) {
  return in_place<OP(bitwise_xor__Tensor), OP(bitwise_xor__Scalar)>(a, b, "bitwise_xor_");
}

template <at::Tensor (*op)(const at::Tensor&)>
PyObject* unary(PyObject* self, const char* name) {
  HANDLE_TH_ERRORS
  if (!is_plain_tensor(self) && overrides_calls(self)) {
    return call_torch_function(public_function(name, true, false), self, nullptr, 0, nullptr);
  }
  ReleaseGil gil(THPVariable_Unpack(self));
  at::Tensor result = op(THPVariable_Unpack(self));
  gil.acquire();
  return wrap(std::move(result));
  END_HANDLE_TH_ERRORS
}

PyObject* nb_negative(PyObject* self) {
  return unary<OP(neg)>(self, "neg");
}
PyObject* nb_absolute(PyObject* self) {
  return unary<OP(abs)>(self, "abs");
}
PyObject* nb_invert(PyObject* self) {
  if (THPVariable_CheckExact(self) &&
      !c10::isIntegralType(THPVariable_Unpack(self).scalar_type(), /*includeBool=*/true)) {
    PyErr_SetString(
        PyExc_TypeError,
        "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    return nullptr;
  }
  return unary<OP(bitwise_not)>(self, "bitwise_not");
}
PyObject* nb_positive(PyObject* self) {
  return PyObject_CallMethod(self, "positive", nullptr);
}

// The tensor over an array's memory, or nullptr with an error.
PyObject* tensor_over_array(PyObject* array) {
  HANDLE_TH_ERRORS
  return wrap(tensor_from_numpy(array, /*warn_if_not_writeable=*/false));
  END_HANDLE_TH_ERRORS
}

// NumPy leaves == of an array and a tensor to the tensor.
PyObject* equals_other(PyObject* self, PyObject* other) {
  if (!is_numpy_array(other)) return call_method(self, "eq", other);
  const THPObjectPtr tensor(tensor_over_array(other));
  return tensor ? call_method(self, "eq", tensor.get()) : not_implemented_for_type_error(nullptr);
}

template <TensorTensor with_tensor, TensorScalar with_scalar>
PyObject* compare(PyObject* self, PyObject* other, const char* name) {
  const bool eq = std::string_view(name) == "eq"; // known by its other name
  return compute<Forward<with_tensor, with_scalar>>(
      self, other, eq ? "__eq__" : name, name,
      [&](PyObject* x, PyObject* y) { return eq ? equals_other(x, y) : call_method(x, name, y); });
}

} // namespace

PyObject* variable_richcompare(PyObject* self, PyObject* other, int op) {
  switch (op) {
    case Py_LT:
      return compare<OP(lt_Tensor), OP(lt_Scalar)>(self, other, "lt");
    case Py_LE:
      return compare<OP(le_Tensor), OP(le_Scalar)>(self, other, "le");
    case Py_EQ:
      return compare<OP(eq_Tensor), OP(eq_Scalar)>(self, other, "eq");
    case Py_NE:
      return compare<OP(ne_Tensor), OP(ne_Scalar)>(self, other, "ne");
    case Py_GT:
      return compare<OP(gt_Tensor), OP(gt_Scalar)>(self, other, "gt");
    default:
      return compare<OP(ge_Tensor), OP(ge_Scalar)>(self, other, "ge");
  }
}

PyNumberMethods variable_as_number = {
    .nb_add = nb_add,
    .nb_subtract = nb_subtract,
    .nb_multiply = nb_multiply,
    .nb_remainder = nb_remainder,
    .nb_divmod = nullptr,
    .nb_power = nb_power,
    .nb_negative = nb_negative,
    .nb_positive = nb_positive,
    .nb_absolute = nb_absolute,
    .nb_bool = variable_bool,
    .nb_invert = nb_invert,
    .nb_lshift = nullptr,
    .nb_rshift = nullptr,
    .nb_and = nb_and,
    .nb_xor = nb_xor,
    .nb_or = nb_or,
    .nb_int = variable_int,
    .nb_reserved = nullptr,
    .nb_float = variable_float,
    .nb_inplace_add = nb_inplace_add,
    .nb_inplace_subtract = nb_inplace_subtract,
    .nb_inplace_multiply = nb_inplace_multiply,
    .nb_inplace_remainder = nb_inplace_remainder,
    .nb_inplace_power = nb_inplace_power,
    .nb_inplace_lshift = nullptr,
    .nb_inplace_rshift = nullptr,
    .nb_inplace_and = nb_inplace_and,
    .nb_inplace_xor = nb_inplace_xor,
    .nb_inplace_or = nb_inplace_or,
    .nb_floor_divide = nb_floor_divide,
    .nb_true_divide = nb_true_divide,
    .nb_inplace_floor_divide = nb_inplace_floor_divide,
    .nb_inplace_true_divide = nb_inplace_true_divide,
    .nb_index = variable_index,
    .nb_matrix_multiply = nb_matrix_multiply,
    .nb_inplace_matrix_multiply = nullptr,
};

} // namespace torch::autograd

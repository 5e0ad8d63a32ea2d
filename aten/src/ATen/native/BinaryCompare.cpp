// Comparisons, maximum and minimum, logical and bitwise operators.

#include <ATen/TensorIterator.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/ops/and_native.h>
#include <ATen/ops/or_native.h>
#include <ATen/ops/xor_native.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_and_native.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/bitwise_or_native.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/bitwise_xor_native.h>
#include <ATen/ops/eq_native.h>
#include <ATen/ops/ge_native.h>
#include <ATen/ops/gt_native.h>
#include <ATen/ops/le_native.h>
#include <ATen/ops/logical_and_native.h>
#include <ATen/ops/logical_or_native.h>
#include <ATen/ops/logical_xor_native.h>
#include <ATen/ops/lt_native.h>
#include <ATen/ops/max_native.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/maximum_native.h>
#include <ATen/ops/min_native.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/minimum_native.h>
#include <ATen/ops/ne_native.h>

namespace at::meta {

#define AT_COMPARISON_META(op)                                            \
  TORCH_META_FUNC2(op, Tensor)(const Tensor& self, const Tensor& other) { \
    build_borrowing_comparison_op(maybe_get_output(), self, other);       \
  }                                                                       \
  TORCH_META_FUNC2(op, Scalar)(const Tensor& self, const Scalar& other) { \
    build_borrowing_comparison_op(maybe_get_output(), self, other);       \
  }
AT_COMPARISON_META(eq)
AT_COMPARISON_META(ne)
AT_COMPARISON_META(lt)
AT_COMPARISON_META(le)
AT_COMPARISON_META(gt)
AT_COMPARISON_META(ge)
#undef AT_COMPARISON_META

TORCH_META_FUNC(maximum)(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(
      !self.is_complex() && !other.is_complex(), "maximum not implemented for complex tensors.");
  build_borrowing_binary_op(maybe_get_output(), self, other);
}

TORCH_META_FUNC(minimum)(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(
      !self.is_complex() && !other.is_complex(), "minimum not implemented for complex tensors.");
  build_borrowing_binary_op(maybe_get_output(), self, other);
}

#define AT_BITWISE_META(op)                                               \
  TORCH_META_FUNC2(op, Tensor)(const Tensor& self, const Tensor& other) { \
    build_borrowing_binary_op(maybe_get_output(), self, other);           \
  }
AT_BITWISE_META(bitwise_and)
AT_BITWISE_META(bitwise_or)
AT_BITWISE_META(bitwise_xor)
#undef AT_BITWISE_META

} // namespace at::meta

namespace at::native {

#define AT_COMPARISON(op)                                                         \
  DEFINE_DISPATCH(op##_stub);                                                     \
  TORCH_IMPL_FUNC(op##_Tensor_out)(const Tensor&, const Tensor&, const Tensor&) { \
    op##_stub(device_type(), *this);                                              \
  }                                                                               \
  TORCH_IMPL_FUNC(op##_Scalar_out)(const Tensor&, const Scalar&, const Tensor&) { \
    op##_stub(device_type(), *this);                                              \
  }
AT_COMPARISON(eq)
AT_COMPARISON(ne)
AT_COMPARISON(lt)
AT_COMPARISON(le)
AT_COMPARISON(gt)
AT_COMPARISON(ge)
#undef AT_COMPARISON

Tensor max(const Tensor& self, const Tensor& other) {
  return at::maximum(self, other);
}
Tensor& max_out(const Tensor& self, const Tensor& other, Tensor& result) {
  return at::maximum_out(result, self, other);
}
Tensor min(const Tensor& self, const Tensor& other) {
  return at::minimum(self, other);
}
Tensor& min_out(const Tensor& self, const Tensor& other, Tensor& result) {
  return at::minimum_out(result, self, other);
}

// ---- logical: any dtype in, bool out ---------------------------------------------------------

#define AT_LOGICAL(op)                                                        \
  DEFINE_DISPATCH(op##_stub);                                                 \
  Tensor& op##_out(const Tensor& self, const Tensor& other, Tensor& result) { \
    TensorIterator iter;                                                      \
    iter.build_comparison_op(result, self, other);                            \
    op##_stub(iter.device_type(), iter);                                      \
    return result;                                                            \
  }                                                                           \
  Tensor op(const Tensor& self, const Tensor& other) {                        \
    TensorIterator iter;                                                      \
    iter.build_comparison_op(TensorBase(), self, other);                      \
    op##_stub(iter.device_type(), iter);                                      \
    return Tensor(iter.take_output());                                        \
  }                                                                           \
  Tensor& op##_(Tensor& self, const Tensor& other) {                          \
    return op##_out(self, other, self);                                       \
  }
AT_LOGICAL(logical_and)
AT_LOGICAL(logical_or)
AT_LOGICAL(logical_xor)
#undef AT_LOGICAL

// ---- bitwise ---------------------------------------------------------------------------------

#define AT_BITWISE(op, dunder, idunder)                                       \
  DEFINE_DISPATCH(op##_stub);                                                 \
  TORCH_IMPL_FUNC(op##_out)(const Tensor&, const Tensor&, const Tensor&) {    \
    op##_stub(device_type(), *this);                                          \
  }                                                                           \
  Tensor& op##_out(const Tensor& self, const Scalar& other, Tensor& result) { \
    TensorIterator iter;                                                      \
    iter.build_binary_op(result, self, other);                                \
    op##_stub(iter.device_type(), iter);                                      \
    return result;                                                            \
  }                                                                           \
  Tensor op(const Tensor& self, const Scalar& other) {                        \
    TensorIterator iter;                                                      \
    iter.build_binary_op(TensorBase(), self, other);                          \
    op##_stub(iter.device_type(), iter);                                      \
    return Tensor(iter.take_output());                                        \
  }                                                                           \
  Tensor op(const Scalar& self, const Tensor& other) {                        \
    TensorIterator iter;                                                      \
    iter.build_binary_op(TensorBase(), self, other);                          \
    op##_stub(iter.device_type(), iter);                                      \
    return Tensor(iter.take_output());                                        \
  }                                                                           \
  Tensor& op##_(Tensor& self, const Scalar& other) {                          \
    return op##_out(self, other, self);                                       \
  }                                                                           \
  Tensor dunder(const Tensor& self, const Tensor& other) {                    \
    return at::op(self, other);                                               \
  }                                                                           \
  Tensor dunder(const Tensor& self, const Scalar& other) {                    \
    return at::op(self, other);                                               \
  }                                                                           \
  Tensor& idunder(Tensor& self, const Tensor& other) {                        \
    return at::methods::op##_(self, other);                                   \
  }                                                                           \
  Tensor& idunder(Tensor& self, const Scalar& other) {                        \
    return at::methods::op##_(self, other);                                   \
  }
AT_BITWISE(bitwise_and, __and__, __iand__)
AT_BITWISE(bitwise_or, __or__, __ior__)
AT_BITWISE(bitwise_xor, __xor__, __ixor__)
#undef AT_BITWISE

} // namespace at::native

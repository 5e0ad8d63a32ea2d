// The out= forms of operators that select or compare elements: each computes its functional form,
// and copies the result.

#include <ATen/core/Tensor.h>

#include <ATen/native/CompletedKernels.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/diff.h>
#include <ATen/ops/diff_native.h>
#include <ATen/ops/isin.h>
#include <ATen/ops/isin_native.h>
#include <ATen/ops/scatter_reduce.h>
#include <ATen/ops/scatter_reduce_native.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

namespace at::native {

Tensor& diff_out(
    const Tensor& self, int64_t n, int64_t dim, const std::optional<Tensor>& prepend,
    const std::optional<Tensor>& append, Tensor& out) {
  const Tensor result = at::diff(self, n, dim, prepend, append);
  TORCH_CHECK(
      c10::canCast(result.scalar_type(), out.scalar_type()), "result type ", result.scalar_type(),
      " can't be cast to the desired output type ", out.scalar_type());
  resize_output(out, result.sizes());
  return at::methods::copy_(out, result);
}

Tensor& isin_out(
    const Tensor& elements, const Tensor& test_elements, bool assume_unique, bool invert,
    Tensor& out) {
  copy_to_out(out, at::isin(elements, test_elements, assume_unique, invert));
  return out;
}

Tensor& isin_out(
    const Tensor& elements, const Scalar& test_element, bool assume_unique, bool invert,
    Tensor& out) {
  copy_to_out(out, at::isin(elements, test_element, assume_unique, invert));
  return out;
}

Tensor& isin_out(
    const Scalar& element, const Tensor& test_elements, bool assume_unique, bool invert,
    Tensor& out) {
  copy_to_out(out, at::isin(element, test_elements, assume_unique, invert));
  return out;
}

Tensor& scatter_reduce_two_out(
    const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
    c10::string_view reduce, bool include_self, Tensor& out) {
  copy_to_out(out, at::scatter_reduce(self, dim, index, src, reduce, include_self));
  return out;
}

} // namespace at::native

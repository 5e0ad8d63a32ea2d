// matmul and linear: choose the product that fits the shapes.

#include <ATen/ExpandUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>

#include <ATen/ops/_unsafe_view.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/linear_native.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/matmul_native.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/t.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <c10/core/GradMode.h>
#include <c10/util/DimVector.h>

namespace at::native {
namespace {

int64_t product(IntArrayRef sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) {
    n *= size;
  }
  return n;
}

// [*, n, k] @ [k, p] or [k]: merges the batch dimensions with the rows.
Tensor fold_left(const Tensor& a, const Tensor& b) {
  const IntArrayRef leading = a.sizes().slice(0, static_cast<size_t>(a.dim() - 1));
  const Tensor flat = at::reshape(a, {product(leading), a.size(a.dim() - 1)});
  c10::DimVector shape(leading);
  if (b.dim() == 1) {
    return at::_unsafe_view(at::mv(flat, b), shape);
  }
  shape.push_back(b.size(1));
  return at::_unsafe_view(at::mm(flat, b), shape);
}

// Treats both sides as batches of matrices and broadcasts their leading dimensions.
Tensor batched(const Tensor& a, const Tensor& b) {
  const Tensor left = a.dim() == 1 ? at::unsqueeze(a, 0) : a;
  const Tensor right = b.dim() == 1 ? at::unsqueeze(b, 1) : b;
  const auto batch_of = [](const Tensor& t) {
    return t.sizes().slice(0, static_cast<size_t>(t.dim() - 2));
  };
  const auto shared = at::infer_size_dimvector(batch_of(left), batch_of(right));
  const int64_t count = product(shared);
  const auto flat = [&](const Tensor& t) {
    c10::DimVector shape(shared.begin(), shared.end());
    const int64_t rows = t.size(t.dim() - 2), cols = t.size(t.dim() - 1);
    shape.push_back(rows);
    shape.push_back(cols);
    return at::reshape(at::methods::expand(t, shape), {count, rows, cols});
  };
  const Tensor result = at::bmm(flat(left), flat(right));
  c10::DimVector shape(shared.begin(), shared.end());
  if (a.dim() > 1) {
    shape.push_back(result.size(1));
  }
  if (b.dim() > 1) {
    shape.push_back(result.size(2));
  }
  return at::_unsafe_view(result, shape);
}

bool has_bias(const std::optional<Tensor>& bias) {
  return bias.has_value() && bias->defined();
}

} // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  const int64_t m = self.dim(), n = other.dim();
  TORCH_CHECK(
      m > 0 && n > 0, "both arguments to matmul need to be at least 1D, but they are ", m, "D and ",
      n, "D");
  if (m == 2 && n == 2) {
    return at::mm(self, other);
  }
  if (m == 1 && n == 1) {
    return at::dot(self, other);
  }
  if (m == 2 && n == 1) {
    return at::mv(self, other);
  }
  if (m == 1 && n == 2) {
    return at::squeeze(at::mm(at::unsqueeze(self, 0), other), 0);
  }
  if (m >= 3 && n <= 2 && self.numel() > 0) {
    return fold_left(self, other);
  }
  return batched(self, other);
}

Tensor& matmul_out(const Tensor& self, const Tensor& other, Tensor& result) {
  const Tensor value = at::matmul(self, other);
  TORCH_CHECK(
      !value.requires_grad() && !(c10::GradMode::is_enabled() && result.requires_grad()),
      "matmul(): functions with out=... arguments don't support automatic differentiation, but one "
      "of the arguments requires grad.");
  TORCH_CHECK(
      value.scalar_type() == result.scalar_type(), "Expected out tensor to have dtype ",
      value.dtype(), ", but got ", result.dtype(), " instead");
  resize_output(result, value.sizes());
  return at::methods::copy_(result, value);
}

Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias) {
  const int64_t ndim = input.dim();
  TORCH_CHECK(
      ndim > 0 && weight.dim() > 0,
      "both arguments to linear need to be at least 1D, but they are ", ndim, "D and ",
      weight.dim(), "D");
  if (!has_bias(bias)) {
    return at::matmul(input, at::t(weight));
  }
  if (ndim == 2 && weight.dim() == 2) {
    return at::addmm(*bias, input, at::t(weight));
  }
  if (ndim >= 3 && weight.dim() == 2 && bias->dim() == 1 && input.is_contiguous()) {
    c10::DimVector shape(input.sizes());
    const int64_t rows = product(input.sizes().slice(0, static_cast<size_t>(ndim - 1)));
    const Tensor flat = at::methods::view(input, {rows, shape.back()});
    shape.back() = weight.size(0);
    return at::methods::view(at::addmm(*bias, flat, at::t(weight)), shape);
  }
  return at::add(at::matmul(input, at::t(weight)), *bias);
}

Tensor& linear_out(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, Tensor& result) {
  const Tensor value = at::linear(input, weight, bias);
  TORCH_CHECK(
      value.scalar_type() == result.scalar_type(), "Expected out tensor to have dtype ",
      value.dtype(), ", but got ", result.dtype(), " instead");
  resize_output(result, value.sizes());
  return at::methods::copy_(result, value);
}

} // namespace at::native

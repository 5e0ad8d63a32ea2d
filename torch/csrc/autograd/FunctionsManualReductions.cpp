#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/Dispatch.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/any.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/logcumsumexp.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sgn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <limits>

namespace torch::autograd::generated::details {

namespace {

bool reduces_all(OptionalIntArrayRef dims) {
  return !dims.has_value() || dims->empty();
}

} // namespace

Tensor restore_reduced_dims(
    const Tensor& tensor, OptionalIntArrayRef dims, int64_t rank, bool keepdim) {
  if (keepdim || rank == 0) {
    return tensor;
  }
  if (reduces_all(dims)) {
    return at::methods::view(tensor, c10::DimVector(rank, 1));
  }
  if (dims->size() == 1) {
    return at::unsqueeze(tensor, at::maybe_wrap_dim((*dims)[0], rank));
  }
  c10::SmallVector<bool, 8> reduced(rank, false);
  for (const int64_t dim : *dims) {
    reduced[at::maybe_wrap_dim(dim, rank)] = true;
  }
  Tensor result = tensor;
  for (int64_t i = 0; i < rank; ++i) {
    if (reduced[i]) {
      result = at::unsqueeze(result, i);
    }
  }
  return result;
}

namespace {

Tensor restore_reduced_dims(
    const Tensor& tensor, OptionalIntArrayRef dims, const Tensor& like, bool keepdim) {
  return details::restore_reduced_dims(tensor, dims, like.dim(), keepdim);
}

int64_t reduced_numel(IntArrayRef sizes, OptionalIntArrayRef dims) {
  const auto rank = static_cast<int64_t>(sizes.size());
  int64_t count = 1;
  if (reduces_all(dims)) {
    for (const int64_t size : sizes) {
      count *= size;
    }
  } else if (rank > 0) {
    for (const int64_t dim : *dims) {
      count *= sizes[at::maybe_wrap_dim(dim, rank)];
    }
  }
  return count;
}

} // namespace

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dims, bool keepdim) {
  const auto rank = static_cast<int64_t>(sizes.size());
  return at::methods::expand(restore_reduced_dims(grad, dims, rank, keepdim), sizes);
}

Tensor nansum_backward(
    const Tensor& grad, const Tensor& self, OptionalIntArrayRef dims, bool keepdim) {
  const Tensor each = sum_backward(grad, self.sizes(), dims, keepdim);
  return at::masked_fill(each, at::isnan(self), 0);
}

Tensor mean_backward(
    const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dims, int64_t numel, bool keepdim) {
  const int64_t count = reduces_all(dims) ? numel : reduced_numel(sizes, dims);
  return sum_backward(grad / count, sizes, dims, keepdim);
}

// ---- prod

namespace {

// For each element along dim, the product of all others: those before it times those after it.
// There is no division, so zeros need no special handling.
Tensor product_of_others(const Tensor& input, int64_t dim) {
  if (input.size(dim) <= 1) {
    return at::ones(input.sizes(), input.options());
  }
  c10::DimVector edge(input.sizes());
  edge[dim] = 1;
  const Tensor one = at::ones(edge, input.options());
  const int64_t rest = input.size(dim) - 1;
  const Tensor before = at::cumprod(at::cat({one, at::narrow(input, dim, 0, rest)}, dim), dim);
  const Tensor reversed = at::flip(at::narrow(input, dim, 1, rest), {dim});
  const Tensor after = at::flip(at::cumprod(at::cat({one, reversed}, dim), dim), {dim});
  return before * after;
}

bool has_zero(const Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_python_dispatch() || at::any(tensor == 0).item<bool>();
}

} // namespace

Tensor prod_backward(const Tensor& grad, const Tensor& input, const Tensor& result) {
  if (input.dim() == 0) {
    return at::clone(grad);
  }
  if (input.is_meta() || !has_zero(result)) {
    return grad * conj_of(result / input);
  }
  return grad *
      conj_of(at::methods::view(product_of_others(at::reshape(input, {-1}), 0), input.sizes()));
}

Tensor prod_backward(
    const Tensor& grad, const Tensor& input, const Tensor& result, int64_t dim, bool keepdim) {
  if (input.dim() == 0) {
    return at::clone(grad);
  }
  dim = at::maybe_wrap_dim(dim, input.dim());
  const Tensor wide_grad = keepdim ? grad : at::unsqueeze(grad, dim);
  if (input.is_meta() || !has_zero(result)) {
    const Tensor wide_result = keepdim ? result : at::unsqueeze(result, dim);
    return wide_grad * conj_of(wide_result / input);
  }
  return wide_grad * conj_of(product_of_others(input, dim));
}

// ---- moments

// d/dx_i of sum((x - mean)^2) / (n - correction) is 2 (x_i - mean) / (n - correction).
Tensor var_backward(
    Tensor grad, const Tensor& self, OptionalIntArrayRef dims,
    const std::optional<Scalar>& correction, bool keepdim) {
  const double freedom = static_cast<double>(reduced_numel(self.sizes(), dims)) -
      (correction.has_value() ? correction->toDouble() : 1.0);
  grad = restore_reduced_dims(grad, dims, self, keepdim);
  const Tensor mean = reduces_all(dims) ? at::mean(self) : at::mean(self, dims, /*keepdim=*/true);
  if (freedom <= 0) {
    // The variance is infinite or undefined, and so is its slope.
    return grad *
        at::methods::to(at::where(self == mean, std::nan(""), INFINITY), self.scalar_type());
  }
  return (2.0 / freedom) * grad * (self - mean);
}

Tensor std_backward(
    const Tensor& result, const Tensor& grad, const Tensor& self, OptionalIntArrayRef dims,
    const std::optional<Scalar>& correction, bool keepdim) {
  // At a standard deviation of 0 the function has a kink; this uses the slope of its flat side.
  const Tensor grad_var = at::masked_fill(grad / (result * 2), result == 0, 0);
  return var_backward(grad_var, self, dims, correction, keepdim);
}

Tensor var_mean_backward(
    const Tensor& grad_var, const Tensor& grad_mean, const Tensor& self, OptionalIntArrayRef dims,
    const std::optional<Scalar>& correction, bool keepdim) {
  Tensor result;
  if (grad_var.defined()) {
    result = var_backward(grad_var, self, dims, correction, keepdim);
  }
  if (grad_mean.defined()) {
    const Tensor of_mean = mean_backward(grad_mean, self.sizes(), dims, self.numel(), keepdim);
    result = result.defined() ? result + of_mean : of_mean;
  }
  return result;
}

// ---- norms

namespace {

// Equal extremes share the gradient. If there is a NaN, it is the extreme.
Tensor shared_among_extremes(
    const Tensor& grad, const Tensor& size, const Tensor& extreme, OptionalIntArrayRef dims) {
  const Tensor chosen = at::methods::to(
      at::logical_or(size == extreme, at::logical_and(at::isnan(size), at::isnan(extreme))),
      grad.scalar_type());
  const Tensor count =
      reduces_all(dims) ? at::sum(chosen) : at::sum(chosen, dims, /*keepdim=*/true);
  return grad / count * chosen;
}

} // namespace

// d|x|_p / dx_i = sgn(x_i) (|x_i| / |x|_p)^(p - 1), with special cases that are faster or that
// avoid 0 / 0. At the zero vector the gradient counts as 0.
Tensor linalg_vector_norm_backward(
    const Tensor& grad, const Tensor& self, const Scalar& ord, const Tensor& norm,
    OptionalIntArrayRef dims, bool keepdim) {
  const double p = ord.toDouble();
  if (p == 0) {
    return {};
  }
  const Tensor wide_grad = restore_reduced_dims(grad, dims, self, keepdim);
  const Tensor wide_norm = restore_reduced_dims(norm, dims, self, keepdim);
  if (p == 1) {
    return at::sgn(self) * wide_grad;
  }
  if (p == 2) {
    return self * at::masked_fill(wide_grad / wide_norm, wide_norm == 0, 0);
  }
  if (std::isinf(p)) {
    return at::sgn(self) * shared_among_extremes(wide_grad, at::abs(self), wide_norm, dims);
  }
  const Tensor size = at::abs(self);
  Tensor power = at::pow(size, p - 1);
  if (p < 2) {
    power = at::masked_fill(power, self == 0, 0);
  }
  const Tensor scaled = at::masked_fill(wide_grad / at::pow(wide_norm, p - 1), wide_norm == 0, 0);
  return at::sgn(self) * power * scaled;
}

Tensor norm_backward(
    const Tensor& grad, const Tensor& self, const std::optional<Scalar>& p, const Tensor& norm) {
  return linalg_vector_norm_backward(grad, self, p.value_or(2), norm, std::nullopt, true);
}

Tensor norm_backward(
    const Tensor& grad, const Tensor& self, const std::optional<Scalar>& p, const Tensor& norm,
    IntArrayRef dims, bool keepdim) {
  return linalg_vector_norm_backward(grad, self, p.value_or(2), norm, dims, keepdim);
}

Tensor logsumexp_backward(
    const Tensor& grad, const Tensor& self, const Tensor& result, IntArrayRef dims, bool keepdim) {
  const Tensor wide_grad = restore_reduced_dims(grad, dims, self, keepdim);
  const Tensor wide_result = restore_reduced_dims(result, dims, self, keepdim);
  return wide_grad * conj_of(at::exp(self - wide_result));
}

// ---- extremes

Tensor amaxamin_backward(
    const Tensor& grad, const Tensor& self, const Tensor& result, IntArrayRef dims, bool keepdim) {
  const Tensor wide_grad = restore_reduced_dims(grad, dims, self, keepdim);
  const Tensor extreme = restore_reduced_dims(result, dims, self, keepdim);
  const Tensor chosen = self == extreme;
  const Tensor count = dims.empty() ? at::sum(chosen) : at::sum(chosen, dims, /*keepdim=*/true);
  return wide_grad * chosen / count;
}

Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& input, const Tensor& value) {
  return shared_among_extremes(grad, input, value, std::nullopt);
}

// ---- scans

// Each element contributes to every later sum.
Tensor cumsum_backward(const Tensor& grad, int64_t dim) {
  if (grad.dim() == 0 || grad.size(dim) <= 1) {
    return grad;
  }
  return at::flip(at::cumsum(at::flip(grad, {dim}), dim), {dim});
}

namespace {

// sum over j >= k of grad_j prod of x_i, i <= j, i != k, written as P_k R_k with P_k the product of
// the elements before k, and R_k = grad_k + x_{k+1} R_{k+1}; this is correct even with zeros. The
// steps are differentiable operators on slices.
Tensor cumprod_backward_by_steps(const Tensor& grad, const Tensor& input, int64_t dim) {
  const int64_t n = input.size(dim);
  const Tensor x = conj_of(input);
  std::vector<Tensor> tails(n);
  tails[n - 1] = at::select(grad, dim, n - 1);
  for (int64_t k = n - 2; k >= 0; --k) {
    tails[k] = at::select(grad, dim, k) + at::select(x, dim, k + 1) * tails[k + 1];
  }
  c10::DimVector edge(input.sizes());
  edge[dim] = 1;
  const Tensor one = at::ones(edge, x.options());
  const Tensor before = at::cumprod(at::cat({one, at::narrow(x, dim, 0, n - 1)}, dim), dim);
  return before * at::stack(tails, dim);
}

} // namespace

// Without zeros, the gradient of x_k is sum(grad_j y_j, j >= k) / x_k.
Tensor cumprod_backward(
    const Tensor& grad, const Tensor& input, int64_t dim, const Tensor& output) {
  if (input.dim() == 0 || input.numel() <= 1 || input.size(dim) == 1) {
    return grad;
  }
  dim = at::maybe_wrap_dim(dim, input.dim());
  if (input.is_meta() || !has_zero(input)) {
    return cumsum_backward(grad * conj_of(output), dim) / conj_of(input);
  }
  return cumprod_backward_by_steps(grad, input, dim);
}

namespace {

double lowest_of(at::ScalarType dtype) {
  return AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, dtype, "logcumsumexp_backward",
      [] { return static_cast<double>(std::numeric_limits<scalar_t>::lowest()); });
}

// The logarithms of the elements chosen; the lowest number elsewhere, which, other than an
// infinity, has a gradient.
Tensor log_where(const Tensor& chosen, const Tensor& tensor) {
  const Tensor logs = at::log(at::where(chosen, tensor, 1));
  return at::where(chosen, logs, lowest_of(c10::toRealValueType(tensor.scalar_type())));
}

} // namespace

// With r the result, the gradient of x_k is the conjugate of exp(x_k) sum(conj(grad_j) exp(-r_j),
// j >= k). The gradients are summed as logarithms, real ones of each sign for themselves, so that
// nothing overflows.
Tensor logcumsumexp_backward(
    const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim) {
  if (grad.dim() == 0 || grad.numel() == 0) {
    return grad;
  }
  const auto share = [&](const Tensor& chosen, const Tensor& part) {
    const Tensor logs = at::flip(log_where(chosen, part) - result, {dim});
    return at::exp(at::flip(at::logcumsumexp(logs, dim), {dim}) + self);
  };
  if (at::isComplexType(grad.scalar_type())) {
    return conj_of(share(at::ne(grad, 0), conj_of(grad)));
  }
  return share(at::gt(grad, 0), grad) - share(at::lt(grad, 0), -grad);
}

} // namespace torch::autograd::generated::details

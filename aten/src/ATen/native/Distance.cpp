// cdist: the distances between the rows of two batches of matrices.

#include <ATen/core/Tensor.h>

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/Distance.h>
#include <ATen/ops/_cdist_backward_native.h>
#include <ATen/ops/_cdist_forward.h>
#include <ATen/ops/_cdist_forward_native.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/cdist_native.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/zeros.h>

namespace at::native {

DEFINE_DISPATCH(distances_stub);
DEFINE_DISPATCH(distance_gradients_stub);

namespace {

constexpr int64_t kProductFrom = 25; // rows from which Euclidean distances use a matrix product

// |x - y|^2 = |x|^2 - 2 x.y + |y|^2, which loses digits where the rows are close.
Tensor euclidean(const Tensor& a, const Tensor& b) {
  const Tensor squares_a = at::sum(a * a, -1, true);
  const Tensor squares_b = at::transpose(at::sum(b * b, -1, true), 1, 2);
  const Tensor sums = at::baddbmm(squares_a + squares_b, a, at::transpose(b, 1, 2), 1, -2);
  return at::sqrt(at::clamp_min(sums, 0));
}

} // namespace

Tensor _cdist_forward(
    const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode) {
  TORCH_CHECK(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: ", x1.dim(), "D");
  TORCH_CHECK(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: ", x2.dim(), "D");
  TORCH_CHECK(
      x1.size(-1) == x2.size(-1),
      "X1 and X2 must have the same number of columns. X1: ", x1.size(-1), " X2: ", x2.size(-1));
  TORCH_CHECK(
      x1.is_floating_point(),
      "cdist only supports floating-point dtypes, X1 got: ", x1.scalar_type());
  TORCH_CHECK(
      x2.is_floating_point(),
      "cdist only supports floating-point dtypes, X2 got: ", x2.scalar_type());
  TORCH_CHECK(p >= 0, "cdist only supports non-negative p values");
  const int64_t mode = compute_mode.value_or(0);
  TORCH_CHECK(mode >= 0 && mode <= 2, "possible modes: 0, 1, 2, but was: ", mode);
  const int64_t rows = x1.size(-2), others = x2.size(-2), width = x1.size(-1);
  const DimVector batch = at::infer_size_dimvector(
      x1.sizes().slice(0, x1.dim() - 2), x2.sizes().slice(0, x2.dim() - 2));
  int64_t count = 1;
  for (const int64_t size : batch) {
    count *= size;
  }
  DimVector shape(batch);
  shape.append({rows, others});
  if (count * rows * others == 0 || width == 0) {
    return at::zeros(shape, x1.options());
  }
  const auto matrices = [&](const Tensor& x, int64_t height) {
    DimVector full(batch);
    full.append({height, width});
    return at::reshape(at::methods::expand(x, full), {count, height, width}).contiguous();
  };
  const Tensor a = matrices(x1, rows), b = matrices(x2, others);
  if (p == 2 && (mode == 1 || (mode == 0 && (rows > kProductFrom || others > kProductFrom)))) {
    return at::reshape(euclidean(a, b), shape);
  }
  Tensor result = at::empty(shape, x1.options());
  if (x1.is_meta()) {
    return result;
  }
  distances_stub(x1.device().type(), DistanceSizes{count, rows, others, width}, p, a, b, result);
  return result;
}

// The gradient of x1; that of x2 is the same with the roles exchanged.
Tensor _cdist_backward(
    const Tensor& grad, const Tensor& x1, const Tensor& x2, double p, const Tensor& cdist) {
  const int64_t rows = x1.size(-2), others = x2.size(-2), width = x1.size(-1);
  const DimVector batch(cdist.sizes().begin(), cdist.sizes().end() - 2);
  int64_t count = 1;
  for (const int64_t size : batch) {
    count *= size;
  }
  DimVector shape(batch);
  shape.append({rows, width});
  Tensor result = at::zeros(shape, x1.options());
  if (result.numel() == 0 || others == 0 || x1.is_meta()) {
    return result;
  }
  const auto matrices = [&](const Tensor& x, int64_t height, int64_t columns) {
    DimVector full(batch);
    full.append({height, columns});
    return at::methods::expand(x, full).contiguous();
  };
  const Tensor a = matrices(x1, rows, width), b = matrices(x2, others, width);
  const Tensor upstream = matrices(grad, rows, others), dist = matrices(cdist, rows, others);
  distance_gradients_stub(
      x1.device().type(), DistanceSizes{count, rows, others, width}, p, upstream, a, b, dist,
      result);
  return result;
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode) {
  return at::_cdist_forward(x1, x2, p, compute_mode);
}

} // namespace at::native

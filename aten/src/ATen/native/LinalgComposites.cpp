// linalg_multi_dot, and the part of torch.linalg.lstsq that needs no singular values.

#include <ATen/native/LinalgBatch.h>

#include <ATen/native/LinalgStubs.h>
#include <ATen/ops/_linalg_lstsq_by_qr_for_cpu_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/linalg_multi_dot.h>
#include <ATen/ops/linalg_multi_dot_native.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <c10/util/SmallVector.h>

#include <limits>
#include <vector>

namespace at::native {
namespace {

// ---- the order of a chain of products, by dynamic programming over the sizes

class Chain {
 public:
  explicit Chain(std::vector<Tensor> factors)
      : factors_(std::move(factors)),
        count_(static_cast<int64_t>(factors_.size())),
        splits_(count_ * count_) {
    c10::SmallVector<double, 16> costs(count_ * count_); // as whole numbers they could overflow
    const auto size = [&](int64_t i) {
      return static_cast<double>(i == 0 ? factors_[0].size(0) : factors_[i - 1].size(1));
    };
    for (int64_t length = 1; length < count_; ++length) {
      for (int64_t first = 0; first + length < count_; ++first) {
        const int64_t last = first + length;
        double least = std::numeric_limits<double>::infinity();
        for (int64_t k = first; k < last; ++k) {
          const double cost = costs[first * count_ + k] + costs[(k + 1) * count_ + last] +
              size(first) * size(k + 1) * size(last + 1);
          if (cost < least) {
            least = cost;
            splits_[first * count_ + last] = k;
          }
        }
        costs[first * count_ + last] = least;
      }
    }
  }

  Tensor multiply() const { return multiply(0, count_ - 1); }

 private:
  Tensor multiply(int64_t first, int64_t last) const {
    if (first == last) {
      return factors_[first];
    }
    const int64_t middle = splits_[first * count_ + last];
    return at::mm(multiply(first, middle), multiply(middle + 1, last));
  }

  std::vector<Tensor> factors_;
  int64_t count_;
  c10::SmallVector<int64_t, 16> splits_;
};

void check_end(const Tensor& tensor, const char* place) {
  TORCH_CHECK(
      tensor.dim() == 1 || tensor.dim() == 2, "multi_dot(): the ", place,
      " tensor must be 1D or 2D but got ", tensor.dim(), "D");
}

void check_chain(const std::vector<Tensor>& factors) {
  for (size_t i = 1; i < factors.size(); ++i) {
    TORCH_CHECK(
        factors[i].dtype() == factors[0].dtype(),
        "multi_dot(): all tensors must have be the same dtype but tensor 0 is ", factors[0].dtype(),
        " and tensor ", i, " ", factors[i].dtype());
    TORCH_CHECK(
        factors[i].device() == factors[0].device(),
        "multi_dot(): all tensors must be on the same device but tensor 0 is on ",
        factors[0].device(), " and tensor ", i, " on ", factors[i].device());
  }
  for (size_t i = 0; i < factors.size(); ++i) {
    TORCH_CHECK(
        factors[i].dim() == 2, "multi_dot(): tensor ", i, " must be 2D but got ", factors[i].dim(),
        "D");
  }
  for (size_t i = 0; i + 1 < factors.size(); ++i) {
    TORCH_CHECK(
        factors[i].size(1) == factors[i + 1].size(0), "multi_dot(): tensors ", i, " and ", i + 1,
        " with shapes ", factors[i].sizes(), " and ", factors[i + 1].sizes(),
        " cannot be multiplied");
  }
}

} // namespace

Tensor linalg_multi_dot(TensorList tensors) {
  TORCH_CHECK(
      tensors.size() >= 2, "multi_dot(): expected at least 2 tensors but got ", tensors.size());
  std::vector<Tensor> factors(tensors.begin(), tensors.end());
  check_end(factors.front(), "first");
  check_end(factors.back(), "last");
  const bool row = factors.front().dim() == 1, column = factors.back().dim() == 1;
  if (row) {
    factors.front() = at::unsqueeze(factors.front(), 0);
  }
  if (column) {
    factors.back() = at::unsqueeze(factors.back(), -1);
  }
  check_chain(factors);
  Tensor result = Chain(std::move(factors)).multiply();
  result = row ? at::squeeze(result, 0) : result;
  return column ? at::squeeze(result, -1) : result;
}

Tensor& linalg_multi_dot_out(TensorList tensors, Tensor& out) {
  const Tensor result = at::linalg_multi_dot(tensors);
  TORCH_CHECK(
      out.dtype() == result.dtype(), "multi_dot(): expected out tensor to have dtype ",
      result.dtype(), " but got ", out.dtype());
  store_result(result, out, "multi_dot()", "out");
  return out;
}

std::tuple<Tensor, Tensor, Tensor> _linalg_lstsq_by_qr_for_cpu(
    const Tensor& A, const Tensor& B, double limit) {
  constexpr const char* kName = "torch.linalg.lstsq";
  check_matrix(A, kName);
  check_matrix(B, kName, "B");
  const IntArrayRef batch = A.sizes().slice(0, A.dim() - 2);
  const int64_t rows = A.size(-2), cols = A.size(-1), count = B.size(-1);
  TORCH_CHECK(
      A.is_floating_point() && A.scalar_type() == B.scalar_type() && rows >= cols &&
          B.size(-2) == rows && B.sizes().slice(0, B.dim() - 2) == batch,
      kName, ": a QR factorization solves equations of real matrices of one dtype that have at ",
      "least as many rows as columns, but got ", A.sizes(), " and ", B.sizes());
  Tensor residuals = empty_rows(B, {rows > cols ? count : 0}, B.scalar_type());
  Tensor full_rank = at::empty({}, A.options().dtype(kBool));
  const Tensor found = copy_columns(B);
  Tensor solution = at::narrow(found, -2, 0, cols);
  if (A.is_meta()) {
    return {solution, residuals, full_rank};
  }
  check_kernel_dtype(A, "linalg_lstsq_cpu");
  const Tensor factors = copy_columns(A);
  const bool sure = A.numel() == 0 || lstsq_stub(A.device().type(), factors, found, limit);
  at::methods::fill_(full_rank, sure);
  if (sure && rows > cols) {
    const Tensor rest = at::narrow(found, -2, cols, rows - cols);
    residuals = at::sum(at::mul(rest, rest), -2);
  }
  return {solution, residuals, full_rank};
}

} // namespace at::native

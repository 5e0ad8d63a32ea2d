#include <ATen/native/LinalgErrors.h>

#include <ATen/ops/to.h>
#include <c10/util/Exception.h>

#include <optional>
#include <string>

namespace at::native {
namespace {

// The first matrix that could not be factored: "name: (Batch element i): ", and LAPACK's code.
struct Failure {
  std::string where;
  int32_t code;
};

std::optional<Failure> first_failure(const Tensor& info, const char* name) {
  if (info.is_meta() || info.unsafeGetTensorImpl()->is_python_dispatch()) {
    return std::nullopt;
  }
  const Tensor all = at::methods::to(info, Device(kCPU)).contiguous();
  const int32_t* data = all.const_data_ptr<int32_t>();
  for (int64_t i = 0; i < all.numel(); ++i) {
    if (data[i] != 0) {
      const std::string which =
          info.dim() == 0 ? "" : "(Batch element " + std::to_string(i) + "): ";
      return Failure{std::string(name) + ": " + which, data[i]};
    }
  }
  return std::nullopt;
}

} // namespace

void check_positive_definite(const Tensor& info, const char* name) {
  const auto failure = first_failure(info, name);
  TORCH_CHECK_LINALG(
      !failure, failure->where,
      "The factorization could not be completed because the input is not positive-definite (the "
      "leading minor of order ",
      failure->code, " is not positive-definite).");
}

void check_invertible(const Tensor& info, const char* name) {
  const auto failure = first_failure(info, name);
  TORCH_CHECK_LINALG(
      !failure, failure->where, "The diagonal element ", failure->code,
      " is zero, the inversion could not be completed because the input matrix is singular.");
}

void check_solvable(const Tensor& info, const char* name) {
  const auto failure = first_failure(info, name);
  TORCH_CHECK_LINALG(
      !failure, failure->where, "The solver failed because the input matrix is singular.");
}

void check_usable_factors(const Tensor& info, const char* name) {
  const auto failure = first_failure(info, name);
  TORCH_CHECK(
      !failure, failure->where, "U[", failure->code, ",", failure->code,
      "] is zero and using it on lu_solve would result in a division by zero. If you still want to "
      "perform the factorization, consider calling linalg.lu(A, pivot) or "
      "linalg.lu_factor_ex(A, pivot)");
}

} // namespace at::native

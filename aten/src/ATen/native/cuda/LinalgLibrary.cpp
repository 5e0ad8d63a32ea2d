#include <ATen/native/cuda/LinalgLibrary.h>

#include <ATen/cuda/SiblingLibrary.h>
#include <c10/util/Exception.h>

#include <mutex>
#include <optional>
#include <utility>

namespace at::native {
namespace {

std::optional<LinalgLibrary>& registered() {
  static std::optional<LinalgLibrary> functions;
  return functions;
}

// Calls the library's function in place of the stub's.
template <auto member, typename... Args>
void load_and_call(Args... args) {
  (linalg_library().*member)(std::forward<Args>(args)...);
}

} // namespace

void register_linalg_library(const LinalgLibrary& functions) {
  registered() = functions;
}

const LinalgLibrary& linalg_library() {
  static std::once_flag loaded;
  std::call_once(loaded, [] {
    at::cuda::load_sibling_library(
        "libtorch_cuda_linalg.so",
        "Factorizations of matrices on CUDA devices need it, and a build has it with "
        "USE_CUSOLVER=1.");
    TORCH_INTERNAL_ASSERT(
        registered().has_value(), "libtorch_cuda_linalg.so did not register its functions");
  });
  return *registered();
}

REGISTER_CUDA_DISPATCH(cholesky_stub, &load_and_call<&LinalgLibrary::cholesky>)
REGISTER_CUDA_DISPATCH(lu_factor_stub, &load_and_call<&LinalgLibrary::lu_factor>)
REGISTER_CUDA_DISPATCH(lu_solve_stub, &load_and_call<&LinalgLibrary::lu_solve>)
REGISTER_CUDA_DISPATCH(qr_factor_stub, &load_and_call<&LinalgLibrary::qr_factor>)
REGISTER_CUDA_DISPATCH(qr_matrix_stub, &load_and_call<&LinalgLibrary::qr_matrix>)
REGISTER_CUDA_DISPATCH(eigh_stub, &load_and_call<&LinalgLibrary::eigh>)
REGISTER_CUDA_DISPATCH(svd_stub, &load_and_call<&LinalgLibrary::svd>)

} // namespace at::native

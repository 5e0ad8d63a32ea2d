#pragma once

// Factorizations of matrices are in libtorch_cuda_linalg, the only library that links cuSOLVER,
// which is large and which few programs need. The first factorization loads it from the folder of
// libtorch_cuda; the library then registers its functions here.

#include <ATen/native/LinalgStubs.h>
#include <c10/macros/Export.h>

#include <cstdint>

namespace at::native {

struct LinalgLibrary {
  cholesky_fn cholesky;
  lu_factor_fn lu_factor;
  lu_solve_fn lu_solve;
  qr_factor_fn qr_factor;
  qr_matrix_fn qr_matrix;
  eigh_fn eigh;
  svd_fn svd;
  uintptr_t (*solver_handle)(); // the calling thread's, as a number for other libraries
};

TORCH_CUDA_CPP_API void register_linalg_library(const LinalgLibrary& functions);

// Loads the library if that has not happened yet. Throws, with the path and the option, if it is
// missing or cannot be loaded; a later call tries again.
TORCH_CUDA_CPP_API const LinalgLibrary& linalg_library();

} // namespace at::native

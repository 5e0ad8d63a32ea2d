// BLAS=Generic: any library with a CBLAS interface that CMake finds, such as Debian's OpenBLAS,
// ATLAS or BLIS. AT_BLAS_HAS_LAPACK comes from cmake/Modules/BlasLibrary.cmake.
#include <cblas.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>

#define CBLAS(name) cblas_##name
#include <ATen/native/blas/CBlasCalls.h>

#if AT_BLAS_HAS_LAPACK
#define LAPACK(name) name##_
#endif
#include <ATen/native/blas/LapackCalls.h>

// Libraries with their own threads export one of these.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int count);
__attribute__((weak)) void bli_thread_set_num_threads(long count);
}

namespace at::native::blas {

void use_one_thread() {
  if (openblas_set_num_threads) {
    openblas_set_num_threads(1);
  }
  if (bli_thread_set_num_threads) {
    bli_thread_set_num_threads(1);
  }
}

// Which library it is may be decided when it is loaded (Debian's alternatives), so ask the loader.
std::string description() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&cblas_sgemm), &info) || !info.dli_fname) {
    return "CBLAS";
  }
  const std::unique_ptr<char, decltype(&std::free)> path(
      realpath(info.dli_fname, nullptr), &std::free);
  return std::string("CBLAS of ") + (path ? path.get() : info.dli_fname);
}

bool has_lapack() {
  return AT_BLAS_HAS_LAPACK;
}

bool is_mkl() {
  return false;
}

} // namespace at::native::blas

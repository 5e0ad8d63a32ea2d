// BLAS=OpenBLAS: the library of PyPI's scipy-openblas32, which puts `scipy_` before all names so
// that several copies of OpenBLAS can be loaded into one process.
#include <cblas.h>

#define CBLAS(name) scipy_cblas_##name
#include <ATen/native/blas/CBlasCalls.h>

#define LAPACK(name) scipy_##name##_
#include <ATen/native/blas/LapackCalls.h>

namespace at::native::blas {

void use_one_thread() {
  scipy_openblas_set_num_threads(1);
}

std::string description() {
  // "OpenBLAS 0.3.30 DYNAMIC_ARCH ...": the rest says how it was compiled, and for which processor.
  const std::string text = scipy_openblas_get_config();
  return text.substr(0, text.find(' ', text.find(' ') + 1));
}

bool has_lapack() {
  return true; // the wheel is always built with it
}

bool is_mkl() {
  return false;
}

} // namespace at::native::blas

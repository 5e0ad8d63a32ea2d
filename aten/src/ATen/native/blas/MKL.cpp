// BLAS=MKL: oneMKL through libmkl_rt, which loads the libraries for this processor.
#include <mkl_cblas.h>
#include <mkl_service.h>

#define CBLAS(name) cblas_##name
#include <ATen/native/blas/CBlasCalls.h>

#define LAPACK(name) name##_
#include <ATen/native/blas/LapackCalls.h>

namespace at::native::blas {

void use_one_thread() {
  // Without threads of its own, libmkl_rt loads no OpenMP library either.
  mkl_set_threading_layer(MKL_THREADING_SEQUENTIAL);
}

std::string description() {
  MKLVersion version;
  mkl_get_version(&version);
  return "MKL " + std::to_string(version.MajorVersion) + "." +
      std::to_string(version.MinorVersion) + "." + std::to_string(version.UpdateVersion);
}

bool has_lapack() {
  return true;
}

bool is_mkl() {
  return true;
}

} // namespace at::native::blas

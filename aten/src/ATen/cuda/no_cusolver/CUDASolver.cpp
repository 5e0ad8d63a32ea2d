#include <ATen/cuda/CUDASolver.h>

#include <c10/util/Exception.h>

// Factorizations in a build without cuSOLVER: an error that says what to do.

namespace at::cuda::solver {
namespace {

[[noreturn]] void no_cusolver() {
  TORCH_CHECK(
      false,
      "This function of torch.linalg needs cuSOLVER on CUDA devices, and this build has none: "
      "install it (pip install nvidia-cusolver), and build again with USE_CUSOLVER=1");
}

} // namespace

#define AT_NO_SOLVER(T, Real)                                                 \
  void potrf(char, int, T*, int*) {                                           \
    no_cusolver();                                                            \
  }                                                                           \
  void potrf_batched(char, int, T**, int*, int) {                             \
    no_cusolver();                                                            \
  }                                                                           \
  void getrf(int, int, T*, int*, int*) {                                      \
    no_cusolver();                                                            \
  }                                                                           \
  void getrf_batched(int, T**, int*, int*, int) {                             \
    no_cusolver();                                                            \
  }                                                                           \
  void getrs(char, int, int, const T*, const int*, T*, int*) {                \
    no_cusolver();                                                            \
  }                                                                           \
  void getrs_batched(char, int, int, const T* const*, const int*, T**, int) { \
    no_cusolver();                                                            \
  }                                                                           \
  void geqrf(int, int, T*, T*, int*) {                                        \
    no_cusolver();                                                            \
  }                                                                           \
  void orgqr(int, int, int, T*, const T*, int*) {                             \
    no_cusolver();                                                            \
  }                                                                           \
  void syevd(char, char, int, T*, Real*, int*) {                              \
    no_cusolver();                                                            \
  }                                                                           \
  void gesvd(SvdDriver, char, int, int, T*, Real*, T*, T*, int*) {            \
    no_cusolver();                                                            \
  }
AT_NO_SOLVER(float, float)
AT_NO_SOLVER(double, double)
AT_NO_SOLVER(c10::complex<float>, float)
AT_NO_SOLVER(c10::complex<double>, double)
#undef AT_NO_SOLVER

uintptr_t current_handle() {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "This build does not use cuSOLVER");
}

} // namespace at::cuda::solver

// BLAS=OpenBLAS: the library of PyPI's scipy-openblas32, which puts `scipy_` before all names so
// that several copies of OpenBLAS can be loaded into one process. It is loaded at the first call:
// it takes as much memory as a tenth of `import torch` and starts threads, and most products and
// factorizations of small matrices are done without it.
#include <c10/util/Exception.h>

#include <cblas.h>
#include <dlfcn.h>

#include <string>

namespace {

void* open_library() {
  void* const library = dlopen(AT_OPENBLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(library != nullptr, "Cannot load OpenBLAS: ", dlerror());
  // Factorizations may be the first calls, before any product asks for one thread.
  const auto set_threads = reinterpret_cast<decltype(&scipy_openblas_set_num_threads)>(
      dlsym(library, "scipy_openblas_set_num_threads"));
  TORCH_CHECK(set_threads != nullptr, "This OpenBLAS lacks a function: ", dlerror());
  set_threads(1);
  return library;
}

// The library is never closed, since its functions stay in use until the process ends.
void* find_function(const char* symbol) {
  static void* const library = open_library();
  void* const function = dlsym(library, symbol);
  TORCH_CHECK(function != nullptr, "This OpenBLAS lacks a function: ", dlerror());
  return function;
}

} // namespace

#define AT_LOADED_SYMBOL(symbol)                                                                \
  ([] {                                                                                         \
    static const auto function = reinterpret_cast<decltype(&(symbol))>(find_function(#symbol)); \
    return function;                                                                            \
  }())
#define AT_LOADED(symbol) AT_LOADED_SYMBOL(symbol)

#define CBLAS(name) AT_LOADED(scipy_cblas_##name)
#include <ATen/native/blas/CBlasCalls.h>

#define LAPACK(name) scipy_##name##_
#define LAPACK_CALL(name) AT_LOADED(LAPACK(name))
#include <ATen/native/blas/LapackCalls.h>

namespace at::native::blas {

void use_one_thread() {
  AT_LOADED(scipy_openblas_set_num_threads)(1);
}

std::string description() {
  // "OpenBLAS 0.3.30 DYNAMIC_ARCH ...": the rest says how it was compiled, and for which processor.
  const std::string text = AT_LOADED(scipy_openblas_get_config)();
  return text.substr(0, text.find(' ', text.find(' ') + 1));
}

bool has_lapack() {
  return true; // the wheel is always built with it
}

bool is_mkl() {
  return false;
}

} // namespace at::native::blas

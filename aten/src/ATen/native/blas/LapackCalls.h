// The calls of Lapack.h. The including file first defines LAPACK(name), which gives the symbol of a
// Fortran routine; without it, every call is an error. It may define LAPACK_CALL(name), the
// function to call, if the library is not linked.

#include <ATen/native/blas/Lapack.h>

#include <c10/util/Exception.h>

#include <algorithm>
#include <memory>

#ifdef LAPACK

#ifndef LAPACK_CALL
#define LAPACK_CALL(name) LAPACK(name)
#endif

// Fortran takes every argument by address.
#define AT_FORTRAN(p, T, Real)                                                               \
  extern "C" {                                                                               \
  void LAPACK(p##potrf)(const char*, const int*, T*, const int*, int*);                      \
  void LAPACK(p##getrf)(const int*, const int*, T*, const int*, int*, int*);                 \
  void LAPACK(p##getrs)(                                                                     \
      const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, \
      int*);                                                                                 \
  void LAPACK(p##geqrf)(const int*, const int*, T*, const int*, T*, T*, const int*, int*);   \
  }
AT_FORTRAN(s, float, float)
AT_FORTRAN(d, double, double)
AT_FORTRAN(c, c10::complex<float>, float)
AT_FORTRAN(z, c10::complex<double>, double)
#undef AT_FORTRAN

// The routines whose names or workspaces differ between real and complex matrices.
#define AT_FORTRAN_REAL(p, T)                                                                      \
  extern "C" {                                                                                     \
  void LAPACK(p##orgqr)(                                                                           \
      const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);         \
  void LAPACK(p##syevd)(                                                                           \
      const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*,  \
      int*);                                                                                       \
  void LAPACK(p##gesdd)(                                                                           \
      const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*, \
      const int*, int*, int*);                                                                     \
  void LAPACK(p##sytrd)(                                                                           \
      const char*, const int*, T*, const int*, T*, T*, T*, T*, const int*, int*);                  \
  void LAPACK(p##stedc)(                                                                           \
      const char*, const int*, T*, T*, T*, const int*, T*, const int*, int*, const int*, int*);    \
  void LAPACK(p##laed1)(const int*, T*, T*, const int*, int*, T*, const int*, T*, int*, int*);     \
  }
#define AT_FORTRAN_COMPLEX(p, T, Real)                                                            \
  extern "C" {                                                                                    \
  void LAPACK(p##ungqr)(                                                                          \
      const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);        \
  void LAPACK(p##heevd)(                                                                          \
      const char*, const char*, const int*, T*, const int*, Real*, T*, const int*, Real*,         \
      const int*, int*, const int*, int*);                                                        \
  void LAPACK(p##gesdd)(                                                                          \
      const char*, const int*, const int*, T*, const int*, Real*, T*, const int*, T*, const int*, \
      T*, const int*, Real*, int*, int*);                                                         \
  }
AT_FORTRAN_REAL(s, float)
AT_FORTRAN_REAL(d, double)
AT_FORTRAN_COMPLEX(c, c10::complex<float>, float)
AT_FORTRAN_COMPLEX(z, c10::complex<double>, double)
#undef AT_FORTRAN_REAL
#undef AT_FORTRAN_COMPLEX

namespace at::native::blas {
namespace {

template <class T>
std::unique_ptr<T[]> workspace(int64_t count) {
  return std::make_unique_for_overwrite<T[]>(static_cast<size_t>(std::max<int64_t>(count, 1)));
}

int length_of(double size) {
  return std::max(static_cast<int>(size), 1);
}
template <class Real>
int length_of(c10::complex<Real> size) {
  return length_of(static_cast<double>(size.real()));
}

} // namespace

#define AT_LAPACK_COMMON(p, T)                                                      \
  int potrf(char uplo, int n, T* a, int lda) {                                      \
    int info = 0;                                                                   \
    LAPACK_CALL(p##potrf)(&uplo, &n, a, &lda, &info);                               \
    return info;                                                                    \
  }                                                                                 \
  int getrf(int m, int n, T* a, int lda, int* ipiv) {                               \
    int info = 0;                                                                   \
    LAPACK_CALL(p##getrf)(&m, &n, a, &lda, ipiv, &info);                            \
    return info;                                                                    \
  }                                                                                 \
  int getrs(char trans, int n, int nrhs, T* a, int lda, int* ipiv, T* b, int ldb) { \
    int info = 0;                                                                   \
    LAPACK_CALL(p##getrs)(&trans, &n, &nrhs, a, &lda, ipiv, b, &ldb, &info);        \
    return info;                                                                    \
  }                                                                                 \
  int geqrf(int m, int n, T* a, int lda, T* tau) {                                  \
    int info = 0, length = -1;                                                      \
    T size{};                                                                       \
    LAPACK_CALL(p##geqrf)(&m, &n, a, &lda, tau, &size, &length, &info);             \
    length = length_of(size);                                                       \
    const auto work = workspace<T>(length);                                         \
    LAPACK_CALL(p##geqrf)(&m, &n, a, &lda, tau, work.get(), &length, &info);        \
    return info;                                                                    \
  }
AT_LAPACK_COMMON(s, float)
AT_LAPACK_COMMON(d, double)
AT_LAPACK_COMMON(c, c10::complex<float>)
AT_LAPACK_COMMON(z, c10::complex<double>)
#undef AT_LAPACK_COMMON

#define AT_LAPACK_ORGQR(name, T)                                             \
  int orgqr(int m, int n, int k, T* a, int lda, T* tau) {                    \
    int info = 0, length = -1;                                               \
    T size{};                                                                \
    LAPACK_CALL(name)(&m, &n, &k, a, &lda, tau, &size, &length, &info);      \
    length = length_of(size);                                                \
    const auto work = workspace<T>(length);                                  \
    LAPACK_CALL(name)(&m, &n, &k, a, &lda, tau, work.get(), &length, &info); \
    return info;                                                             \
  }
AT_LAPACK_ORGQR(sorgqr, float)
AT_LAPACK_ORGQR(dorgqr, double)
AT_LAPACK_ORGQR(cungqr, c10::complex<float>)
AT_LAPACK_ORGQR(zungqr, c10::complex<double>)
#undef AT_LAPACK_ORGQR

#define AT_LAPACK_REAL(p, T)                                                                     \
  int syevd(char jobz, char uplo, int n, T* a, int lda, T* w) {                                  \
    int info = 0, length = -1, integers = -1, integer_size = 0;                                  \
    T size{};                                                                                    \
    LAPACK_CALL(p##syevd)                                                                        \
    (&jobz, &uplo, &n, a, &lda, w, &size, &length, &integer_size, &integers, &info);             \
    length = length_of(size);                                                                    \
    integers = std::max(integer_size, 1);                                                        \
    const auto work = workspace<T>(length);                                                      \
    const auto integer_work = workspace<int>(integers);                                          \
    LAPACK_CALL(p##syevd)                                                                        \
    (&jobz, &uplo, &n, a, &lda, w, work.get(), &length, integer_work.get(), &integers, &info);   \
    return info;                                                                                 \
  }                                                                                              \
  int gesdd(char jobz, int m, int n, T* a, int lda, T* s, T* u, int ldu, T* vt, int ldvt) {      \
    int info = 0, length = -1;                                                                   \
    T size{};                                                                                    \
    const auto integers = workspace<int>(8 * std::min(m, n));                                    \
    LAPACK_CALL(p##gesdd)                                                                        \
    (&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, &size, &length, integers.get(), &info);      \
    length = length_of(size);                                                                    \
    const auto work = workspace<T>(length);                                                      \
    LAPACK_CALL(p##gesdd)                                                                        \
    (&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work.get(), &length, integers.get(), &info); \
    return info;                                                                                 \
  }
AT_LAPACK_REAL(s, float)
AT_LAPACK_REAL(d, double)
#undef AT_LAPACK_REAL

#define AT_LAPACK_TRIDIAGONAL(p, T)                                                       \
  int sytrd(char uplo, int n, T* a, int lda, T* d, T* e, T* tau) {                        \
    int info = 0, length = -1;                                                            \
    T size{};                                                                             \
    LAPACK_CALL(p##sytrd)(&uplo, &n, a, &lda, d, e, tau, &size, &length, &info);          \
    length = length_of(size);                                                             \
    const auto work = workspace<T>(length);                                               \
    LAPACK_CALL(p##sytrd)(&uplo, &n, a, &lda, d, e, tau, work.get(), &length, &info);     \
    return info;                                                                          \
  }                                                                                       \
  int stedc(int n, T* d, T* e, T* z, int ldz) {                                           \
    int info = 0, length = -1, integers = -1, integer_size = 0;                           \
    const char job = 'I';                                                                 \
    T size{};                                                                             \
    LAPACK_CALL(p##stedc)                                                                 \
    (&job, &n, d, e, z, &ldz, &size, &length, &integer_size, &integers, &info);           \
    length = length_of(size);                                                             \
    integers = std::max(integer_size, 1);                                                 \
    const auto work = workspace<T>(length);                                               \
    const auto integer_work = workspace<int>(integers);                                   \
    LAPACK_CALL(p##stedc)                                                                 \
    (&job, &n, d, e, z, &ldz, work.get(), &length, integer_work.get(), &integers, &info); \
    return info;                                                                          \
  }                                                                                       \
  int laed1(int n, T* d, T* q, int ldq, int* indxq, T rho, int cutpnt) {                  \
    int info = 0;                                                                         \
    const auto work = workspace<T>(int64_t{n} * n + 4 * int64_t{n});                      \
    const auto integer_work = workspace<int>(4 * int64_t{n});                             \
    LAPACK_CALL(p##laed1)                                                                 \
    (&n, d, q, &ldq, indxq, &rho, &cutpnt, work.get(), integer_work.get(), &info);        \
    return info;                                                                          \
  }
AT_LAPACK_TRIDIAGONAL(s, float)
AT_LAPACK_TRIDIAGONAL(d, double)
#undef AT_LAPACK_TRIDIAGONAL

#define AT_LAPACK_COMPLEX(p, T, Real)                                                              \
  int syevd(char jobz, char uplo, int n, T* a, int lda, Real* w) {                                 \
    int info = 0, length = -1, reals = -1, integers = -1, integer_size = 0;                        \
    T size{};                                                                                      \
    Real real_size{};                                                                              \
    LAPACK_CALL(p##heevd)                                                                          \
    (&jobz, &uplo, &n, a, &lda, w, &size, &length, &real_size, &reals, &integer_size, &integers,   \
     &info);                                                                                       \
    length = length_of(size);                                                                      \
    reals = length_of(static_cast<double>(real_size));                                             \
    integers = std::max(integer_size, 1);                                                          \
    const auto work = workspace<T>(length);                                                        \
    const auto real_work = workspace<Real>(reals);                                                 \
    const auto integer_work = workspace<int>(integers);                                            \
    LAPACK_CALL(p##heevd)                                                                          \
    (&jobz, &uplo, &n, a, &lda, w, work.get(), &length, real_work.get(), &reals,                   \
     integer_work.get(), &integers, &info);                                                        \
    return info;                                                                                   \
  }                                                                                                \
  int gesdd(char jobz, int m, int n, T* a, int lda, Real* s, T* u, int ldu, T* vt, int ldvt) {     \
    int info = 0, length = -1;                                                                     \
    T size{};                                                                                      \
    const int64_t least = std::min(m, n), most = std::max(m, n);                                   \
    const auto integers = workspace<int>(8 * least);                                               \
    const auto reals = workspace<Real>(least * std::max(5 * least + 7, 2 * most + 2 * least + 1)); \
    LAPACK_CALL(p##gesdd)                                                                          \
    (&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, &size, &length, reals.get(), integers.get(),   \
     &info);                                                                                       \
    length = length_of(size);                                                                      \
    const auto work = workspace<T>(length);                                                        \
    LAPACK_CALL(p##gesdd)                                                                          \
    (&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work.get(), &length, reals.get(),              \
     integers.get(), &info);                                                                       \
    return info;                                                                                   \
  }
AT_LAPACK_COMPLEX(c, c10::complex<float>, float)
AT_LAPACK_COMPLEX(z, c10::complex<double>, double)
#undef AT_LAPACK_COMPLEX

} // namespace at::native::blas

#else

namespace at::native::blas {
namespace {

[[noreturn]] int no_lapack() {
  TORCH_CHECK(false, "This function needs LAPACK, but the BLAS library of this build has none.");
}

} // namespace

#define AT_NO_LAPACK(T, Real)                                   \
  int potrf(char, int, T*, int) {                               \
    return no_lapack();                                         \
  }                                                             \
  int getrf(int, int, T*, int, int*) {                          \
    return no_lapack();                                         \
  }                                                             \
  int getrs(char, int, int, T*, int, int*, T*, int) {           \
    return no_lapack();                                         \
  }                                                             \
  int geqrf(int, int, T*, int, T*) {                            \
    return no_lapack();                                         \
  }                                                             \
  int orgqr(int, int, int, T*, int, T*) {                       \
    return no_lapack();                                         \
  }                                                             \
  int syevd(char, char, int, T*, int, Real*) {                  \
    return no_lapack();                                         \
  }                                                             \
  int gesdd(char, int, int, T*, int, Real*, T*, int, T*, int) { \
    return no_lapack();                                         \
  }
AT_NO_LAPACK(float, float)
AT_NO_LAPACK(double, double)
AT_NO_LAPACK(c10::complex<float>, float)
AT_NO_LAPACK(c10::complex<double>, double)
#undef AT_NO_LAPACK

#define AT_NO_LAPACK_REAL(T)                  \
  int sytrd(char, int, T*, int, T*, T*, T*) { \
    return no_lapack();                       \
  }                                           \
  int stedc(int, T*, T*, T*, int) {           \
    return no_lapack();                       \
  }                                           \
  int laed1(int, T*, T*, int, int*, T, int) { \
    return no_lapack();                       \
  }
AT_NO_LAPACK_REAL(float)
AT_NO_LAPACK_REAL(double)
#undef AT_NO_LAPACK_REAL

} // namespace at::native::blas

#endif

#include <ATen/native/blas/LapackGeneralCalls.h>

// The calls of Lapack.h for general and indefinite matrices and for products of reflectors.
// LapackCalls.h includes this file after its own.

#ifdef LAPACK

#define AT_FORTRAN(p, T)                                                                      \
  extern "C" {                                                                                \
  void LAPACK(p##sytrf)(const char*, const int*, T*, const int*, int*, T*, const int*, int*); \
  void LAPACK(p##sytrs)(                                                                      \
      const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*,  \
      int*);                                                                                  \
  }
AT_FORTRAN(s, float)
AT_FORTRAN(d, double)
AT_FORTRAN(c, c10::complex<float>)
AT_FORTRAN(z, c10::complex<double>)
#undef AT_FORTRAN

#define AT_FORTRAN_ORMQR(name, T)                                                         \
  extern "C" void LAPACK(name)(                                                           \
      const char*, const char*, const int*, const int*, const int*, const T*, const int*, \
      const T*, T*, const int*, T*, const int*, int*);
AT_FORTRAN_ORMQR(sormqr, float)
AT_FORTRAN_ORMQR(dormqr, double)
AT_FORTRAN_ORMQR(cunmqr, c10::complex<float>)
AT_FORTRAN_ORMQR(zunmqr, c10::complex<double>)
#undef AT_FORTRAN_ORMQR

#define AT_FORTRAN_REAL(p, T)                                                           \
  extern "C" void LAPACK(p##geev)(                                                      \
      const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, \
      const int*, T*, const int*, int*);
#define AT_FORTRAN_COMPLEX(p, T, Real)                                                          \
  extern "C" {                                                                                  \
  void LAPACK(p##geev)(                                                                         \
      const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, \
      T*, const int*, Real*, int*);                                                             \
  void LAPACK(p##hetrf)(const char*, const int*, T*, const int*, int*, T*, const int*, int*);   \
  void LAPACK(p##hetrs)(                                                                        \
      const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*,    \
      int*);                                                                                    \
  }
AT_FORTRAN_REAL(s, float)
AT_FORTRAN_REAL(d, double)
AT_FORTRAN_COMPLEX(c, c10::complex<float>, float)
AT_FORTRAN_COMPLEX(z, c10::complex<double>, double)
#undef AT_FORTRAN_REAL
#undef AT_FORTRAN_COMPLEX

namespace at::native::blas {

#define AT_LAPACK_ORMQR(name, T)                                                                \
  int ormqr(char side, char trans, int m, int n, int k, T* a, int lda, T* tau, T* c, int ldc) { \
    int info = 0, length = -1;                                                                  \
    T size{};                                                                                   \
    LAPACK_CALL(name)(&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, &size, &length, &info); \
    length = length_of(size);                                                                   \
    const auto work = workspace<T>(length);                                                     \
    LAPACK_CALL(name)                                                                           \
    (&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work.get(), &length, &info);             \
    return info;                                                                                \
  }
AT_LAPACK_ORMQR(sormqr, float)
AT_LAPACK_ORMQR(dormqr, double)
AT_LAPACK_ORMQR(cunmqr, c10::complex<float>)
AT_LAPACK_ORMQR(zunmqr, c10::complex<double>)
#undef AT_LAPACK_ORMQR

#define AT_LAPACK_FACTOR(name, factor, T)                                      \
  int name(char uplo, int n, T* a, int lda, int* ipiv) {                       \
    int info = 0, length = -1;                                                 \
    T size{};                                                                  \
    LAPACK_CALL(factor)(&uplo, &n, a, &lda, ipiv, &size, &length, &info);      \
    length = length_of(size);                                                  \
    const auto work = workspace<T>(length);                                    \
    LAPACK_CALL(factor)(&uplo, &n, a, &lda, ipiv, work.get(), &length, &info); \
    return info;                                                               \
  }
#define AT_LAPACK_SOLVE(name, solve, T)                                           \
  int name(char uplo, int n, int nrhs, T* a, int lda, int* ipiv, T* b, int ldb) { \
    int info = 0;                                                                 \
    LAPACK_CALL(solve)(&uplo, &n, &nrhs, a, &lda, ipiv, b, &ldb, &info);          \
    return info;                                                                  \
  }
#define AT_LAPACK_INDEFINITE(p, h, T)   \
  AT_LAPACK_FACTOR(sytrf, p##sytrf, T)  \
  AT_LAPACK_FACTOR(hetrf, p##h##trf, T) \
  AT_LAPACK_SOLVE(sytrs, p##sytrs, T)   \
  AT_LAPACK_SOLVE(hetrs, p##h##trs, T)
AT_LAPACK_INDEFINITE(s, sy, float)
AT_LAPACK_INDEFINITE(d, sy, double)
AT_LAPACK_INDEFINITE(c, he, c10::complex<float>)
AT_LAPACK_INDEFINITE(z, he, c10::complex<double>)
#undef AT_LAPACK_INDEFINITE
#undef AT_LAPACK_SOLVE
#undef AT_LAPACK_FACTOR

namespace {

// LAPACK gives the vectors of a conjugate pair of values as a real and an imaginary column.
template <class Real>
void join_pairs(
    int n, const Real* real, const Real* imag, const Real* columns, c10::complex<Real>* w,
    c10::complex<Real>* vr) {
  for (int j = 0; j < n; ++j) {
    w[j] = {real[j], imag[j]};
  }
  for (int j = 0; vr != nullptr && j < n; ++j) {
    const bool pair = imag[j] != Real(0) && j + 1 < n;
    const Real* column = columns + static_cast<int64_t>(j) * n;
    c10::complex<Real>* out = vr + static_cast<int64_t>(j) * n;
    for (int i = 0; i < n; ++i) {
      out[i] = {column[i], pair ? column[n + i] : Real(0)};
      if (pair) {
        out[n + i] = {column[i], -column[n + i]};
      }
    }
    j += pair ? 1 : 0;
  }
}

} // namespace

#define AT_LAPACK_GEEV_REAL(p, T)                                                                \
  int geev(int n, T* a, int lda, c10::complex<T>* w, c10::complex<T>* vr) {                      \
    const char none = 'N', wanted = vr != nullptr ? 'V' : 'N';                                   \
    int info = 0, length = -1;                                                                   \
    T size{};                                                                                    \
    const auto real = workspace<T>(n), imag = workspace<T>(n);                                   \
    const auto columns = workspace<T>(vr != nullptr ? static_cast<int64_t>(n) * n : 1);          \
    LAPACK_CALL(p##geev)                                                                         \
    (&none, &wanted, &n, a, &lda, real.get(), imag.get(), nullptr, &n, columns.get(), &n, &size, \
     &length, &info);                                                                            \
    length = length_of(size);                                                                    \
    const auto work = workspace<T>(length);                                                      \
    LAPACK_CALL(p##geev)                                                                         \
    (&none, &wanted, &n, a, &lda, real.get(), imag.get(), nullptr, &n, columns.get(), &n,        \
     work.get(), &length, &info);                                                                \
    join_pairs(n, real.get(), imag.get(), columns.get(), w, vr);                                 \
    return info;                                                                                 \
  }
AT_LAPACK_GEEV_REAL(s, float)
AT_LAPACK_GEEV_REAL(d, double)
#undef AT_LAPACK_GEEV_REAL

#define AT_LAPACK_GEEV_COMPLEX(p, T, Real)                                                     \
  int geev(int n, T* a, int lda, T* w, T* vr) {                                                \
    const char none = 'N', wanted = vr != nullptr ? 'V' : 'N';                                 \
    int info = 0, length = -1;                                                                 \
    T size{};                                                                                  \
    const auto reals = workspace<Real>(2 * static_cast<int64_t>(n));                           \
    LAPACK_CALL(p##geev)                                                                       \
    (&none, &wanted, &n, a, &lda, w, nullptr, &n, vr, &n, &size, &length, reals.get(), &info); \
    length = length_of(size);                                                                  \
    const auto work = workspace<T>(length);                                                    \
    LAPACK_CALL(p##geev)                                                                       \
    (&none, &wanted, &n, a, &lda, w, nullptr, &n, vr, &n, work.get(), &length, reals.get(),    \
     &info);                                                                                   \
    return info;                                                                               \
  }
AT_LAPACK_GEEV_COMPLEX(c, c10::complex<float>, float)
AT_LAPACK_GEEV_COMPLEX(z, c10::complex<double>, double)
#undef AT_LAPACK_GEEV_COMPLEX

} // namespace at::native::blas

#else

namespace at::native::blas {

#define AT_NO_LAPACK(T, Real)                                        \
  int ormqr(char, char, int, int, int, T*, int, T*, T*, int) {       \
    return no_lapack();                                              \
  }                                                                  \
  int sytrf(char, int, T*, int, int*) {                              \
    return no_lapack();                                              \
  }                                                                  \
  int hetrf(char, int, T*, int, int*) {                              \
    return no_lapack();                                              \
  }                                                                  \
  int sytrs(char, int, int, T*, int, int*, T*, int) {                \
    return no_lapack();                                              \
  }                                                                  \
  int hetrs(char, int, int, T*, int, int*, T*, int) {                \
    return no_lapack();                                              \
  }                                                                  \
  int geev(int, T*, int, c10::complex<Real>*, c10::complex<Real>*) { \
    return no_lapack();                                              \
  }
AT_NO_LAPACK(float, float)
AT_NO_LAPACK(double, double)
AT_NO_LAPACK(c10::complex<float>, float)
AT_NO_LAPACK(c10::complex<double>, double)
#undef AT_NO_LAPACK

} // namespace at::native::blas

#endif

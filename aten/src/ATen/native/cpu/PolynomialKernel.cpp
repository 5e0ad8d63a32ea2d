// Orthogonal polynomials, in double precision also for floats.

#include <ATen/native/OrthogonalPolynomials.h>
#include <ATen/native/cpu/DoubleLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Vectors whose lanes have one degree up to this one follow the recurrence together.
constexpr int64_t kLongestTogether = 64;

template <typename Family>
Doubles recur_together(Doubles x, int64_t n) {
  Doubles before = splat(1.0), current = Family::second(x, 1.0);
  for (int64_t k = 1; k < n; ++k) {
    const Doubles following = Family::next(static_cast<double>(k), x, current, before);
    before = current;
    current = following;
  }
  return current;
}

struct Polynomial {
  Doubles (*together)(Doubles x, int64_t n);
  double (*alone)(double x, double n);
  bool is_shifted;
};

template <typename T>
C10_NOINLINE void over_pairs(const ElementaryCall& call, const Polynomial& polynomial) {
  constexpr int64_t L = kLanes<double>;
  const T* x = static_cast<const T*>(call.x);
  const T* degrees = static_cast<const T*>(call.y);
  T* out = static_cast<T*>(call.out);
  for (int64_t i = 0; i < call.n; i += L) {
    const int64_t count = std::min(L, call.n - i);
    const int64_t n = polynomials::degree(degrees[i]);
    bool is_common = n >= 1 && n <= kLongestTogether;
    for (int64_t j = 1; j < count; ++j) {
      is_common = is_common && degrees[i + j] == degrees[i];
    }
    if (is_common) {
      const Doubles places = load_up_to<double>(x + i, count, 0.5);
      save(
          out + i, polynomial.together(polynomial.is_shifted ? places + places - 1.0 : places, n),
          count);
      continue;
    }
    for (int64_t j = i; j < i + count; ++j) {
      out[j] = static_cast<T>(
          polynomial.alone(static_cast<double>(x[j]), static_cast<double>(degrees[j])));
    }
  }
}

Polynomial chosen(Elementary function) {
  switch (function) {
#define AT_CASE(name, family, formula)                                                          \
  case Elementary::name:                                                                        \
    return {                                                                                    \
        recur_together<polynomials::family>, polynomials::formula<polynomials::family, double>, \
        function >= Elementary::ShiftedChebyshevT};
    AT_CASE(ChebyshevT, ChebyshevT, polynomial)
    AT_CASE(ChebyshevU, ChebyshevU, polynomial)
    AT_CASE(ChebyshevV, ChebyshevV, polynomial)
    AT_CASE(ChebyshevW, ChebyshevW, polynomial)
    AT_CASE(HermiteH, HermiteH, polynomial)
    AT_CASE(HermiteHe, HermiteHe, polynomial)
    AT_CASE(LaguerreL, LaguerreL, polynomial)
    AT_CASE(LegendreP, LegendreP, polynomial)
    AT_CASE(ShiftedChebyshevT, ChebyshevT, shifted)
    AT_CASE(ShiftedChebyshevU, ChebyshevU, shifted)
    AT_CASE(ShiftedChebyshevV, ChebyshevV, shifted)
    AT_CASE(ShiftedChebyshevW, ChebyshevW, shifted)
#undef AT_CASE
    default:
      return {};
  }
}

void polynomial_kernel(const ElementaryCall& call) {
  const Polynomial polynomial = chosen(call.function);
  call.is_double ? over_pairs<double>(call, polynomial) : over_pairs<float>(call, polynomial);
}

} // namespace

REGISTER_DISPATCH(polynomial_stub, &polynomial_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native

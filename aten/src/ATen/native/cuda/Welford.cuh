#pragma once

// Mean and sum of squared deviations in one pass: Welford (1962) for single numbers, and Chan,
// Golub and LeVeque (1979), eq. 2.1, for two groups of them.

#include <c10/macros/Macros.h>

namespace at::native {

template <typename Real>
struct Moments {
  Real mean = 0;
  Real deviations = 0;
  Real count = 0;

  C10_DEVICE void add(Real x) {
    count += Real(1);
    const Real delta = x - mean;
    mean += delta / count;
    deviations += delta * (x - mean);
  }

  C10_DEVICE void add(const Moments& other) {
    if (other.count == Real(0)) return;
    if (count == Real(0)) {
      *this = other;
      return;
    }
    const Real total = count + other.count;
    const Real delta = other.mean - mean;
    const Real share = other.count / total;
    mean += delta * share;
    deviations += other.deviations + delta * delta * share * count;
    count = total;
  }
};

} // namespace at::native

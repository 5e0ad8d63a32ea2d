#pragma once

// Draws of the gamma, Poisson and binomial distributions, for all devices. A Source has uniform(),
// a number in [0, 1), and normal().

#include <ATen/native/RandomKernels.h>
#include <ATen/native/SpecialFormulas.h>
#include <c10/macros/Macros.h>

#include <cmath>

namespace at::native::samplers {

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
template <typename Source>
C10_HOST_DEVICE double sample_gamma(double alpha, Source& source) {
  if (!(alpha > 0)) {
    return alpha == 0 ? 0 : special_formulas::kNan;
  }
  double scale = 1;
  if (alpha < 1) {
    scale = std::pow(1 - source.uniform(), 1 / alpha);
    alpha += 1;
  }
  const double d = alpha - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = source.normal();
    const double y = 1 + c * x;
    if (y <= 0) {
      continue;
    }
    const double v = y * y * y;
    const double u = 1 - source.uniform();
    const double square = x * x;
    // The first test decides most cases, and never against the second.
    if (u < 1 - 0.0331 * square * square ||
        std::log(u) < 0.5 * square + d * (1 - v + std::log(v))) {
      return scale * d * v;
    }
  }
}

// Products of uniform numbers for small means; else Hoermann's transformed rejection PTRS, "The
// transformed rejection method for generating Poisson random variables", 1993.
template <typename Source>
C10_HOST_DEVICE double sample_poisson(double mean, Source& source) {
  if (mean < 10) {
    const double limit = std::exp(-mean);
    double count = 0;
    for (double product = mean == 0 ? 0 : source.uniform(); product > limit; ++count) {
      product *= source.uniform();
    }
    return count;
  }
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = source.uniform() - 0.5, v = source.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) {
      return k;
    }
    if (k < 0 || (us < 0.013 && v > us)) {
      continue;
    }
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        k * std::log(mean) - mean - special_formulas::lgamma(k + 1)) {
      return k;
    }
  }
}

// For p of at most 1/2. Sums of geometric gaps for few successes; else Hoermann's BTRD without its
// decomposition, "The generation of binomial random variates", 1993.
template <typename Source>
C10_HOST_DEVICE double sample_rare(double count, double p, Source& source) {
  if (count * p < 10) {
    const double scale = std::log1p(-p);
    double position = 0, successes = 0;
    for (;; ++successes) {
      position += std::ceil(std::log(source.uniform()) / scale);
      if (position > count) {
        return successes;
      }
    }
  }
  const double spread = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = count * p + 0.5, v_r = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * spread, m = std::floor((count + 1) * p);
  const double log_odds = std::log(p / (1 - p));
  const double mode = special_formulas::lgamma(m + 1) + special_formulas::lgamma(count - m + 1);
  for (;;) {
    const double u = source.uniform() - 0.5, v = source.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) {
      return k;
    }
    if (k < 0 || k > count) {
      continue;
    }
    if (std::log(v * alpha / (a / (us * us) + b)) <= mode - special_formulas::lgamma(k + 1) -
            special_formulas::lgamma(count - k + 1) + (k - m) * log_odds) {
      return k;
    }
  }
}

template <typename Source>
C10_HOST_DEVICE double sample_binomial(double count, double p, Source& source) {
  if (!(count > 0) || !(p > 0)) {
    return count != count || p != p ? special_formulas::kNan : 0;
  }
  if (p >= 1) {
    return count;
  }
  if (p > 0.5) {
    return count - sample_rare(count, 1 - p, source);
  }
  return sample_rare(count, p, source);
}

} // namespace at::native::samplers

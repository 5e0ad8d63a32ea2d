// Draws of the gamma, Dirichlet, Poisson and binomial distributions, and of distributions with
// simple inverses. Everything is computed in double, in the order of the elements; the same seed
// gives the same numbers as in PyTorch.
#include <ATen/native/RandomKernels.h>
#include <ATen/native/SpecialMath.h>
#include <ATen/native/UniformDistributions.h>

#include <ATen/Dispatch.h>
#include <ATen/ExpandUtils.h>
#include <ATen/ops/_dirichlet_grad_native.h>
#include <ATen/ops/_sample_dirichlet_native.h>
#include <ATen/ops/_standard_gamma.h>
#include <ATen/ops/_standard_gamma_grad_native.h>
#include <ATen/ops/_standard_gamma_native.h>
#include <ATen/ops/binomial_native.h>
#include <ATen/ops/cauchy_native.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/geometric_native.h>
#include <ATen/ops/log_normal_native.h>
#include <ATen/ops/poisson_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace at::native {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
double sample_gamma(double alpha, CPUGeneratorImpl& generator) {
  if (!(alpha > 0)) {
    return alpha == 0 ? 0 : kNan;
  }
  double scale = 1;
  if (alpha < 1) {
    scale = std::pow(1 - uniform_double(generator), 1 / alpha);
    alpha += 1;
  }
  const double d = alpha - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = next_normal(generator);
    const double y = 1 + c * x;
    if (y <= 0) {
      continue;
    }
    const double v = y * y * y;
    const double u = 1 - uniform_double(generator);
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
double sample_poisson(double mean, CPUGeneratorImpl& generator) {
  if (mean < 10) {
    const double limit = std::exp(-mean);
    double count = 0;
    for (double product = mean == 0 ? 0 : uniform_double(generator); product > limit; ++count) {
      product *= uniform_double(generator);
    }
    return count;
  }
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = uniform_double(generator) - 0.5, v = uniform_double(generator);
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) {
      return k;
    }
    if (k < 0 || (us < 0.013 && v > us)) {
      continue;
    }
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        k * std::log(mean) - mean - special_math::lgamma(k + 1)) {
      return k;
    }
  }
}

// Sums of geometric gaps for few successes; else Hoermann's BTRD without its decomposition, "The
// generation of binomial random variates", 1993.
double sample_binomial(double count, double p, CPUGeneratorImpl& generator) {
  if (!(count > 0) || !(p > 0)) {
    return count != count || p != p ? kNan : 0;
  }
  if (p >= 1) {
    return count;
  }
  if (p > 0.5) {
    return count - sample_binomial(count, 1 - p, generator);
  }
  if (count * p < 10) {
    const double scale = std::log1p(-p);
    double position = 0, successes = 0;
    for (;; ++successes) {
      position += std::ceil(std::log(uniform_double(generator)) / scale);
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
  const double mode = special_math::lgamma(m + 1) + special_math::lgamma(count - m + 1);
  for (;;) {
    const double u = uniform_double(generator) - 0.5, v = uniform_double(generator);
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) {
      return k;
    }
    if (k < 0 || k > count) {
      continue;
    }
    if (std::log(v * alpha / (a / (us * us) + b)) <= mode - special_math::lgamma(k + 1) -
            special_math::lgamma(count - k + 1) + (k - m) * log_odds) {
      return k;
    }
  }
}

// result[i] = function(a[i], b[i], c[i]), one after another.
template <typename Function>
Tensor map_in_order(const Tensor (&inputs)[3], const char* name, Function&& function) {
  const Tensor a = inputs[0].contiguous(), b = inputs[1].contiguous(), c = inputs[2].contiguous();
  Tensor result = at::empty(a.sizes(), a.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, a.scalar_type(), name, [&] {
    const auto* x = a.const_data_ptr<scalar_t>();
    const auto* y = b.const_data_ptr<scalar_t>();
    const auto* z = c.const_data_ptr<scalar_t>();
    auto* out = result.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < result.numel(); ++i) {
      out[i] = static_cast<scalar_t>(function(
          static_cast<double>(x[i]), static_cast<double>(y[i]), static_cast<double>(z[i])));
    }
  });
  return result;
}

void check_alike(const Tensor& a, const Tensor& b, const char* name) {
  TORCH_CHECK(
      a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type(), name,
      ": arguments must have the same shape and dtype, but have ", a.sizes(), " of ", a.dtype(),
      " and ", b.sizes(), " of ", b.dtype());
}

} // namespace

Tensor _standard_gamma(const Tensor& self, std::optional<Generator> generator) {
  if (self.is_meta()) {
    return at::empty_like(self);
  }
  const LockedGenerator locked(generator);
  return map_in_order({self, self, self}, "gamma_cpu", [&](double alpha, double, double) {
    return sample_gamma(alpha, *locked);
  });
}

Tensor _standard_gamma_grad(const Tensor& self, const Tensor& output) {
  check_alike(self, output, "_standard_gamma_grad");
  if (self.is_meta()) {
    return at::empty_like(self);
  }
  return map_in_order(
      {self, output, self}, "_standard_gamma_grad_cpu",
      [](double alpha, double x, double) { return special_math::gamma_draw_slope(alpha, x); });
}

// Gamma variables divided by their sum, within the open interval from 0 to 1.
Tensor _sample_dirichlet(const Tensor& self, std::optional<Generator> generator) {
  if (self.is_meta()) {
    return at::empty_like(self);
  }
  const Tensor draws = at::_standard_gamma(at::methods::to(self, kDouble), std::move(generator));
  const Tensor shares = at::div(draws, at::sum(draws, -1, /*keepdim=*/true));
  Tensor result;
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "dirichlet", [&] {
    using Limits = std::numeric_limits<scalar_t>;
    const double epsilon = static_cast<double>(Limits::epsilon());
    result = at::methods::to(
        at::clamp(shares, static_cast<double>(Limits::min()), 1 - epsilon / 2), self.scalar_type());
  });
  return result;
}

Tensor _dirichlet_grad(const Tensor& x, const Tensor& alpha, const Tensor& total) {
  check_alike(x, alpha, "_dirichlet_grad");
  check_alike(x, total, "_dirichlet_grad");
  if (x.is_meta()) {
    return at::empty_like(x);
  }
  // PyTorch returns the change of a coordinate divided by what the other ones share.
  return map_in_order({x, alpha, total}, "_dirichlet_grad_cpu", [](double v, double a, double sum) {
    return special_math::beta_draw_slope(a, sum - a, v) / (1 - v);
  });
}

Tensor poisson(const Tensor& self, std::optional<Generator> generator) {
  if (self.is_meta()) {
    return at::empty_like(self);
  }
  const LockedGenerator locked(generator);
  return map_in_order({self, self, self}, "poisson_cpu", [&](double mean, double, double) {
    TORCH_CHECK(mean >= 0, "invalid Poisson rate, expected rate to be non-negative");
    return sample_poisson(mean, *locked);
  });
}

Tensor binomial(const Tensor& count, const Tensor& prob, std::optional<Generator> generator) {
  TORCH_CHECK_VALUE(
      count.is_floating_point(),
      "binomial only supports floating-point dtypes for count, got: ", count.scalar_type());
  TORCH_CHECK_VALUE(
      prob.is_floating_point(),
      "binomial only supports floating-point dtypes for prob, got: ", prob.scalar_type());
  const auto shape = infer_size_dimvector(count.sizes(), prob.sizes());
  if (count.is_meta()) {
    return at::empty(shape, count.options());
  }
  const Tensor n = at::methods::expand(count, shape);
  const Tensor p = at::methods::to(at::methods::expand(prob, shape), n.scalar_type());
  const LockedGenerator locked(generator);
  return map_in_order({n, p, p}, "binomial_cpu", [&](double number, double success, double) {
    return sample_binomial(number, success, *locked);
  });
}

// ---- fills
// ---------------------------------------------------------------------------------------

namespace {

template <typename Next>
void fill_floating(
    Tensor& self, const char* name, const MaybeGenerator& generator, const Next& next) {
  const LockedGenerator locked(generator);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), name, [&] {
    fill_in_order<scalar_t>(self, [&] { return static_cast<scalar_t>(next(*locked)); });
  });
}

} // namespace

Tensor& cauchy_(Tensor& self, double median, double sigma, std::optional<Generator> generator) {
  TORCH_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
  TORCH_CHECK(
      self.is_floating_point(),
      "Cauchy distribution is a continuous probability distribution. dtype must be a floating "
      "point but you specified ",
      self.dtype());
  if (!self.is_meta()) {
    fill_floating(self, "cauchy", generator, [=](CPUGeneratorImpl& from) {
      return median + sigma * std::tan(std::numbers::pi * (uniform_double(from) - 0.5));
    });
  }
  return self;
}

Tensor& log_normal_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  TORCH_CHECK(std > 0.0, "log_normal_ expects std > 0.0, but found std=", std);
  TORCH_CHECK_NOT_IMPLEMENTED(
      self.is_floating_point(), "\"log_normal_cpu\" not implemented for '", self.scalar_type(),
      "'");
  if (!self.is_meta()) {
    fill_floating(self, "log_normal", generator, [=](CPUGeneratorImpl& from) {
      return std::exp(next_normal(from) * std + mean);
    });
  }
  return self;
}

Tensor& geometric_(Tensor& self, double p, std::optional<Generator> generator) {
  TORCH_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
  if (self.is_meta()) {
    return self;
  }
  const LockedGenerator locked(generator);
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "geometric", [&] {
    fill_in_order<scalar_t>(self, [&] {
      const double u = uniform_double(*locked);
      return static_cast<scalar_t>(std::ceil(std::log(u) / std::log1p(-p)));
    });
  });
  return self;
}

} // namespace at::native

// Draws of the gamma, Dirichlet, Poisson and binomial distributions, and of distributions with
// simple inverses. Everything is computed in double, in the order of the elements; the same seed
// gives the same numbers as in PyTorch.
#include <ATen/native/GammaSamplers.h>
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
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/geometric_native.h>
#include <ATen/ops/log_normal_native.h>
#include <ATen/ops/poisson_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

namespace at::native {
namespace {

struct HostSource {
  CPUGeneratorImpl& generator;
  double uniform() { return uniform_double(generator); }
  double normal() { return next_normal(generator); }
};

// result[i] = function(a[i], b[i], c[i]), one after another.
template <typename Function>
void map_in_order(
    const Tensor& result, std::initializer_list<const Tensor*> inputs, Function&& function) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, result.scalar_type(), "random_numbers_cpu", [&] {
        const scalar_t* in[3];
        std::transform(inputs.begin(), inputs.end(), in, [](const Tensor* input) {
          return input->const_data_ptr<scalar_t>();
        });
        auto* out = result.mutable_data_ptr<scalar_t>();
        for (int64_t i = 0; i < result.numel(); ++i) {
          out[i] = static_cast<scalar_t>(function(
              static_cast<double>(in[0][i]), static_cast<double>(in[1][i]),
              static_cast<double>(in[2][i])));
        }
      });
}

void draw_kernel(
    DrawnNumber number, const Tensor& a, const Tensor& b, const Tensor& out,
    const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  HostSource source{*locked};
  map_in_order(out, {&a, &b, &b}, [&](double first, double second, double) {
    switch (number) {
      case DrawnNumber::Gamma:
        return samplers::sample_gamma(first, source);
      case DrawnNumber::Poisson:
        TORCH_CHECK(first >= 0, "invalid Poisson rate, expected rate to be non-negative");
        return samplers::sample_poisson(first, source);
      case DrawnNumber::Binomial:
        return samplers::sample_binomial(first, second, source);
      default:
        return first;
    }
  });
}

void draw_slope_kernel(
    DrawnNumber number, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& out) {
  map_in_order(out, {&a, &b, &c}, [&](double first, double second, double third) {
    if (number == DrawnNumber::Gamma) {
      return special_math::gamma_draw_slope(first, second);
    }
    // PyTorch returns the change of a coordinate divided by what the other ones share.
    return special_math::beta_draw_slope(second, third - second, first) / (1 - first);
  });
}

Tensor drawn(
    DrawnNumber number, const Tensor& a, const Tensor& b, const MaybeGenerator& generator,
    const char* name) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      a.is_floating_point(), "\"", name, "\" not implemented for '", a.scalar_type(), "'");
  const Tensor first = a.contiguous(), second = b.contiguous();
  Tensor result = at::empty(first.sizes(), first.options());
  if (result.numel() > 0) {
    draw_stub(a.device().type(), number, first, second, result, generator);
  }
  return result;
}

Tensor slope_of(
    DrawnNumber number, const Tensor& a, const Tensor& b, const Tensor& c, const char* name) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      a.is_floating_point(), "\"", name, "\" not implemented for '", a.scalar_type(), "'");
  const Tensor first = a.contiguous(), second = b.contiguous(), third = c.contiguous();
  Tensor result = at::empty(first.sizes(), first.options());
  if (result.numel() > 0) {
    draw_slope_stub(a.device().type(), number, first, second, third, result);
  }
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
  return self.is_meta() ? at::empty_like(self)
                        : drawn(DrawnNumber::Gamma, self, self, generator, "gamma_cpu");
}

Tensor _standard_gamma_grad(const Tensor& self, const Tensor& output) {
  check_alike(self, output, "_standard_gamma_grad");
  return self.is_meta()
      ? at::empty_like(self)
      : slope_of(DrawnNumber::Gamma, self, output, self, "_standard_gamma_grad_cpu");
}

// Gamma variables divided by their sum, within the open interval from 0 to 1.
Tensor _sample_dirichlet(const Tensor& self, std::optional<Generator> generator) {
  if (self.is_meta()) {
    return at::empty_like(self);
  }
  Tensor draws = at::_standard_gamma(at::methods::to(self, kDouble), std::move(generator));
  // Where all draws underflow, the shares are equal.
  draws = at::clamp_min(draws, std::numeric_limits<double>::min());
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
  return slope_of(DrawnNumber::Dirichlet, x, alpha, total, "_dirichlet_grad_cpu");
}

Tensor poisson(const Tensor& self, std::optional<Generator> generator) {
  if (self.is_meta()) {
    return at::empty_like(self);
  }
  return drawn(DrawnNumber::Poisson, self, self, generator, "poisson_cpu");
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
  return drawn(DrawnNumber::Binomial, n, p, generator, "binomial_cpu");
}

// ---- fills
// ---------------------------------------------------------------------------------------

namespace {

template <typename Next>
void fill_floating(const Tensor& self, CPUGeneratorImpl& generator, const Next& next) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "random_fill", [&] {
    fill_in_order<scalar_t>(self, [&] { return static_cast<scalar_t>(next(generator)); });
  });
}

void random_fill_kernel(
    RandomFill fill, const Tensor& self, double a, double b, const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  switch (fill) {
    case RandomFill::Cauchy:
      return fill_floating(self, *locked, [=](CPUGeneratorImpl& from) {
        return a + b * std::tan(std::numbers::pi * (uniform_double(from) - 0.5));
      });
    case RandomFill::LogNormal:
      return fill_floating(self, *locked, [=](CPUGeneratorImpl& from) {
        return std::exp(next_normal(from) * b + a);
      });
    case RandomFill::Geometric:
      AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "geometric", [&] {
        const double log_of_failure = std::log1p(-a);
        fill_in_order<scalar_t>(self, [&] {
          const double u = uniform_double(*locked);
          return static_cast<scalar_t>(std::ceil(std::log(u) / log_of_failure));
        });
      });
  }
}

void fill_random(
    RandomFill fill, Tensor& self, double a, double b, const MaybeGenerator& generator) {
  if (self.numel() > 0) {
    random_fill_stub(self.device().type(), fill, self, a, b, generator);
  }
}

} // namespace

DEFINE_DISPATCH(draw_stub);
DEFINE_DISPATCH(draw_slope_stub);
DEFINE_DISPATCH(random_fill_stub);
REGISTER_DISPATCH(draw_stub, &draw_kernel)
REGISTER_DISPATCH(draw_slope_stub, &draw_slope_kernel)
REGISTER_DISPATCH(random_fill_stub, &random_fill_kernel)

Tensor& cauchy_(Tensor& self, double median, double sigma, std::optional<Generator> generator) {
  TORCH_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
  TORCH_CHECK(
      self.is_floating_point(),
      "Cauchy distribution is a continuous probability distribution. dtype must be a floating "
      "point but you specified ",
      self.dtype());
  fill_random(RandomFill::Cauchy, self, median, sigma, generator);
  return self;
}

Tensor& log_normal_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  TORCH_CHECK(std > 0.0, "log_normal_ expects std > 0.0, but found std=", std);
  TORCH_CHECK_NOT_IMPLEMENTED(
      self.is_floating_point(), "\"log_normal_cpu\" not implemented for '", self.scalar_type(),
      "'");
  fill_random(RandomFill::LogNormal, self, mean, std, generator);
  return self;
}

Tensor& geometric_(Tensor& self, double p, std::optional<Generator> generator) {
  TORCH_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
  fill_random(RandomFill::Geometric, self, p, 0, generator);
  return self;
}

} // namespace at::native

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/alpha_dropout_native.h>
#include <ATen/ops/bernoulli.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/div.h>
#include <ATen/ops/dropout_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/feature_alpha_dropout_native.h>
#include <ATen/ops/feature_dropout_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_dropout_backward_native.h>
#include <ATen/ops/native_dropout_native.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>

#include <cmath>

// Noise is drawn in the same element order as in PyTorch, so the same seed drops the same elements.

namespace at::native {

namespace {

void check_probability(double p) {
  TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

bool drops_nothing(const Tensor& input, double p, bool train) {
  check_probability(p);
  return p == 0 || !train || input.numel() == 0;
}

// Space for one number per element.
Tensor each_element(const Tensor& input) {
  return at::empty_like(input);
}

// Space for one number per channel of (N, C, ...).
Tensor each_feature(const Tensor& input) {
  TORCH_CHECK(input.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
  c10::DimVector sizes(static_cast<size_t>(input.dim()), 1);
  sizes[0] = input.size(0);
  sizes[1] = input.size(1);
  return at::empty(sizes, input.options());
}

// The input is multiplied by `factor`, then `term` is added.
struct Noise {
  Tensor factor, term;
};

// 0 with probability p, else 1 / (1 - p), which preserves the mean.
Noise plain(Tensor noise, double p) {
  return {at::methods::div_(at::methods::bernoulli_(noise, 1 - p), 1 - p), {}};
}

// Dropped elements become SELU's limit -scale * alpha, and an affine map restores mean 0 and
// variance 1: Klambauer et al., "Self-Normalizing Neural Networks" (2017).
Noise self_normalizing(Tensor noise, double p) {
  constexpr double limit = 1.7580993408473766;
  const double by = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
  at::methods::bernoulli_(noise, 1 - p);
  const Tensor term =
      at::methods::add_(at::methods::mul_(at::add(noise, -1), limit * by), limit * by * p);
  return {at::methods::mul_(noise, by), term};
}

using Room = Tensor (*)(const Tensor& input);
using Draw = Noise (*)(Tensor noise, double p);

Tensor dropped(const Tensor& input, double p, bool train, Room room, Draw draw) {
  if (drops_nothing(input, p, train)) {
    return input;
  }
  if (p == 1) {
    return input * at::zeros({}, input.options());
  }
  const Noise noise = draw(room(input), p);
  return noise.term.defined() ? at::methods::add_(input * noise.factor, noise.term)
                              : input * noise.factor;
}

Tensor& drop(Tensor& input, double p, bool train, Room room, Draw draw) {
  if (drops_nothing(input, p, train)) {
    return input;
  }
  if (p == 1) {
    return at::methods::mul_(input, at::zeros({}, input.options()));
  }
  const Noise noise = draw(room(input), p);
  at::methods::mul_(input, noise.factor);
  return noise.term.defined() ? at::methods::add_(input, noise.term) : input;
}

} // namespace

Tensor dropout(const Tensor& input, double p, bool train) {
  return dropped(input, p, train, each_element, plain);
}
Tensor& dropout_(Tensor& input, double p, bool train) {
  return drop(input, p, train, each_element, plain);
}
Tensor feature_dropout(const Tensor& input, double p, bool train) {
  return dropped(input, p, train, each_feature, plain);
}
Tensor& feature_dropout_(Tensor& input, double p, bool train) {
  return drop(input, p, train, each_feature, plain);
}
Tensor alpha_dropout(const Tensor& input, double p, bool train) {
  return dropped(input, p, train, each_element, self_normalizing);
}
Tensor& alpha_dropout_(Tensor& input, double p, bool train) {
  return drop(input, p, train, each_element, self_normalizing);
}
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
  return dropped(input, p, train, each_feature, self_normalizing);
}
Tensor& feature_alpha_dropout_(Tensor& input, double p, bool train) {
  return drop(input, p, train, each_feature, self_normalizing);
}

// Also returns the mask of the elements that are kept.
std::tuple<Tensor, Tensor> native_dropout_cpu(
    const Tensor& input, double p, std::optional<bool> train) {
  const AutoDispatchBelowADInplaceOrView uncounted;
  const TensorOptions mask_options = input.options().dtype(kBool);
  if (input.numel() == 0) {
    return {input, at::empty_like(input)};
  }
  if (!train.value_or(true)) {
    return {at::clone(input), at::ones_like(input, mask_options)};
  }
  const Tensor mask = at::methods::bernoulli_(at::empty_like(input, mask_options), 1 - p);
  const double scale = p == 1 ? 0.0 : 1 / (1 - p);
  return {at::methods::mul_(at::mul(input, mask), scale), mask};
}

Tensor native_dropout_backward(const Tensor& grad, const Tensor& mask, double scale) {
  return grad * mask * scale;
}

} // namespace at::native

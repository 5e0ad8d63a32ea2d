#pragma once
// Activations and their gradients, for the elements of host and device kernels.
#include <c10/macros/Macros.h>

#include <cmath>

namespace thnn {

template <typename T>
struct Absolute {
  C10_HOST_DEVICE T operator()(T x) const { return std::abs(x); }
};
template <typename T>
struct AbsoluteGradient {
  C10_HOST_DEVICE T operator()(T x, T grad) const { return x < 0 ? -grad : x > 0 ? grad : T(0); }
};

// scale x above 0, and alpha scale (exp(input_scale x) - 1) below.
template <typename T>
struct Elu {
  T negative, positive, inner; // alpha scale, scale, input_scale
  C10_HOST_DEVICE T operator()(T x) const {
    return x <= 0 ? std::expm1(x * inner) * negative : x * positive;
  }
};
// The slope follows from the output: input_scale (y + alpha scale) where y <= 0.
template <typename T>
struct EluGradient {
  T negative, positive, inner;
  C10_HOST_DEVICE T operator()(T y, T grad) const {
    return y <= 0 ? grad * inner * (y + negative) : grad * positive;
  }
};

template <typename T>
struct Clamp {
  T least, greatest;
  C10_HOST_DEVICE T operator()(T x) const {
    return x < least ? least : x > greatest ? greatest : x;
  }
};
template <typename T>
struct ClampGradient {
  T least, greatest;
  C10_HOST_DEVICE T operator()(T x, T grad) const {
    return x <= least || x >= greatest ? T(0) : grad;
  }
};

template <typename T>
struct Leaky {
  T slope;
  C10_HOST_DEVICE T operator()(T x) const { return x > 0 ? x : x * slope; }
};
template <typename T>
struct LeakyGradient {
  T slope;
  C10_HOST_DEVICE T operator()(T x, T grad) const { return x > 0 ? grad : grad * slope; }
};

// log(1 / (1 + exp(-x))) = min(x, 0) - log(1 + z) with z = exp(-|x|), which a buffer keeps.
template <typename T>
struct ExpOfMinusSize {
  C10_HOST_DEVICE T operator()(T x) const { return std::exp(-std::abs(x)); }
};
template <typename T>
struct LogSigmoid {
  C10_HOST_DEVICE T operator()(T x, T z) const { return (x < 0 ? x : T(0)) - std::log1p(z); }
};
template <typename T>
struct LogSigmoidGradient {
  C10_HOST_DEVICE T operator()(T x, T grad, T z) const {
    return grad * (x < 0 ? 1 / (1 + z) : z / (1 + z));
  }
};

template <typename T>
struct Logistic {
  C10_HOST_DEVICE T operator()(T x) const { return 1 / (1 + std::exp(-x)); }
};
template <typename T>
struct LogisticGradient {
  C10_HOST_DEVICE T operator()(T y, T grad) const { return grad * (1 - y) * y; }
};

// log(1 + exp(beta x)) / beta, and x itself where beta x exceeds the threshold.
template <typename T>
struct SoftPlus {
  T beta, threshold;
  C10_HOST_DEVICE T operator()(T x) const {
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  }
};
// The slope follows from the output: 1 - exp(-beta y).
template <typename T>
struct SoftPlusGradient {
  T beta, threshold;
  C10_HOST_DEVICE T operator()(T y, T grad) const {
    return y * beta > threshold ? grad : grad * -std::expm1(-y * beta);
  }
};

template <typename T>
struct Shrink {
  T limit;
  C10_HOST_DEVICE T operator()(T x) const {
    return x > limit ? x - limit : x < -limit ? x + limit : T(0);
  }
};
template <typename T>
struct ShrinkGradient {
  T limit;
  C10_HOST_DEVICE T operator()(T x, T grad) const { return x > limit || x < -limit ? grad : T(0); }
};

template <typename T>
struct HyperbolicTangent {
  C10_HOST_DEVICE T operator()(T x) const { return std::tanh(x); }
};
template <typename T>
struct HyperbolicTangentGradient {
  C10_HOST_DEVICE T operator()(T y, T grad) const { return grad * (1 - y * y); }
};

} // namespace thnn

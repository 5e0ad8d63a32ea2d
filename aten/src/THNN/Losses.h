#pragma once
// Losses of an input and a target, and their slopes in the input, for the elements of host and
// device kernels.
#include <c10/macros/Macros.h>

#include <cmath>

namespace thnn {

// |x - y|
template <typename T>
struct AbsoluteLoss {
  C10_HOST_DEVICE T operator()(T x, T y) const { return std::abs(x - y); }
};
template <typename T>
struct AbsoluteLossSlope {
  C10_HOST_DEVICE T operator()(T x, T y) const { return T(x > y) - T(x < y); }
};

template <typename T>
struct SquaredLoss {
  C10_HOST_DEVICE T operator()(T x, T y) const { return (x - y) * (x - y); }
};
template <typename T>
struct SquaredLossSlope {
  C10_HOST_DEVICE T operator()(T x, T y) const { return 2 * (x - y); }
};

// With d = |x - y|: d^2 / 2 below 1, and d - 1/2 from there.
template <typename T>
struct SmoothLoss {
  C10_HOST_DEVICE T operator()(T x, T y) const {
    const T distance = std::abs(x - y);
    return distance < 1 ? T(0.5) * distance * distance : distance - T(0.5);
  }
};
template <typename T>
struct SmoothLossSlope {
  C10_HOST_DEVICE T operator()(T x, T y) const {
    const T difference = x - y;
    return difference < -1 ? T(-1) : difference > 1 ? T(1) : difference;
  }
};

// -w (y log x + (1 - y) log(1 - x)), where logarithms are at least -100 so that no loss is
// infinite.
template <typename Device, typename T>
struct CrossEntropy {
  template <typename... Weight>
  C10_HOST_DEVICE T operator()(T x, T y, Weight... weight) const {
    Device::check(x >= 0 && x <= 1, "BCECriterion: an input is not between 0 and 1: ", x);
    return (-(y * bounded(std::log(x)) + (1 - y) * bounded(std::log1p(-x))) * ... * weight);
  }

 private:
  C10_HOST_DEVICE static T bounded(T log) { return log < -100 ? T(-100) : log; }
};
// w (x - y) / (x (1 - x)), where the divisor is at least 1e-12.
template <typename T>
struct CrossEntropySlope {
  template <typename... Weight>
  C10_HOST_DEVICE T operator()(T x, T y, Weight... weight) const {
    const T spread = (1 - x) * x;
    const T slope = (x - y) / (spread < T(1e-12) ? T(1e-12) : spread);
    return (slope * ... * weight);
  }
};

} // namespace thnn

#pragma once

// The norms of cdist, shared by the CPU and other devices.

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>
#include <c10/macros/Macros.h>

#include <cmath>
#include <cstdint>

namespace at::native {

// The norms by which differences are measured: what each difference adds, what two parts of a row
// give together, the root at the end, and the derivative by one difference `d` of a distance
// `dist`.
struct ZeroNorm {
  template <class T>
  C10_HOST_DEVICE T combine(T a, T b) const {
    return a + b;
  }
  template <class T>
  C10_HOST_DEVICE T add(T sum, T d) const {
    return sum + static_cast<T>(d != 0);
  }
  template <class T>
  C10_HOST_DEVICE T finish(T sum) const {
    return sum;
  }
  template <class T>
  C10_HOST_DEVICE T slope(T, T) const {
    return 0;
  }
};
struct OneNorm {
  template <class T>
  C10_HOST_DEVICE T combine(T a, T b) const {
    return a + b;
  }
  template <class T>
  C10_HOST_DEVICE T add(T sum, T d) const {
    return sum + std::abs(d);
  }
  template <class T>
  C10_HOST_DEVICE T finish(T sum) const {
    return sum;
  }
  template <class T>
  C10_HOST_DEVICE T slope(T d, T) const {
    return static_cast<T>((d > 0) - (d < 0));
  }
};
struct TwoNorm {
  template <class T>
  C10_HOST_DEVICE T combine(T a, T b) const {
    return a + b;
  }
  template <class T>
  C10_HOST_DEVICE T add(T sum, T d) const {
    return sum + d * d;
  }
  template <class T>
  C10_HOST_DEVICE T finish(T sum) const {
    return std::sqrt(sum);
  }
  template <class T>
  C10_HOST_DEVICE T slope(T d, T dist) const {
    return dist == 0 ? T(0) : d / dist;
  }
};
struct InfinityNorm {
  template <class T>
  C10_HOST_DEVICE T combine(T a, T b) const {
    return add(a, b);
  }
  template <class T>
  C10_HOST_DEVICE T add(T most, T d) const {
    return std::abs(d) > most || d != d ? std::abs(d) : most;
  }
  template <class T>
  C10_HOST_DEVICE T finish(T most) const {
    return most;
  }
  template <class T>
  C10_HOST_DEVICE T slope(T d, T dist) const {
    return std::abs(d) == dist ? static_cast<T>((d > 0) - (d < 0)) : T(0);
  }
};
struct PowerNorm {
  double p;
  template <class T>
  C10_HOST_DEVICE T combine(T a, T b) const {
    return a + b;
  }
  template <class T>
  C10_HOST_DEVICE T add(T sum, T d) const {
    return sum + std::pow(std::abs(d), static_cast<T>(p));
  }
  template <class T>
  C10_HOST_DEVICE T finish(T sum) const {
    return std::pow(sum, static_cast<T>(1 / p));
  }
  template <class T>
  C10_HOST_DEVICE T slope(T d, T dist) const {
    const T size = std::pow(std::abs(d), static_cast<T>(p - 1));
    return d == 0 || dist == 0 ? T(0)
                               : std::copysign(size, d) / std::pow(dist, static_cast<T>(p - 1));
  }
};

template <class F>
void with_norm(double p, const F& f) {
  if (p == 0) {
    f(ZeroNorm{});
  } else if (p == 1) {
    f(OneNorm{});
  } else if (p == 2) {
    f(TwoNorm{});
  } else if (std::isinf(p)) {
    f(InfinityNorm{});
  } else {
    f(PowerNorm{p});
  }
}

// Batches [b, rows, width] and [b, others, width] of contiguous matrices.
struct DistanceSizes {
  int64_t batch, rows, others, width;
};

// The distances of the rows of a to those of b.
using distances_fn =
    void (*)(const DistanceSizes&, double p, const Tensor& a, const Tensor& b, const Tensor& out);
DECLARE_DISPATCH(distances_fn, distances_stub);

// The gradient of a, added to `out`.
using distance_gradients_fn = void (*)(
    const DistanceSizes&, double p, const Tensor& grad, const Tensor& a, const Tensor& b,
    const Tensor& dist, const Tensor& out);
DECLARE_DISPATCH(distance_gradients_fn, distance_gradients_stub);

} // namespace at::native

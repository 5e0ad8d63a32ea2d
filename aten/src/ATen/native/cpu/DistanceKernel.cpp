// The distances of cdist and their gradients.

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/Distance.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// What the elements from k on add, in independent parts, which vector instructions compute. Moves k
// to the first element that is left.
template <int64_t kParts, class T, class Norm>
T sum_of_parts(const T* x, const T* y, int64_t& k, int64_t width, const Norm& norm) {
  T parts[kParts] = {};
  for (; k + kParts <= width; k += kParts) {
    for (int64_t i = 0; i < kParts; ++i) {
      parts[i] = norm.add(parts[i], x[k + i] - y[k + i]);
    }
  }
  for (int64_t half = kParts / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) {
      parts[i] = norm.combine(parts[i], parts[i + half]);
    }
  }
  return parts[0];
}

template <class T, class Norm>
T distance(const T* x, const T* y, int64_t width, const Norm& norm) {
  int64_t k = 0;
  T sum = width >= 32 ? sum_of_parts<32>(x, y, k, width, norm)
      : width >= 4    ? sum_of_parts<4>(x, y, k, width, norm)
                      : T(0);
  for (; k < width; ++k) {
    sum = norm.add(sum, x[k] - y[k]);
  }
  return norm.finish(sum);
}

template <class T, class Norm>
void distances(const DistanceSizes& s, const T* a, const T* b, T* out, const Norm& norm) {
  at::parallel_for(0, s.batch * s.rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* x = a + r * s.width;
      const T* y = b + r / s.rows * s.others * s.width;
      for (int64_t j = 0; j < s.others; ++j, y += s.width) {
        out[r * s.others + j] = distance(x, y, s.width, norm);
      }
    }
  });
}

template <class T, class Norm>
void gradients(
    const DistanceSizes& s, const T* grad, const T* a, const T* b, const T* dist, T* out,
    const Norm& norm) {
  at::parallel_for(0, s.batch * s.rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* x = a + r * s.width;
      const T* y = b + r / s.rows * s.others * s.width;
      for (int64_t j = 0; j < s.others; ++j, y += s.width) {
        const T upstream = grad[r * s.others + j], distance = dist[r * s.others + j];
        for (int64_t k = 0; k < s.width; ++k) {
          out[r * s.width + k] += upstream * norm.slope(x[k] - y[k], distance);
        }
      }
    }
  });
}

void distances_kernel(
    const DistanceSizes& sizes, double p, const Tensor& a, const Tensor& b, const Tensor& out) {
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "cdist", [&] {
    with_norm(p, [&](const auto& norm) {
      distances<scalar_t>(
          sizes, a.const_data_ptr<scalar_t>(), b.const_data_ptr<scalar_t>(),
          out.mutable_data_ptr<scalar_t>(), norm);
    });
  });
}

void distance_gradients_kernel(
    const DistanceSizes& sizes, double p, const Tensor& grad, const Tensor& a, const Tensor& b,
    const Tensor& dist, const Tensor& out) {
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "cdist_backward", [&] {
    with_norm(p, [&](const auto& norm) {
      gradients<scalar_t>(
          sizes, grad.const_data_ptr<scalar_t>(), a.const_data_ptr<scalar_t>(),
          b.const_data_ptr<scalar_t>(), dist.const_data_ptr<scalar_t>(),
          out.mutable_data_ptr<scalar_t>(), norm);
    });
  });
}

} // namespace

REGISTER_DISPATCH(distances_stub, &distances_kernel)
REGISTER_DISPATCH(distance_gradients_stub, &distance_gradients_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native

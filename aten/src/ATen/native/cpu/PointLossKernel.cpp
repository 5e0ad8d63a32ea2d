#include <ATen/native/Loss.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Lanes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// One struct per kind: the loss and its slope in z. Both branches of a lane are computed.
template <typename E>
struct Squared {
  E parameter;
  template <typename V>
  C10_ALWAYS_INLINE V loss(V z) const {
    return z * z;
  }
  template <typename V>
  C10_ALWAYS_INLINE V slope(V z) const {
    return E(2) * z;
  }
};

template <typename V>
C10_ALWAYS_INLINE V sign(V z) {
  using E = vec::element_of<V>;
  const V zero{};
  return z > zero ? zero + E(1) : (z < zero ? zero - E(1) : z * E(0));
}

template <typename E>
struct SmoothL1 {
  E parameter;
  template <typename V>
  C10_ALWAYS_INLINE V loss(V z) const {
    const V size = vec::abs(z);
    return size < parameter ? E(0.5) * z * z / parameter : size - E(0.5) * parameter;
  }
  template <typename V>
  C10_ALWAYS_INLINE V slope(V z) const {
    return vec::abs(z) < parameter ? z / parameter : sign(z);
  }
};

template <typename E>
struct Huber {
  E parameter;
  template <typename V>
  C10_ALWAYS_INLINE V loss(V z) const {
    const V size = vec::abs(z);
    return size <= parameter ? E(0.5) * z * z : parameter * (size - E(0.5) * parameter);
  }
  template <typename V>
  C10_ALWAYS_INLINE V slope(V z) const {
    return vec::abs(z) <= parameter ? z : parameter * sign(z);
  }
};

template <typename E, typename F>
void for_kind(PointLoss kind, double parameter, const F& f) {
  const auto p = static_cast<E>(parameter);
  switch (kind) {
    case PointLoss::Squared:
      return f(Squared<E>{p});
    case PointLoss::SmoothL1:
      return f(SmoothL1<E>{p});
    case PointLoss::Huber:
      return f(Huber<E>{p});
  }
}

const char* kernel_name(PointLoss kind) {
  switch (kind) {
    case PointLoss::Squared:
      return "mse_cpu";
    case PointLoss::SmoothL1:
      return "smooth_l1_cpu";
    case PointLoss::Huber:
      return "huber_cpu";
  }
  return "";
}

void point_loss_kernel(TensorIteratorBase& iter, PointLoss kind, double parameter) {
  for_floating(iter.common_dtype(), kernel_name(kind), [&]<typename T>(T) {
    for_kind<vec::lane_type<T>>(kind, parameter, [&](auto function) {
      vec_kernel<T(T, T)>(
          iter, [function](auto input, auto target) { return function.loss(input - target); });
    });
  });
}

// For integers, arithmetic uses the dtype from the norm on.
template <typename T>
void integer_backward(TensorIteratorBase& iter, PointLoss kind, double parameter, double norm) {
  const T scale = static_cast<T>(kind == PointLoss::Squared ? 2 * norm : norm);
  const T bound = static_cast<T>(parameter);
  cpu_kernel(iter, [kind, scale, bound](T input, T target, T grad) -> T {
    const auto z = input - target; // narrow types widen
    if (kind == PointLoss::Squared) {
      return static_cast<T>(scale * z * grad);
    }
    if (z < -bound || z > bound) {
      return static_cast<T>(z > bound ? scale * grad : -scale * grad);
    }
    return bound == 0 ? T(0) : static_cast<T>(scale * z * grad / bound);
  });
}

void point_loss_backward_kernel(
    TensorIteratorBase& iter, PointLoss kind, double parameter, double norm) {
  if (c10::isIntegralType(iter.common_dtype(), false)) {
    return for_integer(iter.common_dtype(), "point_loss_backward_cpu", [&]<typename T>(T) {
      integer_backward<T>(iter, kind, parameter, norm);
    });
  }
  for_floating(iter.common_dtype(), "point_loss_backward_cpu", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const auto n = static_cast<E>(norm);
    for_kind<E>(kind, parameter, [&](auto function) {
      vec_kernel<T(T, T, T)>(iter, [function, n](auto input, auto target, auto grad) {
        return n * function.slope(input - target) * grad;
      });
    });
  });
}

double point_loss_sum_kernel(
    c10::ScalarType dtype, const void* input, const void* target, int64_t n, PointLoss kind,
    double parameter) {
  double total = 0;
  for_floating(dtype, kernel_name(kind), [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const T* x = static_cast<const T*>(input);
    const T* t = static_cast<const T*>(target);
    constexpr int L = kLanes<E>;
    for_kind<E>(kind, parameter, [&](auto function) {
      Lanes<E> a{}, b{};
      int64_t i = 0;
      for (; i + 2 * L <= n; i += 2 * L) {
        a += function.loss(load_lanes<E>(x + i) - load_lanes<E>(t + i));
        b += function.loss(load_lanes<E>(x + i + L) - load_lanes<E>(t + i + L));
      }
      // Lanes past the end hold 0 - 0, whose loss is 0.
      for (; i < n; i += L) {
        a += function.loss(load_up_to<E>(x + i, n - i, E(0)) - load_up_to<E>(t + i, n - i, E(0)));
      }
      total = static_cast<double>(fold_lanes<E>(a + b, [](E p, E q) { return p + q; }));
    });
  });
  return total;
}

} // namespace

REGISTER_DISPATCH(point_loss_stub, &point_loss_kernel)
REGISTER_DISPATCH(point_loss_backward_stub, &point_loss_backward_kernel)
REGISTER_DISPATCH(point_loss_sum_stub, &point_loss_sum_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native

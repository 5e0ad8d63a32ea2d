#pragma once

#include <ATen/TensorIterator.h>
#include <ATen/cpu/vec/vec_memory.h>

#include <algorithm>
#include <tuple>
#include <utility>

// Runs element-wise kernels over a TensorIterator.
//   cpu_kernel(iter, [](float a, float b) -> float { return a + b; });
//     any types, one element at a time; the compiler vectorizes contiguous runs where it can.
//   vec_kernel<float(float, float)>(iter, [](auto a, auto b) { return a + b; });
//     the operator works on vec::Lanes only; other strides go through a small buffer, so each
//     operator is compiled once per dtype and gives the same bits for every layout.
// Both convert results to an out= tensor of another dtype at the end.

namespace at::native {
inline namespace CPU_CAPABILITY {

// ---- one element at a time -------------------------------------------------------------------

template <typename F>
struct loop_traits : loop_traits<decltype(&F::operator())> {};
template <typename C, typename R, typename... A>
struct loop_traits<R (C::*)(A...) const> {
  using result = R;
  using arguments = std::tuple<std::decay_t<A>...>;
  static constexpr size_t arity = sizeof...(A);
};
template <typename C, typename R, typename... A>
struct loop_traits<R (C::*)(A...)> : loop_traits<R (C::*)(A...) const> {};

template <typename T>
C10_ALWAYS_INLINE T load_element(const char* source) {
  if constexpr (std::is_same_v<T, bool>) {
    return *reinterpret_cast<const uint8_t*>(source) != 0;
  } else {
    return *reinterpret_cast<const T*>(source);
  }
}

template <typename F, size_t... I>
C10_ALWAYS_INLINE void scalar_loop(
    const F& op, char** data, const int64_t* strides, int64_t n, std::index_sequence<I...>) {
  using traits = loop_traits<F>;
  using R = typename traits::result;
  using Args = typename traits::arguments;
  constexpr size_t kFirst = std::is_void_v<R> ? 0 : 1;
  const auto run = [&](auto... step) {
    const int64_t steps[] = {step..., 0};
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_void_v<R>) {
        op(load_element<std::tuple_element_t<I, Args>>(data[I] + i * steps[I])...);
      } else {
        *reinterpret_cast<R*>(data[0] + i * steps[0]) =
            op(load_element<std::tuple_element_t<I, Args>>(data[I + 1] + i * steps[I + 1])...);
      }
    }
  };
  const bool contiguous =
      ((strides[I + kFirst] == static_cast<int64_t>(sizeof(std::tuple_element_t<I, Args>))) && ...);
  if constexpr (!std::is_void_v<R>) {
    if (contiguous && strides[0] == static_cast<int64_t>(sizeof(R))) {
      run(std::integral_constant<int64_t, sizeof(R)>(),
          std::integral_constant<int64_t, sizeof(std::tuple_element_t<I, Args>)>()...);
      return;
    }
    run(strides[0], strides[I + 1]...);
  } else {
    run(strides[I]...);
  }
}

template <typename F>
void cpu_kernel(
    TensorIteratorBase& iter, const F& op, int64_t grain_size = at::internal::GRAIN_SIZE) {
  iter.for_each_1d(
      [&op](char** data, const int64_t* strides, int64_t n) {
        scalar_loop(op, data, strides, n, std::make_index_sequence<loop_traits<F>::arity>());
      },
      grain_size);
  iter.cast_outputs();
}

// Runs in order on one thread, for operators that carry state from element to element.
template <typename F>
void cpu_serial_kernel(TensorIteratorBase& iter, const F& op, const Range& range) {
  iter.serial_for_each_1d(
      [&op](char** data, const int64_t* strides, int64_t n) {
        scalar_loop(op, data, strides, n, std::make_index_sequence<loop_traits<F>::arity>());
      },
      range);
  iter.cast_outputs();
}
template <typename F>
void cpu_serial_kernel(TensorIteratorBase& iter, const F& op) {
  cpu_serial_kernel(iter, op, {0, iter.numel()});
}

// The operator returns a tuple, one value per output.
template <typename F, size_t... O, size_t... I>
C10_ALWAYS_INLINE void multiple_outputs_loop(
    const F& op, char** data, const int64_t* strides, int64_t n, std::index_sequence<O...>,
    std::index_sequence<I...>) {
  using traits = loop_traits<F>;
  using R = typename traits::result;
  using Args = typename traits::arguments;
  for (int64_t i = 0; i < n; ++i) {
    const R result = op(load_element<std::tuple_element_t<I, Args>>(
        data[sizeof...(O) + I] + i * strides[sizeof...(O) + I])...);
    ((*reinterpret_cast<std::tuple_element_t<O, R>*>(data[O] + i * strides[O]) =
          std::get<O>(result)),
     ...);
  }
}
template <typename F>
void cpu_kernel_multiple_outputs(TensorIteratorBase& iter, const F& op) {
  using traits = loop_traits<F>;
  iter.for_each_1d([&op](char** data, const int64_t* strides, int64_t n) {
    multiple_outputs_loop(
        op, data, strides, n,
        std::make_index_sequence<std::tuple_size_v<typename traits::result>>(),
        std::make_index_sequence<traits::arity>());
  });
  iter.cast_outputs();
}

// ---- a vector at a time ----------------------------------------------------------------------

template <typename Signature, typename Op>
struct VecLoop;

template <typename R, typename... A, typename Op>
struct VecLoop<R(A...), Op> {
  static constexpr size_t kArity = sizeof...(A);
  static constexpr size_t kWidest = [] {
    size_t widest = sizeof(vec::lane_type<R>);
    ((widest = sizeof(vec::lane_type<A>) > widest ? sizeof(vec::lane_type<A>) : widest), ...);
    return widest;
  }();
  static constexpr int N = static_cast<int>(vec::kVectorBytes / kWidest);
  static constexpr size_t kBufferBytes = N * std::max({size_t{64} / N, sizeof(R), sizeof(A)...});

  // Computes the first `count` <= N results from adjacent arguments.
  template <size_t... I>
  C10_NOINLINE static void partial(
      const Op& op, char* out, const char* const* in, int64_t count, std::index_sequence<I...>) {
    vec::store_first<R, N>(out, op(vec::load_first<A, N>(in[I + 1], count)...), count);
  }

  // Copies up to N elements at any stride to adjacent places.
  template <typename T>
  static void gather(char* to, const char* source, int64_t stride, int64_t count) {
    if (stride == 0) {
      vec::fill_copies<T, N>(to, source);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * sizeof(T), source + i * stride, sizeof(T));
    }
  }

  // Handles runs with other strides.
  template <size_t... I>
  C10_NOINLINE static void staged(
      const Op& op, char** data, const int64_t* strides, int64_t n,
      std::index_sequence<I...> indices) {
    alignas(64) char buffers[kArity + 1][kBufferBytes];
    for (int64_t done = 0; done < n; done += N) {
      const int64_t count = n - done < N ? n - done : N;
      const char* in[kArity + 1];
      const auto stage = [&]<typename T>(size_t arg, T*) {
        in[arg] = data[arg] + done * strides[arg];
        if (strides[arg] != static_cast<int64_t>(sizeof(T))) {
          gather<T>(buffers[arg], in[arg], strides[arg], count);
          in[arg] = buffers[arg];
        }
      };
      (stage(I + 1, static_cast<A*>(nullptr)), ...);
      char* out = data[0] + done * strides[0];
      if (strides[0] == static_cast<int64_t>(sizeof(R))) {
        partial(op, out, in, count, indices);
        continue;
      }
      partial(op, buffers[0], in, count, indices);
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(out + i * strides[0], buffers[0] + i * sizeof(R), sizeof(R));
      }
    }
  }

  template <size_t... I>
  static void run(
      const Op& op, char** data, const int64_t* strides, int64_t n,
      std::index_sequence<I...> indices) {
    const bool direct = strides[0] == static_cast<int64_t>(sizeof(R)) &&
        ((strides[I + 1] == static_cast<int64_t>(sizeof(A)) || strides[I + 1] == 0) && ...);
    if (!direct) {
      staged(op, data, strides, n, indices);
      return;
    }
    // A broadcast argument is read repeatedly from a register-sized block of copies.
    alignas(64) char copies[kArity + 1][kBufferBytes];
    const char* in[kArity + 1];
    int64_t steps[kArity + 1];
    const auto prepare = [&]<typename T>(size_t arg, T*) {
      if (strides[arg] != 0) {
        in[arg] = data[arg];
        steps[arg] = N * sizeof(T);
        return;
      }
      vec::fill_copies<T, N>(copies[arg], data[arg]);
      in[arg] = copies[arg];
      steps[arg] = 0;
    };
    (prepare(I + 1, static_cast<A*>(nullptr)), ...);
    char* out = data[0];
    const int64_t rest = n % N;
    for (int64_t done = rest; done < n; done += N) {
      vec::store<R, N>(out, op(vec::load<A, N>(in[I + 1])...));
      out += N * sizeof(R);
      ((in[I + 1] += steps[I + 1]), ...);
    }
    if (rest != 0) {
      partial(op, out, in, rest, indices);
    }
  }
};

template <typename Signature, typename Op>
void vec_kernel(
    TensorIteratorBase& iter, const Op& op, int64_t grain_size = at::internal::GRAIN_SIZE) {
  using Loop = VecLoop<Signature, Op>;
  iter.for_each_row(
      [&op](char** data, const int64_t* strides, int64_t n) {
        Loop::run(op, data, strides, n, std::make_index_sequence<Loop::kArity>());
      },
      grain_size);
  iter.cast_outputs();
}

} // namespace CPU_CAPABILITY
} // namespace at::native

#pragma once

// Element-wise kernels over a TensorIterator:
//
//   gpu_kernel(iter, [] C10_DEVICE (float a, float b) -> float { return a + b; });
//
// One launch reads every input once and writes the output. Operands that lie contiguously in the
// functor's own types are read and written 16 bytes at a time; any others through an offset
// calculator, and those of another dtype are converted as they are read or written. Inputs in host
// memory (numbers, and CPU tensors without dimensions) become arguments of the kernel.

#include <ATen/ScalarValue.h>
#include <ATen/TensorIterator.h>
#include <ATen/cuda/OffsetCalculator.cuh>
#include <ATen/native/cuda/MemoryAccess.cuh>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace at::native {

// What a functor with several outputs returns.
template <typename... T>
struct Outputs;
template <typename A, typename B>
struct Outputs<A, B> {
  A first;
  B second;
};

namespace loops {

constexpr int kThreads = 128;
constexpr int kVectorsPerThread = 2;
constexpr int kItemsPerThread = 4; // of threads that calculate offsets

// ---- the types of a functor

template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> {
  using Result = R;
  using Inputs = std::tuple<std::decay_t<A>...>;
  static constexpr int kInputs = sizeof...(A);
};

template <typename R>
struct ResultTypes {
  using Types = std::tuple<R>;
  template <size_t>
  C10_HOST_DEVICE static const R& get(const R& result) {
    return result;
  }
};
template <typename A, typename B>
struct ResultTypes<Outputs<A, B>> {
  using Types = std::tuple<A, B>;
  template <size_t I>
  C10_HOST_DEVICE static const auto& get(const Outputs<A, B>& result) {
    if constexpr (I == 0) {
      return result.first;
    } else {
      return result.second;
    }
  }
};

template <typename Types>
struct Widest;
template <typename... T>
struct Widest<std::tuple<T...>> {
  static constexpr size_t kBytes = std::max({size_t{1}, sizeof(T)...});
};

template <typename F>
struct Loop {
  using Result = typename Signature<F>::Result;
  using InputTypes = typename Signature<F>::Inputs;
  using OutputTypes = typename ResultTypes<Result>::Types;
  static constexpr int kInputs = Signature<F>::kInputs;
  static constexpr int kOutputs = std::tuple_size_v<OutputTypes>;
  static constexpr int kOperands = kOutputs + kInputs;
  using InputIndices = std::make_index_sequence<kInputs>;
  using OutputIndices = std::make_index_sequence<kOutputs>;
  template <size_t I>
  using Input = std::tuple_element_t<I, InputTypes>;
  template <size_t I>
  using Output = std::tuple_element_t<I, OutputTypes>;

  static constexpr size_t kWidest = Widest<InputTypes>::kBytes > Widest<OutputTypes>::kBytes
      ? Widest<InputTypes>::kBytes
      : Widest<OutputTypes>::kBytes;
  // Elements in a vector: 16 bytes of the widest type.
  static constexpr int kWidth = kWidest < 16 ? static_cast<int>(16 / kWidest) : 1;
};

// ---- what a kernel gets: outputs first, then inputs

template <typename F>
struct Operands {
  static constexpr int kInputs = Loop<F>::kInputs > 0 ? Loop<F>::kInputs : 1;
  char* data[Loop<F>::kOperands]; // null for an input that is in `values`
  alignas(16) char values[kInputs][16];
};

template <typename F>
struct Dtypes {
  ScalarType of[Loop<F>::kOperands];
};

// ---- kernels

// The resident blocks that the compiler plans a contiguous kernel for; 0 leaves it to choose. A
// functor with kResidentBlocks = 1 gets all registers it needs instead of spilling a few of them.
template <typename F>
constexpr int kResidentBlocks = 0;
template <typename F>
  requires requires { F::kResidentBlocks; }
constexpr int kResidentBlocks<F> = F::kResidentBlocks;

template <typename F, size_t... I, size_t... O>
__device__ __forceinline__ void run_vectors(
    const F& f, const Operands<F>& operands, int first_vector, std::index_sequence<I...>,
    std::index_sequence<O...>) {
  using L = Loop<F>;
  constexpr int kWidth = L::kWidth;
  [[maybe_unused]] memory::Row<kWidth, typename L::template Input<I>...> inputs[kVectorsPerThread];
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    [[maybe_unused]] const int vector = first_vector + v * kThreads;
    ((operands.data[L::kOutputs + I] != nullptr
          ? inputs[v].template load<I>(operands.data[L::kOutputs + I], vector)
          : inputs[v].template fill<I>(operands.values[I])),
     ...);
  }
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    memory::Row<kWidth, typename L::template Output<O>...> outputs;
#pragma unroll
    for (int lane = 0; lane < kWidth; ++lane) {
      const auto result = f(inputs[v].template get<I>(lane)...);
      (outputs.template set<O>(lane, ResultTypes<typename L::Result>::template get<O>(result)),
       ...);
    }
    (outputs.template store<O>(operands.data[O], first_vector + v * kThreads), ...);
  }
}

// One element, at the given offsets in bytes.
template <bool kCast, typename F, size_t... I, size_t... O>
__device__ __forceinline__ void run_element(
    const F& f, const Operands<F>& operands, const at::cuda::Offsets<Loop<F>::kOperands>& offsets,
    [[maybe_unused]] const Dtypes<F>& dtypes, std::index_sequence<I...>,
    std::index_sequence<O...>) {
  using L = Loop<F>;
  [[maybe_unused]] const auto input = [&]<size_t N>(std::integral_constant<size_t, N>) {
    using T = typename L::template Input<N>;
    constexpr int arg = L::kOutputs + static_cast<int>(N);
    if (operands.data[arg] == nullptr) {
      return memory::load<T>(operands.values[N]);
    }
    const char* address = operands.data[arg] + offsets[arg];
    if constexpr (kCast) {
      return memory::load_as<T>(address, dtypes.of[arg]);
    } else {
      return memory::load<T>(address);
    }
  };
  const auto result = f(input(std::integral_constant<size_t, I>())...);
  const auto output = [&]<size_t N>(std::integral_constant<size_t, N>) {
    const auto& value = ResultTypes<typename L::Result>::template get<N>(result);
    char* address = operands.data[N] + offsets[static_cast<int>(N)];
    if constexpr (kCast) {
      memory::store_as(address, dtypes.of[N], value);
    } else {
      *reinterpret_cast<std::decay_t<decltype(value)>*>(address) = value;
    }
  };
  (output(std::integral_constant<size_t, O>()), ...);
}

template <typename F, size_t... I, size_t... O>
C10_HOST_DEVICE at::cuda::Offsets<Loop<F>::kOperands> adjacent(
    uint32_t position, std::index_sequence<I...>, std::index_sequence<O...>) {
  using L = Loop<F>;
  return {
      {position * static_cast<uint32_t>(sizeof(typename L::template Output<O>))...,
       position * static_cast<uint32_t>(sizeof(typename L::template Input<I>))...}};
}

template <typename F>
__global__ void __launch_bounds__(kThreads, kResidentBlocks<F>)
    contiguous_kernel(uint32_t count, F f, Operands<F> operands) {
  using L = Loop<F>;
  using Inputs = typename L::InputIndices;
  using Results = typename L::OutputIndices;
  constexpr uint32_t kPerBlock = kThreads * kVectorsPerThread * L::kWidth;
  const uint32_t begin = blockIdx.x * kPerBlock;
  if (begin + kPerBlock <= count) {
    run_vectors(
        f, operands, static_cast<int>(begin / L::kWidth + threadIdx.x), Inputs(), Results());
    return;
  }
  for (uint32_t i = begin + threadIdx.x; i < count; i += kThreads) {
    run_element<false>(
        f, operands, adjacent<F>(i, Inputs(), Results()), Dtypes<F>(), Inputs(), Results());
  }
}

template <bool kCast, typename F>
__global__ void __launch_bounds__(kThreads) strided_kernel(
    uint32_t count, F f, Operands<F> operands,
    at::cuda::OffsetCalculator<Loop<F>::kOperands> offsets, Dtypes<F> dtypes) {
  using L = Loop<F>;
  uint32_t i = blockIdx.x * (kThreads * kItemsPerThread) + threadIdx.x;
#pragma unroll
  for (int item = 0; item < kItemsPerThread; ++item, i += kThreads) {
    if (i < count) {
      run_element<kCast>(
          f, operands, offsets(i), dtypes, typename L::InputIndices(), typename L::OutputIndices());
    }
  }
}

// ---- launches

// The dtype of the memory, which the iterator does not convert.
inline ScalarType dtype_in_memory(const TensorIteratorBase& iter, int arg) {
  const TensorBase& tensor = iter.tensor_base(arg);
  return tensor.defined() ? tensor.scalar_type() : iter.dtype(arg);
}

inline bool in_host_memory(const TensorIteratorBase& iter, int arg) {
  return !iter.tensor_base(arg).defined() || iter.device(arg).is_cpu();
}

template <typename T>
constexpr ScalarType dtype_of() {
  if constexpr (requires { c10::CppTypeToScalarType<T>::value; }) {
    return c10::CppTypeToScalarType<T>::value;
  } else {
    return ScalarType::Undefined;
  }
}

template <typename F, bool kMayCast>
struct Plan {
  using L = Loop<F>;
  Operands<F> operands;
  Dtypes<F> dtypes;
  bool casts = false;
  bool contiguous = true;
  bool aligned = true;

  explicit Plan(const TensorIteratorBase& iter) {
    TORCH_INTERNAL_ASSERT(iter.noutputs() == L::kOutputs && iter.ninputs() == L::kInputs);
    [&]<size_t... O>(std::index_sequence<O...>) {
      (add<typename L::template Output<O>>(iter, static_cast<int>(O)), ...);
    }
    (typename L::OutputIndices());
    [&]<size_t... I>(std::index_sequence<I...>) {
      (add_input<typename L::template Input<I>>(iter, static_cast<int>(I)), ...);
    }
    (typename L::InputIndices());
  }

 private:
  template <typename T>
  void add_input(const TensorIteratorBase& iter, int input) {
    const int arg = L::kOutputs + input;
    if (!in_host_memory(iter, arg)) {
      add<T>(iter, arg);
      return;
    }
    operands.data[arg] = nullptr;
    dtypes.of[arg] = dtype_of<T>();
    if constexpr (dtype_of<T>() != ScalarType::Undefined) {
      const T value = load_value<T>(iter.data_ptr(arg), dtype_in_memory(iter, arg));
      std::memcpy(operands.values[input], &value, sizeof(T));
    } else {
      TORCH_INTERNAL_ASSERT(false, "a kernel over opaque elements has no numbers as inputs");
    }
  }

  template <typename T>
  void add(const TensorIteratorBase& iter, int arg) {
    operands.data[arg] = static_cast<char*>(iter.data_ptr(arg));
    dtypes.of[arg] = dtype_in_memory(iter, arg);
    casts = casts || (kMayCast && dtypes.of[arg] != dtype_of<T>());
    aligned =
        aligned && reinterpret_cast<uintptr_t>(operands.data[arg]) % (sizeof(T) * L::kWidth) == 0;
    contiguous = contiguous &&
        (iter.numel() == 1 ||
         (iter.ndim() == 1 && iter.strides(arg)[0] == static_cast<int64_t>(sizeof(T))));
  }
};

inline unsigned blocks_for(int64_t count, int64_t per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

template <bool kMayCast, typename F>
void launch(const TensorIteratorBase& iter, const F& f) {
  using L = Loop<F>;
  const Plan<F, kMayCast> plan(iter);
  const auto count = static_cast<uint32_t>(iter.numel());
  const auto stream = c10::cuda::getCurrentCUDAStream();
  if (plan.contiguous && plan.aligned && !plan.casts) {
    const unsigned blocks = blocks_for(count, kThreads * kVectorsPerThread * L::kWidth);
    C10_CUDA_CHECK(at::cuda::launch(
        contiguous_kernel<F>, blocks, kThreads, 0, stream, count, f, plan.operands));
    return;
  }
  const unsigned blocks = blocks_for(count, kThreads * kItemsPerThread);
  const at::cuda::OffsetCalculator<L::kOperands> offsets(iter);
  if constexpr (kMayCast) {
    if (plan.casts) {
      C10_CUDA_CHECK(at::cuda::launch(
          strided_kernel<true, F>, blocks, kThreads, 0, stream, count, f, plan.operands, offsets,
          plan.dtypes));
      return;
    }
  }
  C10_CUDA_CHECK(at::cuda::launch(
      strided_kernel<false, F>, blocks, kThreads, 0, stream, count, f, plan.operands, offsets,
      plan.dtypes));
}

template <bool kMayCast, typename F>
void run(TensorIteratorBase& iter, const F& f) {
  if (iter.numel() == 0) {
    return;
  }
  const c10::cuda::CUDAGuard guard(iter.device(0));
  at::cuda::for_each_part(iter, [&](TensorIteratorBase& part) { launch<kMayCast>(part, f); });
}

} // namespace loops

template <typename F>
void gpu_kernel(TensorIteratorBase& iter, const F& f) {
  loops::run<true>(iter, f);
}

// For functors on elements as bytes, whose C++ type is not that of the dtype.
template <typename F>
void gpu_kernel_nocast(TensorIteratorBase& iter, const F& f) {
  loops::run<false>(iter, f);
}

// The functor returns Outputs<A, B>.
template <typename F>
void gpu_kernel_multiple_outputs(TensorIteratorBase& iter, const F& f) {
  loops::run<true>(iter, f);
}

// For binary functors; every kernel takes numbers.
template <typename F>
void gpu_kernel_with_scalars(TensorIteratorBase& iter, const F& f) {
  loops::run<true>(iter, f);
}

} // namespace at::native

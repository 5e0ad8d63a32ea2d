#pragma once

// Element-wise kernels of formulas that need most of a thread's registers: iterations in double,
// for instance. Those of Loops.cuh load several elements and unroll, and what they hold while such
// a formula runs would be spilled. Here a thread computes one element, and the formula is inlined,
// since a function of its own would have to save registers too. Loads are not wide, but such
// formulas take far longer than the memory does. One block for each multiprocessor is enough for
// the compiler, which would otherwise spill a few registers to fit more.

#include <ATen/native/cuda/Functors.cuh>

namespace at::native {
namespace loops {

template <bool kCast, typename F>
__global__ void __launch_bounds__(kThreads, 1) long_kernel(
    uint32_t count, F f, Operands<F> operands,
    at::cuda::OffsetCalculator<Loop<F>::kOperands> offsets, Dtypes<F> dtypes) {
  using L = Loop<F>;
  const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) {
    run_element<kCast>(
        f, operands, offsets(i), dtypes, typename L::InputIndices(), typename L::OutputIndices());
  }
}

template <typename F>
void run_long(TensorIteratorBase& iter, const F& f) {
  if (iter.numel() == 0) {
    return;
  }
  const c10::cuda::CUDAGuard guard(iter.device(0));
  at::cuda::for_each_part(iter, [&](TensorIteratorBase& part) {
    const Plan<F, true> plan(part);
    const auto count = static_cast<uint32_t>(part.numel());
    const auto kernel = plan.casts ? long_kernel<true, F> : long_kernel<false, F>;
    C10_CUDA_CHECK(at::cuda::launch(
        kernel, blocks_for(count, kThreads), kThreads, 0, c10::cuda::getCurrentCUDAStream(), count,
        f, plan.operands, at::cuda::OffsetCalculator<Loop<F>::kOperands>(part), plan.dtypes));
  });
}

} // namespace loops

template <typename T, typename Op>
void gpu_long_unary(TensorIteratorBase& iter, const Op& op) {
  loops::run_long(iter, UnaryFunctor<T, T, Op>{op});
}
template <typename T, typename Op>
void gpu_long_binary(TensorIteratorBase& iter, const Op& op) {
  loops::run_long(iter, BinaryFunctor<T, T, Op>{op});
}
template <typename T, typename Op>
void gpu_long_ternary(TensorIteratorBase& iter, const Op& op) {
  loops::run_long(iter, TernaryFunctor<T, T, Op>{op});
}

} // namespace at::native

#pragma once

// Kernels that fill a tensor with random numbers. Which thread draws which number of which stream
// is part of the interface, as in PyTorch: the same seed gives the same numbers.
//
// Thread i draws from stream i. A block has 256 threads, and there are no more blocks than the
// device runs at once; a thread goes through the elements i, i + T, i + 2T, ... for T threads in
// all. One evaluation of Philox gives it four words: four numbers of 32 bits, or two of 64.

#include <ATen/TensorIterator.h>
#include <ATen/core/PhiloxRNGEngine.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/OffsetCalculator.cuh>
#include <ATen/cuda/PhiloxUtils.cuh>
#include <ATen/native/cuda/Loops.cuh>
#include <c10/cuda/CUDALaunch.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace at::native::distributions {

constexpr int kThreads = 256;
constexpr uint64_t kWordsPerCall = 4;

template <typename T, int kCount>
struct Draws {
  T values[kCount];
};

C10_HOST_DEVICE inline uint64_t wide_bits(uint32_t low, uint32_t high) {
  return static_cast<uint64_t>(low) ^ (static_cast<uint64_t>(high) << 21);
}
// Numbers in (0, 1]: the middle of each of 2^32 or 2^53 equal parts, before it is rounded.
C10_HOST_DEVICE inline float uniform_float(uint32_t word) {
  return static_cast<float>(word) * 0x1p-32f + 0x1p-33f;
}
C10_HOST_DEVICE inline double uniform_double(uint32_t low, uint32_t high) {
  return static_cast<double>(wide_bits(low, high)) * 0x1p-53 + 0x1p-54;
}

struct UniformFloats {
  static constexpr int kCount = 4;
  C10_HOST_DEVICE Draws<float, 4> operator()(Philox4_32& engine) const {
    const PhiloxBlock block = engine.next_block();
    return {
        {uniform_float(block.words[0]), uniform_float(block.words[1]),
         uniform_float(block.words[2]), uniform_float(block.words[3])}};
  }
};
struct UniformDoubles {
  static constexpr int kCount = 2;
  C10_HOST_DEVICE Draws<double, 2> operator()(Philox4_32& engine) const {
    const PhiloxBlock block = engine.next_block();
    return {
        {uniform_double(block.words[0], block.words[1]),
         uniform_double(block.words[2], block.words[3])}};
  }
};

// The Box-Muller method: two normal numbers of two uniform ones.
struct NormalFloats {
  static constexpr int kCount = 4;
  C10_HOST_DEVICE static void pair(uint32_t x, uint32_t y, float* out) {
    constexpr float kTwoPi = 6.283185307179586f;
    const float radius = std::sqrt(-2.0f * std::log(uniform_float(x)));
    const float angle = static_cast<float>(y) * (0x1p-32f * kTwoPi) + 0x1p-33f * kTwoPi;
    out[0] = radius * std::sin(angle);
    out[1] = radius * std::cos(angle);
  }
  C10_HOST_DEVICE Draws<float, 4> operator()(Philox4_32& engine) const {
    const PhiloxBlock block = engine.next_block();
    Draws<float, 4> draws;
    pair(block.words[0], block.words[1], draws.values);
    pair(block.words[2], block.words[3], draws.values + 2);
    return draws;
  }
};
struct NormalDoubles {
  static constexpr int kCount = 2;
  C10_HOST_DEVICE Draws<double, 2> operator()(Philox4_32& engine) const {
    constexpr double kPi = 3.141592653589793;
    const PhiloxBlock block = engine.next_block();
    const double radius =
        std::sqrt(-2.0 * std::log(uniform_double(block.words[0], block.words[1])));
    const double angle =
        (static_cast<double>(wide_bits(block.words[2], block.words[3])) * 0x1p-52 + 0x1p-53) * kPi;
    return {{radius * std::sin(angle), radius * std::cos(angle)}};
  }
};

struct Words32 {
  static constexpr int kCount = 4;
  C10_HOST_DEVICE Draws<uint32_t, 4> operator()(Philox4_32& engine) const {
    const PhiloxBlock block = engine.next_block();
    return {{block.words[0], block.words[1], block.words[2], block.words[3]}};
  }
};
struct Words64 {
  static constexpr int kCount = 2;
  C10_HOST_DEVICE Draws<uint64_t, 2> operator()(Philox4_32& engine) const {
    const PhiloxBlock block = engine.next_block();
    return {
        {(static_cast<uint64_t>(block.words[0]) << 32) | block.words[1],
         (static_cast<uint64_t>(block.words[2]) << 32) | block.words[3]}};
  }
};

template <int kOperands>
struct Pointers {
  char* data[kOperands];
};

// write(number, addresses of the element in each operand)
template <int kOperands, typename Draw, typename Write>
__global__ void __launch_bounds__(kThreads) distribution_kernel(
    uint32_t count, PhiloxCudaState state, at::cuda::OffsetCalculator<kOperands> offsets,
    Pointers<kOperands> operands, Draw draw, Write write) {
  const uint32_t thread = blockIdx.x * kThreads + threadIdx.x;
  const uint32_t threads = gridDim.x * kThreads;
  Philox4_32 engine = at::cuda::philox::engine(state, thread);
  for (uint64_t first = thread; first < count; first += uint64_t{threads} * Draw::kCount) {
    const auto draws = draw(engine);
#pragma unroll
    for (int i = 0; i < Draw::kCount; ++i) {
      const uint64_t element = first + static_cast<uint64_t>(i) * threads;
      if (element < count) {
        const auto at = offsets(static_cast<uint32_t>(element));
        char* addresses[kOperands];
#pragma unroll
        for (int arg = 0; arg < kOperands; ++arg) {
          addresses[arg] = operands.data[arg] + at[arg];
        }
        write(draws.values[i], addresses);
      }
    }
  }
}

inline PhiloxCudaState reserve(CUDAGeneratorImpl& generator, uint64_t words) {
  const std::lock_guard<std::mutex> lock(generator.mutex_);
  return generator.philox_cuda_state(words);
}

inline CUDAGeneratorImpl& generator_for(
    const std::optional<Generator>& given, c10::DeviceIndex device) {
  return *get_generator_or_default<CUDAGeneratorImpl>(
      given, at::cuda::detail::getDefaultCUDAGenerator(device));
}

template <int kOperands, typename Draw, typename Write>
void fill(
    TensorIteratorBase& iter, const std::optional<Generator>& given, const Draw& draw,
    const Write& write) {
  const c10::cuda::CUDAGuard guard(iter.device(0));
  CUDAGeneratorImpl& generator = generator_for(given, iter.device(0).index());
  const cudaDeviceProp& device = c10::cuda::device_properties();
  const auto limit = static_cast<uint64_t>(device.multiProcessorCount) *
      static_cast<uint64_t>(device.maxThreadsPerMultiProcessor / kThreads);
  at::cuda::for_each_part(iter, [&](TensorIteratorBase& part) {
    const auto count = static_cast<uint64_t>(part.numel());
    const uint64_t blocks = std::min(limit, (count + kThreads - 1) / kThreads);
    const uint64_t calls = (count - 1) / (kThreads * blocks * Draw::kCount) + 1;
    Pointers<kOperands> operands;
    for (int arg = 0; arg < kOperands; ++arg) {
      operands.data[arg] = static_cast<char*>(part.data_ptr(arg));
    }
    C10_CUDA_CHECK(at::cuda::launch(
        distribution_kernel<kOperands, Draw, Write>, static_cast<unsigned>(blocks), kThreads, 0,
        c10::cuda::getCurrentCUDAStream(), static_cast<uint32_t>(count),
        reserve(generator, calls * kWordsPerCall), at::cuda::OffsetCalculator<kOperands>(part),
        operands, draw, write));
  });
}

// Stores what convert(number) returns.
template <typename T, typename Convert>
struct Store {
  Convert convert;
  template <typename Number>
  C10_HOST_DEVICE void operator()(Number number, char* const* addresses) const {
    *reinterpret_cast<T*>(addresses[0]) = convert(number);
  }
};

template <typename T, typename Draw, typename Convert>
void fill_tensor(
    const Tensor& self, const std::optional<Generator>& generator, const Draw& draw,
    const Convert& convert) {
  auto iter = TensorIterator::borrowing_nullary_op(self);
  fill<1>(iter, generator, draw, Store<T, Convert>{convert});
}

} // namespace at::native::distributions

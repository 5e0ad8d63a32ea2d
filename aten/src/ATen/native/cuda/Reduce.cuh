#pragma once

// Reductions over any dimensions of a strided tensor. An operator is a struct:
//
//   using in_t, acc_t;                             trivially copyable
//   acc_t identity() const;
//   acc_t step(acc_t acc, in_t x, int64_t i) const;     i: position along the folded dimensions
//   acc_t combine(acc_t a, acc_t b) const;              associative and commutative
//   void store(acc_t acc, int64_t out, int64_t out2) const;   offsets in elements

#include <ATen/native/ReduceGeometry.h>
#include <ATen/native/cuda/DimOffsets.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/ReduceConfig.h>
#include <ATen/native/cuda/block_reduce.cuh>
#include <c10/cuda/CUDACachingAllocator.h>

namespace at::native {

struct ReduceLayout {
  const void* in = nullptr;
  DimOffsets<1> reds; // in elements of the input
  DimOffsets<3> outs; // in elements of the input, the first and the second output
  int64_t outputs = 1;
  int64_t length = 1;
  int64_t block_outputs = 1;
  int64_t lanes = 1;
  int64_t chunk_length = 1;
  bool inner = true;
};

namespace detail {

template <typename T, int count>
struct alignas(sizeof(T) * count) Packed {
  T values[count];
};

template <typename Op>
struct ReduceTraits {
  using in_t = typename Op::in_t;
  using acc_t = typename Op::acc_t;
  static constexpr int kVector = sizeof(in_t) >= 16 ? 1 : static_cast<int>(16 / sizeof(in_t));
  // Independent accumulators hide the latency of additions and memory.
  static constexpr int kUnroll = sizeof(acc_t) <= 8 ? 4 : 2;
};

template <typename Op>
C10_DEVICE inline typename Op::acc_t fold_unrolled(const Op& op, typename Op::acc_t* accs) {
#pragma unroll
  for (int k = 1; k < ReduceTraits<Op>::kUnroll; ++k) {
    accs[0] = op.combine(accs[0], accs[k]);
  }
  return accs[0];
}

// Folds adjacent elements with 128-bit loads, from the first aligned one on.
template <typename Op>
C10_DEVICE inline typename Op::acc_t fold_adjacent(
    const Op& op, const typename Op::in_t* in, int64_t length, int64_t base, int64_t lane,
    int64_t lanes) {
  using In = typename Op::in_t;
  constexpr int kVector = ReduceTraits<Op>::kVector;
  constexpr int kUnroll = ReduceTraits<Op>::kUnroll;
  typename Op::acc_t accs[kUnroll];
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    accs[k] = op.identity();
  }
  const auto misaligned =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(in) % (sizeof(In) * kVector) / sizeof(In));
  int64_t head = misaligned == 0 ? 0 : kVector - misaligned;
  head = head < length ? head : length;
  for (int64_t i = lane; i < head; i += lanes) {
    accs[0] = op.step(accs[0], in[i], base + i);
  }
  const auto* vectors = reinterpret_cast<const Packed<In, kVector>*>(in + head);
  const int64_t count = (length - head) / kVector;
  for (int64_t v = lane; v < count; v += lanes) {
    const Packed<In, kVector> x = vectors[v];
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      accs[k % kUnroll] = op.step(accs[k % kUnroll], x.values[k], base + head + v * kVector + k);
    }
  }
  for (int64_t i = head + count * kVector + lane; i < length; i += lanes) {
    accs[0] = op.step(accs[0], in[i], base + i);
  }
  return fold_unrolled(op, accs);
}

template <typename Op>
C10_DEVICE inline typename Op::acc_t fold_strided(
    const Op& op, const typename Op::in_t* in, const DimOffsets<1>& reds, int64_t begin,
    int64_t end, int64_t lane, int64_t lanes) {
  constexpr int kUnroll = ReduceTraits<Op>::kUnroll;
  typename Op::acc_t accs[kUnroll];
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    accs[k] = op.identity();
  }
  int64_t i = begin + lane;
  for (; i + (kUnroll - 1) * lanes < end; i += kUnroll * lanes) {
    typename Op::in_t x[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      x[k] = in[reds(i + k * lanes)[0]];
    }
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      accs[k] = op.step(accs[k], x[k], i + k * lanes);
    }
  }
  for (; i < end; i += lanes) {
    accs[0] = op.step(accs[0], in[reds(i)[0]], i);
  }
  return fold_unrolled(op, accs);
}

// `partial` is null, or takes the accumulators of each chunk for all outputs.
template <typename Op, bool adjacent>
__global__ void reduce_kernel(Op op, ReduceLayout layout, typename Op::acc_t* partial) {
  using Acc = typename Op::acc_t;
  C10_DYNAMIC_SHARED(Acc, shared);
  const int64_t lane = layout.inner ? threadIdx.x : threadIdx.y;
  const int64_t output = static_cast<int64_t>(blockIdx.x) * layout.block_outputs +
      (layout.inner ? threadIdx.y : threadIdx.x);
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * layout.chunk_length;
  const int64_t end =
      begin + layout.chunk_length < layout.length ? begin + layout.chunk_length : layout.length;
  DimOffsets<3>::Offsets offsets = {};
  Acc acc = op.identity();
  if (output < layout.outputs) {
    offsets = layout.outs(output);
    const auto* in = static_cast<const typename Op::in_t*>(layout.in) + offsets[0];
    if constexpr (adjacent) {
      acc = fold_adjacent(op, in + begin, end - begin, begin, lane, layout.lanes);
    } else {
      acc = fold_strided(op, in, layout.reds, begin, end, lane, layout.lanes);
    }
  }
  const auto combine = [&op](const Acc& a, const Acc& b) { return op.combine(a, b); };
  acc = layout.inner ? block_reduce_x(acc, combine, shared) : block_reduce_y(acc, combine, shared);
  if (lane != 0 || output >= layout.outputs) {
    return;
  }
  if (partial != nullptr) {
    partial[static_cast<int64_t>(blockIdx.y) * layout.outputs + output] = acc;
  } else {
    op.store(acc, offsets[1], offsets[2]);
  }
}

// The second pass: a warp per output.
template <typename Op>
__global__ void combine_chunks_kernel(
    Op op, DimOffsets<3> outs, int64_t outputs, int64_t chunks, const typename Op::acc_t* partial) {
  using Acc = typename Op::acc_t;
  const int64_t output = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  Acc acc = op.identity();
  if (output < outputs) {
    for (int64_t c = threadIdx.x; c < chunks; c += kWarpSize) {
      acc = op.combine(acc, partial[c * outputs + output]);
    }
  }
  acc = warp_reduce(acc, [&op](const Acc& a, const Acc& b) { return op.combine(a, b); });
  if (threadIdx.x == 0 && output < outputs) {
    const auto offsets = outs(output);
    op.store(acc, offsets[1], offsets[2]);
  }
}

template <typename Op>
void launch_reduce(
    const Op& op, const ReduceConfig& config, const ReduceLayout& layout, bool adjacent) {
  using Acc = typename Op::acc_t;
  const dim3 grid(
      static_cast<unsigned>(config.output_blocks), static_cast<unsigned>(config.chunks));
  const dim3 block(config.block_x(), config.block_y());
  const size_t shared = static_cast<size_t>(config.threads()) * sizeof(Acc);
  c10::DataPtr scratch;
  Acc* partial = nullptr;
  if (config.chunks > 1) {
    const size_t bytes = static_cast<size_t>(config.chunks * layout.outputs) * sizeof(Acc);
    scratch = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
    partial = static_cast<Acc*>(scratch.get());
  }
  const auto kernel = adjacent ? reduce_kernel<Op, true> : reduce_kernel<Op, false>;
  launch_on_current_stream(kernel, grid, block, shared, op, layout, partial);
  if (config.chunks > 1) {
    constexpr int64_t kRows = 4;
    launch_on_current_stream(
        combine_chunks_kernel<Op>, static_cast<unsigned>(ceil_div(layout.outputs, kRows)),
        dim3(kWarpSize, kRows), 0, op, layout.outs, layout.outputs, config.chunks, partial);
  }
}

} // namespace detail

// Reduces `in`, which holds elements of Op::in_t, over the dimensions of the mask. Where the op
// stores its results is the op's affair; `out` and `out2` give the strides.
template <typename Op>
void reduce_on_device(
    const Op& op, const TensorBase& in, DimMask mask, const TensorBase& out,
    const TensorBase& out2) {
  DimList outs, reds;
  reduce_geometry(in, mask, out, out2, outs, reds);
  ReduceLayout layout;
  layout.in = in.const_data_ptr();
  layout.outputs = outs.numel();
  layout.length = reds.numel();
  if (layout.outputs == 0) {
    return;
  }
  for (int d = 0; d < reds.count; ++d) {
    layout.reds.add(reds.dims[d].size, {reds.dims[d].in_stride});
  }
  for (int d = 0; d < outs.count; ++d) {
    const ReduceDim& dim = outs.dims[d];
    layout.outs.add(dim.size, {dim.in_stride, dim.out_stride, dim.out2_stride});
  }
  // A step of zero means a reduction of at most one element.
  const bool inner = reds.dims[0].in_stride != 0 &&
      (layout.outputs == 1 || reds.dims[0].in_stride <= outs.dims[0].in_stride ||
       outs.dims[0].in_stride == 0);
  const bool adjacent = inner && reds.count == 1 && reds.dims[0].in_stride == 1;
  const int64_t vector = adjacent ? detail::ReduceTraits<Op>::kVector : 1;
  const ReduceConfig config = make_reduce_config(
      layout.outputs, layout.length, inner, vector, resident_blocks(kReduceThreads));
  layout.inner = config.inner;
  layout.lanes = config.lanes;
  layout.block_outputs = config.block_outputs;
  layout.chunk_length = config.chunk_length;
  detail::launch_reduce(op, config, layout, adjacent);
}

} // namespace at::native

#pragma once

// The strided driver of all reductions over dimensions. It handles the geometry (which dimensions
// are kept, which are folded, how to split them between threads) and calls two flat kernels,
// selected by operator and dtype, for the innermost loops. It is compiled once.

#include <ATen/core/TensorBase.h>
#include <c10/core/ScalarType.h>

#include <bitset>
#include <cstdint>

namespace at::native {

using DimMask = std::bitset<64>;

struct ReduceSink;

// Flat kernels over an array of accumulators. Steps are in elements of the input; `base` is the
// position of the first element along the reduced dimension (used only by reductions that return
// indices); `param` is the operator's number (the p of a norm).
struct ReduceKernel {
  using Init = void (*)(void* acc, int64_t count);
  // Folds in[c * out_step + k * step] into acc[c] for k < n.
  using Inner = void (*)(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step,
      int64_t base, double param);
  // Folds in[c + r * row_step] into acc[c] for r < rows.
  using Outer = void (*)(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t base,
      double param);
  using Combine = void (*)(void* acc, const void* other, int64_t count);
  // The whole reduction, for a device whose memory the flat kernels cannot read.
  using OnDevice = void (*)(
      const ReduceSink& sink, const TensorBase& in, DimMask mask, const TensorBase& out,
      const TensorBase& out2, double param);

  int64_t acc_size;
  int64_t element_size;
  Init init;
  Inner inner;
  Outer outer;
  Combine combine;
  OnDevice on_device = nullptr;
};

// What becomes of a finished accumulator. The host's store functions imply it.
enum class SinkKind : uint8_t {
  Value,            // the value; with `flag`, divided by `param`
  Truth,            // whether a count is positive; with `flag`, whether it is not
  Position,         // of an extremum
  ValueAndPosition, // to the first and second output
  Root,             // of order `param`, if `flag` or `param` is 2
  Moments,          // a variance, or with `flag` its root; the mean to the second output if given
};

// Where to store finished accumulators. Steps are in elements of the respective output.
struct ReduceSink {
  using Store = void (*)(
      const ReduceSink& sink, const void* acc, int64_t count, void* out, int64_t out_step,
      void* out2, int64_t out2_step);
  Store store;
  c10::ScalarType dtype;
  double param = 0;  // divisor of a mean, degrees of freedom of a variance, or 1/p for a norm
  bool flag = false; // take the square root of a variance, or negate for all()
  SinkKind kind = SinkKind::Value;
};

inline constexpr int64_t kReduceChunk =
    512; // number of outputs whose accumulators fit on the stack
inline constexpr int64_t kMaxAccumulator = 32; // bytes

// Reduces `in` over the dimensions of `mask` to `out` (and `out2`), which have the reduced shape
// with or without the reduced dimensions.
void reduce_dims(
    const ReduceKernel& kernel, const ReduceSink& sink, const TensorBase& in, DimMask mask,
    const TensorBase& out, const TensorBase& out2, double param = 0);

inline void reduce_dims(
    const ReduceKernel& kernel, const ReduceSink& sink, const TensorBase& in, DimMask mask,
    const TensorBase& out, double param = 0) {
  reduce_dims(kernel, sink, in, mask, out, TensorBase(), param);
}

// Reduces every element of the dense `in`, in the order of memory, into the single elements of
// `out` and, if defined, `out2`.
void reduce_flat(
    const ReduceKernel& kernel, const ReduceSink& sink, const TensorBase& in, const TensorBase& out,
    const TensorBase& out2, double param);

// Reduces every element of `in` into the zero-dimensional `out`.
void reduce_all(
    const ReduceKernel& kernel, const ReduceSink& sink, const TensorBase& in, const TensorBase& out,
    double param = 0);

// Store functions for accumulators of double, int64_t and complex<double>; a non-zero sink.param
// divides.
void store_real(const ReduceSink&, const void*, int64_t, void*, int64_t, void*, int64_t);
void store_integer(const ReduceSink&, const void*, int64_t, void*, int64_t, void*, int64_t);
void store_complex(const ReduceSink&, const void*, int64_t, void*, int64_t, void*, int64_t);

// The store function for the accumulators of sums and products of `dtype`.
ReduceSink::Store arithmetic_store(c10::ScalarType dtype);

} // namespace at::native

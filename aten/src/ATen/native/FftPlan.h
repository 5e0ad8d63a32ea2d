#pragma once
// Plans of discrete Fourier transforms: the passes of one length and their tables, made once per
// length and dtype and shared by all calls.

#include <ATen/native/DispatchStub.h>

#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace at::native {

// One pass of Stockham's method (Cochran et al., "What is the fast Fourier transform?", 1967).
struct FftPass {
  int radix;
  int64_t groups;  // the butterflies with different twiddle factors
  size_t twiddles; // where the (radix - 1) factors of each group begin, in `tables`
  size_t roots;    // where the roots of unity of the radix begin
};

// Tables that are loaded in whole registers, which cost twice as much across cache lines.
template <typename T>
struct FftTableAllocator {
  static constexpr auto kAlignment = std::align_val_t{64};
  using value_type = T;
  T* allocate(size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* table, size_t) { ::operator delete(table, kAlignment); }
  bool operator==(const FftTableAllocator&) const = default;
};

template <typename T>
struct FftPlan {
  using Table = std::vector<T, FftTableAllocator<T>>;

  int64_t length;
  std::vector<FftPass> passes;
  std::vector<T> tables; // complex numbers

  // A length with a large prime factor: a convolution with a chirp, of length `inner->length`
  // (Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
  // 1970).
  std::shared_ptr<const FftPlan> inner;
  std::vector<T> chirp;    // exp(-i pi j^2 / length)
  std::vector<T> spectrum; // the transform of its conjugate, divided by inner->length

  // A long transform as rows * columns shorter ones, whose results are turned by `between`:
  // exp(-2 pi i row column / length) for blocks of as many columns as a register has lanes, row by
  // row. First come the real, then the imaginary parts of a row. The last block may overlap the one
  // before it.
  std::shared_ptr<const FftPlan> columns, rows;
  Table between;

  // The same with eight columns, each of which a register holds. The factors of a row are eight
  // real parts and eight imaginary ones.
  std::shared_ptr<const FftPlan> eighths;
  Table eighth_turns;

  // For lengths side^2 that fit in registers: the factors exp(-2 pi i row lane / length) of rows 1
  // to side - 1. First come the real, then the imaginary parts of a row, repeated every side lanes.
  Table turns;
  static constexpr int64_t kTurns = 64 / sizeof(T); // as many as the widest register has lanes

  // The numbers of all blocks when so many columns divide a transform, twice the length if every
  // lane of them is used.
  int64_t divided_work(int64_t column_length, int64_t lanes) const {
    const auto whole = [&](int64_t count) { return (count + lanes - 1) / lanes * lanes; };
    const int64_t row_length = length / column_length;
    return whole(row_length) * column_length + whole(column_length) * row_length;
  }

  // The rows of a buffer that a transform needs.
  int64_t work() const { return inner ? inner->length : length; }
};

// Prime factors above this are not worth a pass of their own.
constexpr int kMaxRadix = 31;

template <typename T>
std::shared_ptr<const FftPlan<T>> fft_plan(int64_t length);

// exp(-2 pi i k / length) for k <= length / 2: what separates the halves of a real transform.
template <typename T>
std::shared_ptr<const std::vector<T>> fft_half_roots(int64_t length);

using FftDims = c10::SmallVector<int64_t, 6>;

enum class FftKind { ComplexToComplex, RealToComplex, ComplexToReal };

// A transform along one axis of a tensor. Strides and steps are in elements of the real dtype.
struct FftAxis {
  FftKind kind;
  bool inverse; // always for complex to real numbers, never for real to complex ones
  bool full;    // whether real numbers give all frequencies, not only those up to length / 2
  double scale;
  int64_t length; // the transform's; for half spectra, the length of the real side
  const void* in;
  void* out;
  int64_t in_step, out_step;
  FftDims sizes, in_strides, out_strides; // the other axes'
  bool is_double;
};

// Transforms one axis after another. The lines of each form `volumes` groups of equal size, one
// after another, and no line depends on lines of another group. CUDA supports no full spectra.
DECLARE_DISPATCH(void (*)(c10::ArrayRef<FftAxis> axes, int64_t volumes), fft_axes_stub);

} // namespace at::native

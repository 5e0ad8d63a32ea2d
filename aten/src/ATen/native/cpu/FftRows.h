#pragma once

#include <ATen/native/cpu/FftPasses.h>

#include <algorithm>

// Transforms of lines in lanes.

namespace at::native {
inline namespace CPU_CAPABILITY {

// Every `step`-th row of a buffer.
template <typename T>
struct FftSpacedRows {
  FftRows<T> rows;
  int64_t step;

  C10_ALWAYS_INLINE FftValue<T> load(int64_t row) const { return rows.load(row * step); }
  C10_ALWAYS_INLINE void store(int64_t row, FftValue<T> value) const {
    rows.store(row * step, value);
  }
};

// Rows that are turned by one lane of a plan's `between`, the same for all lines.
template <typename T>
struct FftColumnRows {
  FftRows<T> rows;
  const T* turns;

  C10_ALWAYS_INLINE FftValue<T> load(int64_t row) const {
    const T* const turn = turns + row * FftRows<T>::kStep;
    return times<T>(rows.load(row), splat(turn[0]), splat(turn[kLanes<T>]));
  }
};

// Whether a transform of lines in lanes is worth dividing: its buffers leave the nearest cache
// between many passes, and those of its rows do not.
template <typename T>
bool leaves_cache(const FftPlan<T>& plan) {
  constexpr int64_t kNear = 48 << 10, kRow = FftRows<T>::kStep * sizeof(T); // bytes
  return kManyRegisters && plan.columns && plan.passes.size() >= 4 &&
      2 * plan.length * kRow > kNear && 3 * plan.rows->length * kRow < kNear;
}

// Room for the rows of a column or of a row of such a transform.
template <typename T>
int64_t near_size(const FftPlan<T>& plan) {
  // There are at least as many rows as columns.
  return leaves_cache(plan) ? 2 * plan.rows->length * FftRows<T>::kStep : 0;
}

// Transforms x in two steps, as transform_long does a line. Each step reads and writes memory once,
// however many passes it has. The result is in x again.
template <typename T>
void run_far_rows(const FftPlan<T>& plan, FftRows<T> x, FftRows<T> y, T* near) {
  constexpr int64_t L = kLanes<T>, kStep = FftRows<T>::kStep;
  const int64_t columns = plan.columns->length, rows = plan.rows->length;
  const FftRows<T> a{near}, b{near + rows * kStep};
  for (int64_t j = 0; j < rows; ++j) {
    run_passes(
        *plan.columns, FftSpacedRows<T>{x.start + j * kStep, rows},
        FftSpacedRows<T>{y.start + j * kStep, rows}, a, b);
  }
  for (int64_t k = 0; k < columns; ++k) {
    const int64_t block = k / L, lane = k - std::min(block * L, columns - L);
    const FftColumnRows<T> from{
        {y.start + k * rows * kStep}, plan.between.data() + block * rows * kStep + lane};
    run_passes(*plan.rows, from, FftSpacedRows<T>{x.start + k * kStep, columns}, a, b);
  }
}

// x[j] *= factors[j] for complex factors, after which parts may be exchanged
template <typename T>
void multiply_rows(FftRows<T> x, const T* factors, int64_t count, bool exchange) {
  for (int64_t j = 0; j < count; ++j) {
    x.store(j, exchanged_if(exchange, times(x.load(j), factors + 2 * j)));
  }
}

// All passes of a plan from x to one of the buffers, which is returned.
template <typename T>
FftRows<T> run_rows(const FftPlan<T>& plan, FftRows<T> x, FftRows<T> y, [[maybe_unused]] T* near) {
  if constexpr (kManyRegisters) { // narrower registers have smaller buffers
    if (near != nullptr && leaves_cache(plan)) {
      run_far_rows(plan, x, y, near);
      return x;
    }
  }
  return plan.passes.empty() ? x : run_passes(plan, plan.passes.size(), x, y, x);
}

// The forward transform of the rows x; y is a second buffer. Returns the one with the result.
// `near` has room of near_size() or is null.
template <typename T>
FftRows<T> transform_rows(const FftPlan<T>& plan, FftRows<T> x, FftRows<T> y, T* near = nullptr) {
  if (!plan.inner) {
    return run_rows(plan, x, y, near);
  }
  const FftPlan<T>& inner = *plan.inner;
  multiply_rows(x, plan.chirp.data(), plan.length, false);
  for (int64_t j = plan.length; j < inner.length; ++j) {
    x.store(j, FftValue<T>{});
  }
  FftRows<T> z = run_rows(inner, x, y, near);
  multiply_rows(z, plan.spectrum.data(), inner.length, true);
  z = run_rows(inner, z, z.start == x.start ? y : x, near);
  for (int64_t j = 0; j < plan.length; ++j) {
    z.store(j, times(exchanged_if(true, z.load(j)), plan.chirp.data() + 2 * j));
  }
  return z;
}

} // namespace CPU_CAPABILITY
} // namespace at::native

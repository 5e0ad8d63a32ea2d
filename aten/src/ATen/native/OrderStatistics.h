#pragma once

// Choosing one element of each row by its place in sorted order, on devices other than the CPU.

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

enum class OrderStatistic : uint8_t {
  Kth,       // the element that sorting would put at place k
  Median,    // the lower of two; the first NaN if there is one
  NanMedian, // without NaN, unless there is nothing else
  Mode,      // the most frequent element, the least one of several, at its last position
};

// `rows` is contiguous, and its last dimension is a row; it has an element in each of the flat
// results.
using order_statistic_fn = void (*)(
    OrderStatistic which, int64_t k, const Tensor& rows, const Tensor& values,
    const Tensor& indices);
DECLARE_DISPATCH(order_statistic_fn, order_statistic_stub);

} // namespace at::native

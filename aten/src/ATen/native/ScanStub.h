#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

enum class Scan : uint8_t { Sum, Product, LogSumExp };

// Running results along the middle dimension of contiguous [rows, n, inner]. Returns false for an
// unsupported dtype.
using scan_fn = bool (*)(
    c10::ScalarType dtype, Scan scan, const void* in, void* out, int64_t rows, int64_t n,
    int64_t inner);
DECLARE_DISPATCH(scan_fn, scan_stub);

// The largest, or smallest, elements so far along the middle dimension, and their indices. Of equal
// elements the last one counts; a NaN counts more than any number.
using extreme_scan_fn = bool (*)(
    c10::ScalarType dtype, bool is_max, const void* in, void* values, int64_t* indices,
    int64_t rows, int64_t n, int64_t inner);
DECLARE_DISPATCH(extreme_scan_fn, extreme_scan_stub);

} // namespace at::native

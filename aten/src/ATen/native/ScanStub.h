#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// Running sums, or products, along the middle dimension of contiguous [rows, n, inner]. Returns
// false for an unsupported dtype.
using scan_fn = bool (*)(
    c10::ScalarType dtype, bool is_sum, const void* in, void* out, int64_t rows, int64_t n,
    int64_t inner);
DECLARE_DISPATCH(scan_fn, scan_stub);

} // namespace at::native

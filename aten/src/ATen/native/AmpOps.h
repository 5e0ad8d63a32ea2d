#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

// Multiplies `count` elements by `factor` and returns whether one was infinite or NaN before.
using amp_unscale_fn = bool (*)(void* data, int64_t count, c10::ScalarType dtype, float factor);
DECLARE_DISPATCH(amp_unscale_fn, amp_unscale_stub);

} // namespace at::native

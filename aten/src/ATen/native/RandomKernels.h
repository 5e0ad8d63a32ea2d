#pragma once

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

// The Box-Muller method in place: every 16 uniform numbers of `data` (float or double) become 16
// normal ones; numbers i and i + 8 of a block form a pair.
using box_muller_fn = void (*)(void* data, int64_t blocks, double mean, double std, bool is_double);

DECLARE_DISPATCH(box_muller_fn, box_muller_stub);

} // namespace at::native

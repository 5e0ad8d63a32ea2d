#pragma once

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

// Repeats the 16 bytes at `pattern` over `bytes` bytes; the last copy may be truncated.
using fill_pattern_fn = void (*)(void* out, int64_t bytes, const void* pattern);

DECLARE_DISPATCH(fill_pattern_fn, fill_pattern_stub);

} // namespace at::native

#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

struct Pool1d {
  int64_t in, out, kernel, stride, pad, dilation;
};

// Planes of [h.in, w.in], row-major; indices count within a plane.
struct MaxPoolJob {
  const void* in;
  void* out;
  int64_t* indices;
  int64_t planes;
  Pool1d h, w;
};

// False for an unsupported dtype.
using max_pool_fn = bool (*)(c10::ScalarType dtype, const MaxPoolJob& job);
DECLARE_DISPATCH(max_pool_fn, max_pool2d_stub);

} // namespace at::native

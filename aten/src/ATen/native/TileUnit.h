#pragma once

#include <c10/macros/Export.h>

namespace at::native {

// Whether the processor multiplies tiles of bfloat16 and of bytes (Intel's AMX), Linux lets this
// process use them, and neither ATEN_CPU_CAPABILITY nor torch.backends.mkldnn.enabled refuses it.
TORCH_API bool has_tile_unit();

} // namespace at::native

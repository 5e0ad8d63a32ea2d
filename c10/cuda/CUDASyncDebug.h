#pragma once

// Reports calls that make the host wait for a stream, which torch.cuda.set_sync_debug_mode asks
// for. They are easily overlooked: item(), nonzero(), a copy to pageable memory.

#include <c10/macros/Export.h>

#include <cstdint>

namespace c10::cuda {

enum class SyncDebugMode : uint8_t { Default, Warn, Error };

C10_CUDA_API SyncDebugMode sync_debug_mode();
C10_CUDA_API void set_sync_debug_mode(SyncDebugMode mode);

// Warns or throws, as the mode says; called before the host waits.
C10_CUDA_API void report_sync();

} // namespace c10::cuda

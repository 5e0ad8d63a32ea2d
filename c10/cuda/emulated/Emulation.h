#pragma once

// What tests and allocators can ask of the emulated device beyond the CUDA runtime's API.

#include <c10/cuda/emulated/Settings.h>
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace cuda_emulation {

// Starts over with another machine: no streams, no memory, no errors. For tests of the emulator
// itself; handles and pointers from before are invalid.
C10_API void reset(const Settings& settings = {});
C10_API const Settings& settings();

// What was last found wrong with a kernel or a copy; it went to standard error as well.
C10_API std::string last_report();

// An allocator that hands out parts of larger blocks reports each part, in the order of the stream
// that the part belongs to. Between free and allocate the part is closed to kernels and holds 0xFF,
// so that a stream that still uses it, because record_stream or an event is missing, is found out.
C10_API void annotate_allocation(void* part, size_t bytes, cudaStream_t stream);
C10_API void annotate_free(void* part, size_t bytes, cudaStream_t stream);

// One line for every block that cudaMalloc gave out and every annotated part that nobody freed. A
// block that contains annotated parts belongs to an allocator's cache and is no leak.
C10_API std::vector<std::string> leaks();

} // namespace cuda_emulation

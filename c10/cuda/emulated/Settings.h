#pragma once

#include <c10/macros/Export.h>

#include <cstddef>
#include <cstdint>

namespace cuda_emulation {

// What the emulated machine has, and which of its calls fail. Each field is read from an
// environment variable once, before the first call of the runtime; a value that is not a number in
// the variable's range ends the process, since a device that is silently not the one asked for
// would make a test pass for the wrong reason.
struct Settings {
  int devices = 2;                   // CUDA_EMULATION_DEVICES, 0 to 16
  size_t memory = size_t{256} << 20; // CUDA_EMULATION_MEMORY_MB, per device
  int capability = 90;               // CUDA_EMULATION_CAPABILITY, 90 for 9.0
  int threads = 0;                   // CUDA_EMULATION_THREADS, 0 for the cores of the machine
  uint64_t seed = 0;                 // CUDA_EMULATION_SEED, of the order of streams and threads
  bool check_order = true;           // CUDA_EMULATION_CHECK_ORDER
  bool launch_blocking = false;      // CUDA_LAUNCH_BLOCKING, which is CUDA's own
  bool check_leaks = false;          // CUDA_EMULATION_CHECK_LEAKS, when the process exits
  bool virtual_memory = true;        // CUDA_EMULATION_VIRTUAL_MEMORY: the driver maps memory
  // Injected failures, counted from 1; 0 for none.
  int64_t fail_allocation = 0; // CUDA_EMULATION_FAIL_ALLOCATION: this cudaMalloc has no memory
  int64_t fail_launch = 0;     // CUDA_EMULATION_FAIL_LAUNCH: this kernel fails when it runs
  int64_t lose_device = 0;     // CUDA_EMULATION_LOSE_DEVICE: at this call of the runtime
};

Settings settings_from_environment();

} // namespace cuda_emulation

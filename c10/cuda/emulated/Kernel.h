#pragma once

#include <c10/cuda/emulated/BlockRunner.h>
#include <c10/cuda/emulated/Memory.h>

#include <string>
#include <vector>

namespace cuda_emulation {

// Runs a kernel to its end. `reachable` is the memory of its device and of the peers that the
// device may access. Returns what the kernel did wrong, or nothing.
//
// With `check_order`, a kernel runs twice, the second time from the same memory with its threads
// and blocks in the opposite order and other bytes in fresh shared memory, and both runs must leave
// the same bytes: with a missing barrier or a race between blocks they do not. To know what to
// compare, the memory is opened for reading only; the first write to a page faults, and the handler
// saves the page and opens it. That costs some microseconds per page written, and nothing for what
// is only read. (Comparing copies of the whole memory would cost time in proportion to what is
// allocated.) A kernel whose result may depend on the order says so: C10_ORDER_DEPENDENT, and every
// atomic that exchanges or adds fractions.
std::string run_kernel(
    Execution& execution, const std::vector<DeviceMemory*>& reachable, int host_threads,
    bool check_order);

// From now on, a fault at an address of this memory is reported: in a kernel as that kernel's
// failure, in host code by a message before the process dies of it.
void watch(DeviceMemory& memory);
void unwatch(DeviceMemory& memory);
// Takes the signal back if another library replaced the handler.
void install_fault_handler();

// The kernel's name for messages: its symbol, also when the program does not export it.
std::string kernel_name(const void* code);

} // namespace cuda_emulation

#pragma once

#include <c10/core/Allocator.h>

#include <atomic>

// The CPU's entry in the allocator table, for tensor creation inside this library.
namespace c10::impl {

C10_HIDDEN extern std::atomic<Allocator*> cpu_allocator;
C10_HIDDEN extern Allocator* const default_cpu_allocator_address;
inline Allocator& default_cpu_allocator() {
  return *default_cpu_allocator_address;
}

} // namespace c10::impl

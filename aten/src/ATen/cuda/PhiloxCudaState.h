#pragma once

#include <cstdint>

namespace at {

// What a kernel needs to draw random numbers. Outside a captured graph these are the values
// themselves. In one, seed and offset are read from device memory when the graph runs, so that
// every replay draws other numbers; `offset_intragraph` is what the graph had drawn before this
// kernel.
struct PhiloxCudaState {
  PhiloxCudaState() = default;
  PhiloxCudaState(uint64_t seed, uint64_t offset) {
    seed_.val = seed;
    offset_.val = offset;
  }
  PhiloxCudaState(int64_t* seed, int64_t* offset, uint64_t offset_intragraph) {
    seed_.ptr = seed;
    offset_.ptr = offset;
    offset_intragraph_ = offset_intragraph;
    captured_ = true;
  }

  union Payload {
    uint64_t val;
    int64_t* ptr;
  };
  Payload seed_{};
  Payload offset_{};
  uint64_t offset_intragraph_ = 0;
  bool captured_ = false;
};

} // namespace at

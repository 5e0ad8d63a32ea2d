#pragma once

// Alignments of connectionist temporal classification, for all devices.

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>
#include <c10/macros/Macros.h>
#include <c10/util/ArrayRef.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace at::native {

// Log probabilities [time][batch][class], contiguous. State s of an alignment is label s / 2 if s
// is odd, else the blank before or after it.
struct CtcAlignments {
  int64_t time, batch, classes, states, blank;
  const int64_t* targets;      // in the device's memory
  std::vector<int64_t> starts; // where each batch element's labels begin
  c10::IntArrayRef input_lengths, target_lengths;

  int64_t label(int64_t b, int64_t s) const {
    return s % 2 == 0 ? blank : targets[starts[b] + s / 2];
  }
  int64_t states_of(int64_t b) const { return 2 * target_lengths[b] + 1; }
};

// Kernels over contiguous floats or doubles; alpha, [batch][time][state], holds -infinity.
DECLARE_DISPATCH(
    void (*)(ScalarType, const CtcAlignments&, const void* probs, void* alpha, void* losses),
    ctc_loss_stub);
struct CtcGradient {
  const void *probs, *alpha, *losses, *upstream;
  void* out; // holds zeros
  bool zero_infinity;
};
DECLARE_DISPATCH(
    void (*)(ScalarType, const CtcAlignments&, const CtcGradient&), ctc_loss_backward_stub);

namespace ctc {

template <typename T>
constexpr T kNever = -std::numeric_limits<T>::infinity();

template <typename T>
C10_HOST_DEVICE inline T log_add(T x, T y) {
  const T most = x < y ? y : x;
  return most == kNever<T> ? most : most + std::log(std::exp(x - most) + std::exp(y - most));
}

} // namespace ctc
} // namespace at::native

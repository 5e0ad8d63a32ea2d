#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

// One step of an LSTM over [batch, width] arrays of float or double with adjacent rows. Gates are
// [batch, 4, width] in the order input, forget, cell, output.
struct LstmStep {
  int64_t batch;
  int64_t width;
  void* gates; // sums before the step, activated gates after it
  const void* previous_cell;
  void* cell;
  void* hidden;
};
DECLARE_DISPATCH(void (*)(c10::ScalarType, const LstmStep&), lstm_step_stub);

// Overwrites `gates` with the gradients of the sums. `grad_hidden` holds the gradient from later
// steps; `grad_output`, the gradient of this step's output, may be null. `grad_cell` is updated for
// the preceding step.
struct LstmStepBackward {
  int64_t batch;
  int64_t width;
  void* gates;
  const void* previous_cell;
  const void* cell;
  const void* grad_output;
  const void* grad_hidden;
  void* grad_cell;
};
DECLARE_DISPATCH(void (*)(c10::ScalarType, const LstmStepBackward&), lstm_step_backward_stub);

} // namespace at::native

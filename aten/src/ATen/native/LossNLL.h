#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>

namespace at::native {

// The inputs as arrays: element (row, class, place) of the input is at
// (row * classes + class) * places + place; places is 1 except for images.
struct NllLayout {
  int64_t rows;
  int64_t classes;
  int64_t places;
};

// All tensors are contiguous; targets are bytes or int64; `weight` may be undefined.
struct NllJob {
  NllLayout layout;
  Tensor input, target, weight, output, total_weight;
  bool each; // one output per target; otherwise their sum, or with `mean` the weighted mean
  bool mean;
  int64_t ignore_index;
};
DECLARE_DISPATCH(void (*)(const NllJob&), nll_forward_stub);

// `out` is zero.
struct NllBackwardJob {
  NllLayout layout;
  Tensor grad, target, weight, total_weight, out;
  bool each, mean;
  int64_t ignore_index;
};
DECLARE_DISPATCH(void (*)(const NllBackwardJob&), nll_backward_stub);

} // namespace at::native

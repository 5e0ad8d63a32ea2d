#pragma once

#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>

namespace at::native {

inline Tensor apply_loss_reduction(const Tensor& loss, int64_t reduction) {
  return reduction == Reduction::Mean ? loss.mean()
      : reduction == Reduction::Sum   ? loss.sum()
                                      : loss;
}

} // namespace at::native

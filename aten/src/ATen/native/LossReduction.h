#pragma once

#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>

namespace at::native {

inline Tensor apply_loss_reduction(const Tensor& loss, int64_t reduction) {
  return reduction == Reduction::Mean ? at::mean(loss)
      : reduction == Reduction::Sum   ? at::sum(loss)
                                      : loss;
}

} // namespace at::native

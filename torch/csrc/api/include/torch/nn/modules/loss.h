#pragma once

#include <torch/nn/functional.h>
#include <torch/nn/module.h>

namespace torch::nn {

// A loss as a module, with the mean of its elements.
#define TORCH_NN_LOSS_MODULE(Name, function)                                                      \
  class Name##Impl : public Module {                                                              \
   public:                                                                                        \
    Name##Impl() : Module("torch::nn::" #Name) {}                                                 \
    Tensor forward(const Tensor& input, const Tensor& target) { return function(input, target); } \
  };                                                                                              \
  TORCH_MODULE(Name)

TORCH_NN_LOSS_MODULE(MSELoss, torch::mse_loss);
TORCH_NN_LOSS_MODULE(L1Loss, torch::l1_loss);
TORCH_NN_LOSS_MODULE(SmoothL1Loss, torch::smooth_l1_loss);
TORCH_NN_LOSS_MODULE(NLLLoss, torch::nll_loss_nd);
TORCH_NN_LOSS_MODULE(CrossEntropyLoss, torch::cross_entropy_loss);
TORCH_NN_LOSS_MODULE(BCELoss, torch::binary_cross_entropy);
TORCH_NN_LOSS_MODULE(BCEWithLogitsLoss, torch::binary_cross_entropy_with_logits);
#undef TORCH_NN_LOSS_MODULE

} // namespace torch::nn

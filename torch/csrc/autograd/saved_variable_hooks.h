#pragma once

#include <ATen/core/Tensor.h>

namespace torch::autograd {

// Keeps a saved tensor in another form until backward: packs it and restores it.
struct TORCH_API SavedVariableHooks {
  virtual ~SavedVariableHooks();
  virtual void call_pack_hook(const at::Tensor& tensor) = 0;
  virtual at::Tensor call_unpack_hook() = 0;
};

} // namespace torch::autograd

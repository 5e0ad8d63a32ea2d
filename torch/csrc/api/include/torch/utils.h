#pragma once

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/grad_mode.h>

namespace torch {

using at::get_num_threads;
using at::manual_seed;
using at::set_num_threads;

// No gradients are recorded while it lives.
class NoGradGuard : public c10::AutoGradMode {
 public:
  NoGradGuard() : c10::AutoGradMode(false) {}
};
using AutoGradMode = c10::AutoGradMode;

namespace cuda {

inline size_t device_count() {
  return static_cast<size_t>(at::detail::getCUDAHooks().getNumGPUs());
}
inline bool is_available() {
  return device_count() > 0;
}

} // namespace cuda
} // namespace torch

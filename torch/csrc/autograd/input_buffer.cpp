#include <torch/csrc/autograd/input_buffer.h>

#include <ATen/ops/add.h>
#include <c10/core/GradMode.h>

namespace torch::autograd {

namespace {

// A subclass may wrap memory that others use too, and its sum with a plain tensor is a subclass.
bool may_write(const Variable& to, const Variable& other) {
  return to.use_count() == 1 && !to.unsafeGetTensorImpl()->is_python_dispatch() &&
      !other.unsafeGetTensorImpl()->is_python_dispatch() && to.has_storage() &&
      to.storage().use_count() == 1 && to.is_non_overlapping_and_dense() && !to.requires_grad() &&
      !to.is_conj() && !to.is_neg() && to.scalar_type() == other.scalar_type() &&
      to.device() == other.device() && to.sizes() == other.sizes();
}

} // namespace

Variable InputBuffer::accumulate(Variable&& sum, Variable&& var) {
  if (!c10::GradMode::is_enabled()) {
    if (may_write(sum, var)) {
      return at::methods::add_(sum, var);
    }
    if (may_write(var, sum)) {
      return at::methods::add_(var, sum);
    }
  }
  return at::add(sum, var);
}

} // namespace torch::autograd

// Handwritten autograd kernels, for operators that no derivative formula describes.

#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/functions/tensor.h>

#include <ATen/core/dispatch/KernelTable.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/detach_ops.h>
#include <ATen/ops/resize_ops.h>

namespace torch::autograd {

namespace {

using at::Tensor;
using c10::DispatchKeySet;

// ---- Autograd

Tensor& copy_recorded(DispatchKeySet keys, Tensor& self, const Tensor& source, bool non_blocking) {
  const bool requires_grad =
      compute_requires_grad(self, source) && isDifferentiableType(self.scalar_type());
  check_inplace(self, requires_grad);
  c10::intrusive_ptr<CopyBackwards> grad_fn;
  if (requires_grad) {
    grad_fn = make_node<CopyBackwards>(self, source);
    grad_fn->src_options = source.options();
  }
  {
    const at::AutoDispatchBelowAutograd below;
    at::_ops::copy_::redispatch(keys & c10::after_autograd_keyset, self, source, non_blocking);
  }
  rebase_history(self, std::move(grad_fn));
  return self;
}

const Tensor& resize_recorded(
    DispatchKeySet keys, const Tensor& self, at::IntArrayRef size,
    std::optional<at::MemoryFormat> memory_format) {
  TORCH_CHECK(!self.requires_grad(), "cannot resize variables that require grad");
  const at::AutoDispatchBelowAutograd below;
  return at::_ops::resize_::redispatch(
      keys & c10::after_autograd_keyset, self, size, memory_format);
}

Tensor& detach_recorded(DispatchKeySet, Tensor& self) {
  TORCH_CHECK(
      !self.is_view(),
      "Can't detach views in-place. Use detach() instead. If you are using "
      "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
      "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
      "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
      "torch/optim/optimizer.py as the solution.");
  AutogradMeta* meta = impl::materialize_autograd_meta(self);
  meta->requires_grad_ = false;
  meta->set_gradient_edge(self.unsafeGetTensorImpl(), {});
  return self;
}

// ---- ADInplaceOrView

Tensor& copy_counted(DispatchKeySet keys, Tensor& self, const Tensor& source, bool non_blocking) {
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    at::_ops::copy_::redispatch(
        keys & c10::after_ADInplaceOrView_keyset, self, source, non_blocking);
  }
  increment_version(self);
  return self;
}

const Tensor& resize_counted(
    DispatchKeySet keys, const Tensor& self, at::IntArrayRef size,
    std::optional<at::MemoryFormat> memory_format) {
  const bool same = self.sizes() == size;
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    at::_ops::resize_::redispatch(
        keys & c10::after_ADInplaceOrView_keyset, self, size, memory_format);
  }
  if (!same) increment_version(self);
  return self;
}

Tensor detach_counted(DispatchKeySet keys, const Tensor& self) {
  const at::AutoDispatchBelowADInplaceOrView below;
  return as_view(
      self, at::_ops::detach::redispatch(keys & c10::after_ADInplaceOrView_keyset, self),
      /*is_bw_differentiable=*/false, /*is_fw_differentiable=*/false);
}

template <typename F>
c10::KernelRow row(c10::OperatorEntry& entry, c10::DispatchKey key, F* kernel) {
  return {&entry, key, reinterpret_cast<c10::KernelPtr>(kernel)};
}

c10::KernelRow rows[] = {
    row(at::_ops::copy_::entry, c10::DispatchKey::Autograd, &copy_recorded),
    row(at::_ops::copy_::entry, c10::DispatchKey::ADInplaceOrView, &copy_counted),
    row(at::_ops::detach::entry, c10::DispatchKey::ADInplaceOrView, &detach_counted),
    row(at::_ops::detach_::entry, c10::DispatchKey::Autograd, &detach_recorded),
    row(at::_ops::resize_::entry, c10::DispatchKey::Autograd, &resize_recorded),
    row(at::_ops::resize_::entry, c10::DispatchKey::ADInplaceOrView, &resize_counted),
};
const c10::KernelTable table(rows);

} // namespace

} // namespace torch::autograd

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/LossNLL.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/nll_loss2d_backward_native.h>
#include <ATen/ops/nll_loss_backward_meta.h>
#include <ATen/ops/nll_loss_backward_native.h>
#include <ATen/ops/zero.h>

// For each target the loss reads one element of the input. The gradient of that element is
// -weight[target], divided by the total weight for "mean"; all other gradients are 0.

namespace at::meta {

TORCH_META_FUNC(nll_loss_backward)
(const Tensor& grad_output, const Tensor& self, const Tensor& target, OptionalTensorRef weight,
 int64_t reduction, int64_t /*ignore_index*/, const Tensor& total_weight) {
  TORCH_CHECK(self.dim() > 0 && self.dim() <= 2, "input tensor should be 1D or 2D");
  TORCH_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  const bool no_batch = self.dim() == 1 && target.dim() == 0;
  TORCH_CHECK(
      no_batch || self.size(0) == target.size(0), "size mismatch (got input: ", self.sizes(),
      ", target: ", target.sizes(), ")");
  TORCH_CHECK(
      total_weight.numel() == 1,
      "expected total_weight to be a single element tensor, got: ", total_weight.sizes(), " (",
      total_weight.numel(), " elements)");
  TORCH_CHECK(
      !weight.has_value() || weight->numel() == self.size(-1),
      "weight tensor should be defined either for all or no classes");
  const bool each = reduction == Reduction::None && self.dim() == 2;
  TORCH_CHECK(
      each ? grad_output.dim() == 1 && grad_output.size(0) == self.size(0)
           : grad_output.dim() <= 1 && grad_output.numel() == 1,
      "Expected a single element grad_output tensor, but got: ", grad_output.sizes());
  set_output_raw_strided(0, self.sizes(), {}, self.options());
}

} // namespace at::meta

namespace at::native {

DEFINE_DISPATCH(nll_backward_stub);

namespace {

template <typename scalar_t, typename target_t>
void spread(
    const scalar_t* grad, bool each, const target_t* target, const scalar_t* weight, double scale,
    scalar_t* out, NllLayout n, int64_t ignore_index) {
  at::parallel_for(0, n.rows * n.places, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const target_t t = target[i];
      if (t == ignore_index) {
        continue;
      }
      TORCH_CHECK_INDEX(
          t >= 0 && t < n.classes, "Target ", static_cast<int64_t>(t), " is out of bounds.");
      const double factor = weight ? scale * static_cast<double>(weight[t]) : scale;
      const int64_t at = (i / n.places * n.classes + t) * n.places + i % n.places;
      out[at] = static_cast<scalar_t>(-static_cast<double>(grad[each ? i : 0]) * factor);
    }
  });
}

template <typename scalar_t, typename target_t>
void spread_run(const NllBackwardJob& job) {
  const scalar_t* w = job.weight.defined() ? job.weight.const_data_ptr<scalar_t>() : nullptr;
  const double scale =
      job.mean ? 1 / static_cast<double>(*job.total_weight.const_data_ptr<scalar_t>()) : 1;
  spread(
      job.grad.const_data_ptr<scalar_t>(), job.each, job.target.const_data_ptr<target_t>(), w,
      scale, job.out.mutable_data_ptr<scalar_t>(), job.layout, job.ignore_index);
}

void nll_backward_on_cpu(const NllBackwardJob& job) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kBFloat16, kHalf, job.out.scalar_type(), "nll_loss_backward_out_frame", [&] {
        job.target.scalar_type() == kByte ? spread_run<scalar_t, uint8_t>(job)
                                          : spread_run<scalar_t, int64_t>(job);
      });
}

void nll_backward(
    const Tensor& grad_output, const Tensor& target, const Tensor& weight,
    const Tensor& total_weight, const Tensor& grad_input, bool each, bool mean, NllLayout n,
    int64_t ignore_index) {
  const Tensor out = grad_input.is_contiguous() ? grad_input : grad_input.contiguous();
  const AutoDispatchBelowADInplaceOrView uncounted;
  at::methods::zero_(out);
  if (n.rows * n.places > 0) {
    const Tensor grad = grad_output.contiguous();
    const Tensor targets = target.contiguous();
    const Tensor factors = weight.defined() ? weight.contiguous() : weight;
    TORCH_CHECK(
        targets.scalar_type() == kLong || targets.scalar_type() == kByte,
        "expected scalar type Long but found ", targets.scalar_type());
    nll_backward_stub(
        out.device().type(),
        NllBackwardJob{n, grad, targets, factors, total_weight, out, each, mean, ignore_index});
  }
  if (!out.is_same(grad_input)) {
    at::methods::copy_(grad_input, out);
  }
}

void check_images(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, const Tensor& weight,
    int64_t reduction) {
  TORCH_CHECK(
      target.dim() == 3,
      "only batches of spatial targets supported (3D tensors) but got targets of dimension: ",
      target.dim());
  TORCH_CHECK(
      self.dim() == 4,
      "only batches of spatial inputs supported (4D tensors), but got input of dimension: ",
      self.dim());
  TORCH_CHECK(
      self.size(0) == target.size(0) && self.size(2) == target.size(1) &&
          self.size(3) == target.size(2),
      "size mismatch (got input: ", self.sizes(), " , target: ", target.sizes());
  TORCH_CHECK(
      !weight.defined() || weight.numel() == self.size(1),
      "weight tensor should be defined either for all or no classes");
  TORCH_CHECK(
      reduction != Reduction::None || grad_output.sizes() == target.sizes(),
      "grad_output must have the shape of target, ", target.sizes(), ", but has ",
      grad_output.sizes());
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(nll_backward_stub, &nll_backward_on_cpu)

TORCH_IMPL_FUNC(nll_loss_backward_out_cpu)
(const Tensor& grad_output, const Tensor& self, const Tensor& target, OptionalTensorRef weight,
 int64_t reduction, int64_t ignore_index, const Tensor& total_weight, const Tensor& grad_input) {
  const NllLayout n{target.numel(), self.size(-1), 1};
  const bool each = reduction == Reduction::None && self.dim() == 2;
  nll_backward(
      grad_output, target, weight.has_value() ? *weight : Tensor(), total_weight, grad_input, each,
      reduction == Reduction::Mean, n, ignore_index);
}

Tensor& nll_loss2d_backward_out_cpu(
    const Tensor& grad_output, const Tensor& self, const Tensor& target,
    const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index,
    const Tensor& total_weight, Tensor& grad_input) {
  const Tensor factors = weight.value_or(Tensor());
  check_images(grad_output, self, target, factors, reduction);
  resize_output(grad_input, self.sizes());
  const NllLayout n{self.size(0), self.size(1), self.size(2) * self.size(3)};
  nll_backward(
      grad_output, target, factors, total_weight, grad_input, reduction == Reduction::None,
      reduction == Reduction::Mean, n, ignore_index);
  return grad_input;
}

Tensor nll_loss2d_backward_cpu(
    const Tensor& grad_output, const Tensor& self, const Tensor& target,
    const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index,
    const Tensor& total_weight) {
  Tensor grad_input = at::empty(self.sizes(), self.options());
  nll_loss2d_backward_out_cpu(
      grad_output, self, target, weight, reduction, ignore_index, total_weight, grad_input);
  return grad_input;
}

Tensor nll_loss2d_backward_meta(
    const Tensor& grad_output, const Tensor& self, const Tensor& target,
    const std::optional<Tensor>& weight, int64_t reduction, int64_t /*ignore_index*/,
    const Tensor& /*total_weight*/) {
  check_images(grad_output, self, target, weight.value_or(Tensor()), reduction);
  return at::empty(self.sizes(), self.options());
}

} // namespace at::native

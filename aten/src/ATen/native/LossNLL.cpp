#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/native/LossNLL.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/nll_loss2d.h>
#include <ATen/ops/nll_loss2d_forward.h>
#include <ATen/ops/nll_loss2d_forward_native.h>
#include <ATen/ops/nll_loss2d_native.h>
#include <ATen/ops/nll_loss_forward.h>
#include <ATen/ops/nll_loss_forward_native.h>
#include <ATen/ops/nll_loss_native.h>
#include <ATen/ops/nll_loss_nd_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/unsqueeze.h>

// Negative log likelihood: loss[i] = -weight[target[i]] * input[i, target[i]], and 0 where
// target[i] is ignore_index; "mean" divides by the sum of the weights that were used.

namespace at::meta {

TORCH_META_FUNC(nll_loss_forward)
(const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction,
 int64_t /*ignore_index*/) {
  TORCH_CHECK(self.dim() > 0 && self.dim() <= 2, "input tensor should be 1D or 2D");
  TORCH_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  const bool no_batch = self.dim() == 1 && target.dim() == 0;
  TORCH_CHECK(
      no_batch || self.size(0) == target.size(0), "size mismatch (got input: ", self.sizes(),
      ", target: ", target.sizes(), ")");
  const int64_t classes = self.size(-1);
  TORCH_CHECK(
      !weight.has_value() || (weight->dim() == 1 && weight->numel() == classes),
      "weight tensor should be defined either for all ", classes,
      " classes or no classes but got weight tensor of shape: ",
      weight.has_value() ? weight->sizes() : IntArrayRef());
  if (reduction == Reduction::None && self.dim() == 2) {
    set_output_contiguous(0, {self.size(0)}, self.options());
  } else {
    set_output_contiguous(0, {}, self.options());
  }
  set_output_contiguous(1, {}, self.options());
}

} // namespace at::meta

namespace at::native {

DEFINE_DISPATCH(nll_forward_stub);

namespace {

template <typename target_t>
void check_target(target_t target, int64_t classes) {
  TORCH_CHECK_INDEX(
      target >= 0 && target < classes, "Target ", static_cast<int64_t>(target),
      " is out of bounds.");
}

template <typename scalar_t, typename target_t>
void nll_each(
    const scalar_t* input, const target_t* target, const scalar_t* weight, scalar_t* output,
    NllLayout n, int64_t ignore_index) {
  at::parallel_for(0, n.rows * n.places, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const target_t t = target[i];
      if (t == ignore_index) {
        output[i] = scalar_t(0);
        continue;
      }
      check_target(t, n.classes);
      const int64_t at = (i / n.places * n.classes + t) * n.places + i % n.places;
      output[i] = -input[at] * (weight ? weight[t] : scalar_t(1));
    }
  });
}

template <typename scalar_t, typename target_t>
void nll_total(
    const scalar_t* input, const target_t* target, const scalar_t* weight, scalar_t* output,
    scalar_t* total_weight, NllLayout n, bool mean, int64_t ignore_index) {
  // Sums are kept in double, so that their order does not affect the result.
  double loss = 0;
  double weights = 0;
  for (int64_t i = 0; i < n.rows * n.places; ++i) {
    const target_t t = target[i];
    if (t == ignore_index) {
      continue;
    }
    check_target(t, n.classes);
    const int64_t at = (i / n.places * n.classes + t) * n.places + i % n.places;
    const double factor = weight ? static_cast<double>(weight[t]) : 1.0;
    loss -= static_cast<double>(input[at]) * factor;
    weights += factor;
  }
  *output = static_cast<scalar_t>(mean ? loss / weights : loss);
  *total_weight = static_cast<scalar_t>(weights);
}

template <typename scalar_t, typename target_t>
void nll_run(const NllJob& job) {
  const auto* in = job.input.const_data_ptr<scalar_t>();
  const auto* targets = job.target.const_data_ptr<target_t>();
  const scalar_t* w = job.weight.defined() ? job.weight.const_data_ptr<scalar_t>() : nullptr;
  auto* total = job.total_weight.mutable_data_ptr<scalar_t>();
  auto* out = job.output.mutable_data_ptr<scalar_t>();
  if (job.each) {
    *total = scalar_t(0);
    nll_each(in, targets, w, out, job.layout, job.ignore_index);
  } else {
    nll_total(in, targets, w, out, total, job.layout, job.mean, job.ignore_index);
  }
}

void nll_forward_on_cpu(const NllJob& job) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kBFloat16, kHalf, job.input.scalar_type(), "nll_loss_out_frame", [&] {
        job.target.scalar_type() == kByte ? nll_run<scalar_t, uint8_t>(job)
                                          : nll_run<scalar_t, int64_t>(job);
      });
}

void nll_forward(
    const Tensor& self, const Tensor& target, const Tensor& weight, const Tensor& output,
    const Tensor& total_weight, NllLayout n, int64_t reduction, int64_t ignore_index) {
  TORCH_CHECK(
      !weight.defined() || weight.scalar_type() == self.scalar_type(), "expected scalar type ",
      self.scalar_type(), " but found ", weight.scalar_type());
  const Tensor input = self.contiguous();
  const Tensor places = target.contiguous();
  const Tensor factors = weight.defined() ? weight.contiguous() : weight;
  TORCH_CHECK(
      places.scalar_type() == kLong || places.scalar_type() == kByte,
      "expected target dtype to be Long or Byte, but got ", places.scalar_type());
  const bool each = reduction == Reduction::None && !(self.dim() == 1);
  nll_forward_stub(
      self.device().type(),
      NllJob{
          n, input, places, factors, output, total_weight, each, reduction == Reduction::Mean,
          ignore_index});
}

void check_images(const Tensor& input, const Tensor& target, const Tensor& weight) {
  TORCH_CHECK(
      target.dim() == 3,
      "only batches of spatial targets supported (3D tensors) but got targets of dimension: ",
      target.dim());
  TORCH_CHECK(
      input.dim() == 4,
      "only batches of spatial inputs supported (4D tensors), but got input of dimension: ",
      input.dim());
  TORCH_CHECK(
      !weight.defined() || weight.numel() == input.size(1),
      "weight tensor should be defined either for all or no classes");
  TORCH_CHECK(
      input.size(0) == target.size(0) && input.size(2) == target.size(1) &&
          input.size(3) == target.size(2),
      "size mismatch (got input: ", input.sizes(), " , target: ", target.sizes());
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(nll_forward_stub, &nll_forward_on_cpu)

TORCH_IMPL_FUNC(nll_loss_forward_out_cpu)
(const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction,
 int64_t ignore_index, const Tensor& output, const Tensor& total_weight) {
  const NllLayout n{target.numel(), self.size(-1), 1};
  const Tensor factors = weight.has_value() ? *weight : Tensor();
  nll_forward(self, target, factors, output, total_weight, n, reduction, ignore_index);
}

std::tuple<Tensor&, Tensor&> nll_loss2d_forward_out_cpu(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index, Tensor& output, Tensor& total_weight) {
  const Tensor factors = weight.value_or(Tensor());
  check_images(self, target, factors);
  resize_output(output, reduction == Reduction::None ? target.sizes() : IntArrayRef());
  resize_output(total_weight, {});
  const NllLayout n{self.size(0), self.size(1), self.size(2) * self.size(3)};
  nll_forward(self, target, factors, output, total_weight, n, reduction, ignore_index);
  return {output, total_weight};
}

std::tuple<Tensor, Tensor> nll_loss2d_forward_cpu(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index) {
  Tensor output = at::empty({0}, self.options());
  Tensor total_weight = at::empty({0}, self.options());
  nll_loss2d_forward_out_cpu(self, target, weight, reduction, ignore_index, output, total_weight);
  return {output, total_weight};
}

std::tuple<Tensor, Tensor> nll_loss2d_forward_meta(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t /*ignore_index*/) {
  check_images(self, target, weight.value_or(Tensor()));
  const IntArrayRef sizes = reduction == Reduction::None ? target.sizes() : IntArrayRef();
  return {at::empty(sizes, self.options()), at::empty({}, self.options())};
}

Tensor nll_loss(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index) {
  return std::get<0>(at::nll_loss_forward(self, target, weight, reduction, ignore_index));
}

Tensor& nll_loss_out(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index, Tensor& output) {
  Tensor total_weight = at::empty({0}, self.options());
  at::nll_loss_forward_out(output, total_weight, self, target, weight, reduction, ignore_index);
  return output;
}

Tensor nll_loss2d(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index) {
  return std::get<0>(at::nll_loss2d_forward(self, target, weight, reduction, ignore_index));
}

Tensor& nll_loss2d_out(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index, Tensor& output) {
  Tensor total_weight = at::empty({0}, self.options());
  at::nll_loss2d_forward_out(output, total_weight, self, target, weight, reduction, ignore_index);
  return output;
}

// Handles any number of trailing dimensions: (N, C, d1, ..., dK) becomes (N, C, 1, d1 * ... * dK).
Tensor nll_loss_nd(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index) {
  TORCH_CHECK_VALUE(self.dim() >= 1, "Expected 1 or more dimensions (got ", self.dim(), ")");
  TORCH_CHECK_VALUE(
      self.dim() == 1 || self.size(0) == target.size(0), "Expected input batch_size (",
      self.size(0), ") to match target batch_size (", target.dim() > 0 ? target.size(0) : 1, ").");
  if (self.dim() <= 2) {
    return at::nll_loss(self, target, weight, reduction, ignore_index);
  }
  if (self.dim() == 4) {
    return at::nll_loss2d(self, target, weight, reduction, ignore_index);
  }
  const int64_t batch = self.size(0);
  c10::DimVector sizes{batch};
  sizes.append(self.sizes().begin() + 2, self.sizes().end());
  TORCH_CHECK(
      target.sizes().equals(sizes), "Expected target size ", IntArrayRef(sizes), ", got ",
      target.sizes());
  const int64_t places = target.numel() / std::max<int64_t>(batch, 1);
  const Tensor images = at::reshape(self, {batch, self.size(1), 1, places});
  const Tensor flat = at::reshape(target, {batch, 1, places});
  const Tensor loss = at::nll_loss2d(images, flat, weight, reduction, ignore_index);
  return reduction == Reduction::None ? at::reshape(loss, sizes) : loss;
}

} // namespace at::native

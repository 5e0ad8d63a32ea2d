// The negative log likelihood losses.

#include <ATen/Dispatch.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/nll_loss2d.h>
#include <ATen/ops/nll_loss2d_forward.h>
#include <ATen/ops/nll_loss2d_forward_native.h>
#include <ATen/ops/nll_loss2d_native.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/nll_loss_forward.h>
#include <ATen/ops/nll_loss_forward_meta.h>
#include <ATen/ops/nll_loss_forward_native.h>
#include <ATen/ops/nll_loss_native.h>
#include <ATen/ops/nll_loss_nd_native.h>
#include <c10/util/DimVector.h>

namespace at::native {
namespace {

Tensor value_or_undefined(const std::optional<Tensor>& tensor) {
  return tensor.has_value() ? *tensor : Tensor();
}

// The class of element i, or -1 when it is ignored.
template <class Target>
int64_t class_of(const Target* target, int64_t i, int64_t ignore_index, int64_t classes) {
  const auto c = static_cast<int64_t>(target[i]);
  if (c == ignore_index) {
    return -1;
  }
  TORCH_CHECK_INDEX(c >= 0 && c < classes, "Target ", c, " is out of bounds.");
  return c;
}

// Input [batch, classes, area], target [batch, area].
struct NllShape {
  int64_t batch, classes, area;
};

template <class T, class Target>
void nll_loss_loop(const Tensor& input, const Tensor& target, const Tensor& weight, NllShape shape,
                   int64_t reduction, int64_t ignore_index, const Tensor& output,
                   const Tensor& total_weight) {
  const T* x = input.const_data_ptr<T>();
  const Target* t = target.const_data_ptr<Target>();
  const T* w = weight.defined() ? weight.const_data_ptr<T>() : nullptr;
  T* out = output.mutable_data_ptr<T>();
  double loss = 0, total = 0;
  for (int64_t b = 0; b < shape.batch; ++b) {
    for (int64_t s = 0; s < shape.area; ++s) {
      const int64_t i = b * shape.area + s;
      const int64_t c = class_of(t, i, ignore_index, shape.classes);
      const double scale = c < 0 ? 0 : w != nullptr ? static_cast<double>(w[c]) : 1;
      const double value =
          c < 0 ? 0 : -scale * static_cast<double>(x[(b * shape.classes + c) * shape.area + s]);
      if (reduction == Reduction::None) {
        out[i] = static_cast<T>(value);
      } else {
        loss += value;
        total += scale;
      }
    }
  }
  if (reduction != Reduction::None) {
    *out = static_cast<T>(reduction == Reduction::Mean ? loss / total : loss);
  }
  *total_weight.mutable_data_ptr<T>() = static_cast<T>(total);
}

void check_target_dtype(const Tensor& target) {
  TORCH_CHECK(target.scalar_type() == ScalarType::Long || target.scalar_type() == ScalarType::Byte,
              "expected target dtype to be Long or Byte, but got ", target.scalar_type());
}

void run_nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, NllShape shape,
                  int64_t reduction, int64_t ignore_index, const Tensor& output,
                  const Tensor& total_weight) {
  check_target_dtype(target);
  const Tensor x = input.contiguous(), t = target.contiguous();
  const Tensor w = weight.defined() ? weight.contiguous() : weight;
  const Tensor out = output.is_contiguous() ? output : at::empty(output.sizes(), output.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(
      ScalarType::Half, ScalarType::BFloat16, input.scalar_type(), "nll_loss_out_frame", [&] {
        if (t.scalar_type() == ScalarType::Long) {
          nll_loss_loop<scalar_t, int64_t>(x, t, w, shape, reduction, ignore_index, out,
                                           total_weight);
        } else {
          nll_loss_loop<scalar_t, uint8_t>(x, t, w, shape, reduction, ignore_index, out,
                                           total_weight);
        }
      });
  if (!out.is_same(output)) {
    output.copy_(out);
  }
}

void check_weight(const Tensor& weight, int64_t classes) {
  TORCH_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
              "weight tensor should be defined either for all ", classes,
              " classes or no classes but got weight tensor of shape: ", weight.sizes());
}

NllShape check_spatial(const Tensor& self, const Tensor& target, const Tensor& weight) {
  TORCH_CHECK(target.dim() == 3, "only batches of spatial targets supported (3D tensors) but got ",
              "targets of dimension: ", target.dim());
  TORCH_CHECK(self.dim() == 4, "only batches of spatial inputs supported (4D tensors), but got ",
              "input of dimension: ", self.dim());
  TORCH_CHECK(!weight.defined() || weight.numel() == self.size(1),
              "weight tensor should be defined either for all or no classes");
  TORCH_CHECK(self.size(0) == target.size(0) && self.size(2) == target.size(1) &&
                  self.size(3) == target.size(2),
              "size mismatch (got input: ", self.sizes(), " , target: ", target.sizes());
  return {self.size(0), self.size(1), self.size(2) * self.size(3)};
}

} // namespace

TORCH_IMPL_FUNC(nll_loss_forward_out_cpu)
(const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction,
 int64_t ignore_index, const Tensor& output, const Tensor& total_weight) {
  const bool batched = self.dim() == 2;
  const NllShape shape{batched ? self.size(0) : 1, self.size(self.dim() - 1), 1};
  run_nll_loss(self, target, weight.has_value() ? *weight : Tensor(), shape, reduction,
               ignore_index, output, total_weight);
}

Tensor nll_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                int64_t reduction, int64_t ignore_index) {
  return std::get<0>(at::nll_loss_forward(self, target, weight, reduction, ignore_index));
}

Tensor& nll_loss_out(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                     int64_t reduction, int64_t ignore_index, Tensor& out) {
  Tensor total_weight = at::empty({0}, self.options());
  at::nll_loss_forward_out(out, total_weight, self, target, weight, reduction, ignore_index);
  return out;
}

std::tuple<Tensor&, Tensor&> nll_loss2d_forward_out_cpu(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index, Tensor& output, Tensor& total_weight) {
  const Tensor w = value_or_undefined(weight);
  const NllShape shape = check_spatial(self, target, w);
  resize_output(output, reduction == Reduction::None ? target.sizes() : IntArrayRef());
  resize_output(total_weight, {});
  if (!self.is_meta()) {
    run_nll_loss(self, target, w, shape, reduction, ignore_index, output, total_weight);
  }
  return {output, total_weight};
}

std::tuple<Tensor, Tensor> nll_loss2d_forward_cpu(const Tensor& self, const Tensor& target,
                                                  const std::optional<Tensor>& weight,
                                                  int64_t reduction, int64_t ignore_index) {
  Tensor output = at::empty({0}, self.options());
  Tensor total_weight = at::empty({}, self.options());
  nll_loss2d_forward_out_cpu(self, target, weight, reduction, ignore_index, output, total_weight);
  return {output, total_weight};
}

Tensor nll_loss2d(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                  int64_t reduction, int64_t ignore_index) {
  return std::get<0>(at::nll_loss2d_forward(self, target, weight, reduction, ignore_index));
}

Tensor& nll_loss2d_out(const Tensor& self, const Tensor& target,
                       const std::optional<Tensor>& weight, int64_t reduction,
                       int64_t ignore_index, Tensor& out) {
  Tensor total_weight = at::empty({0}, self.options());
  at::nll_loss2d_forward_out(out, total_weight, self, target, weight, reduction, ignore_index);
  return out;
}

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                   int64_t reduction, int64_t ignore_index) {
  TORCH_CHECK_VALUE(self.dim() > 0, "Expected 1 or more dimensions (got 0)");
  TORCH_CHECK_VALUE(self.dim() == 1 || (target.dim() > 0 && self.size(0) == target.size(0)),
                    "Expected input batch_size (", self.size(0), ") to match target batch_size (",
                    target.dim() > 0 ? target.size(0) : 1, ").");
  if (self.dim() <= 2) {
    return at::nll_loss(self, target, weight, reduction, ignore_index);
  }
  if (self.dim() == 4) {
    return at::nll_loss2d(self, target, weight, reduction, ignore_index);
  }
  const int64_t n = self.size(0), c = self.size(1);
  c10::DimVector expected(self.sizes());
  expected.erase(expected.begin() + 1);
  TORCH_CHECK(target.sizes() == IntArrayRef(expected), "Expected target size ",
              IntArrayRef(expected), ", got ", target.sizes());
  const int64_t area = n * c > 0 ? self.numel() / (n * c) : 0;
  const Tensor result = at::nll_loss2d(self.reshape({n, c, 1, area}), target.reshape({n, 1, area}),
                                       weight, reduction, ignore_index);
  return reduction == Reduction::None ? result.view(expected) : result;
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(nll_loss_forward)
(const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction,
 int64_t ignore_index) {
  TORCH_CHECK(self.dim() > 0 && self.dim() <= 2, "input tensor should be 1D or 2D");
  TORCH_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  TORCH_CHECK((self.dim() == 1 && target.dim() == 0) ||
                  (target.dim() == 1 && self.size(0) == target.size(0)),
              "size mismatch (got input: ", self.sizes(), ", target: ", target.sizes(), ")");
  if (weight.has_value()) {
    native::check_weight(*weight, self.size(self.dim() - 1));
  }
  if (reduction == Reduction::None && self.dim() == 2) {
    set_output_raw_strided(0, {self.size(0)}, {}, self.options());
  } else {
    set_output_raw_strided(0, {}, {}, self.options());
  }
  set_output_raw_strided(1, {}, {}, self.options());
}

} // namespace at::meta

// Operators of layers that are composed of others: rrelu, channel_shuffle, bilinear, conv_tbc and
// pdist.

#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/bilinear_native.h>
#include <ATen/ops/cdist.h>
#include <ATen/ops/channel_shuffle_native.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv_tbc_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/le.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_channel_shuffle_native.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pdist_native.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/rrelu_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/triu_indices.h>
#include <ATen/ops/uniform.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {
namespace {

// The factors of a leaky ReLU with random slopes. Only elements that are not positive draw a
// number, in their order, so that a seed gives PyTorch's slopes.
Tensor random_slopes(
    const Tensor& self, const Scalar& lower, const Scalar& upper,
    const std::optional<Generator>& generator) {
  const Tensor sloped = at::select(at::nonzero(at::reshape(at::le(self, 0), {-1})), 1, 0);
  Tensor slopes = at::empty({sloped.numel()}, self.options().dtype(kDouble));
  at::methods::uniform_(slopes, lower.to<double>(), upper.to<double>(), generator);
  return at::reshape(
      at::index_copy(
          at::ones({self.numel()}, self.options()), 0, sloped,
          at::methods::to(slopes, self.scalar_type())),
      self.sizes());
}

void check_rrelu(const Tensor& self, const Scalar& lower, const Scalar& upper) {
  TORCH_CHECK(
      lower.to<double>() <= upper.to<double>(),
      "Lower bound should be less than or equal to the upper bound");
  if (!self.is_floating_point()) {
    at::detail::dispatch_unsupported("rrelu_with_noise_out_cpu", self.scalar_type());
  }
}

Scalar middle(const Scalar& lower, const Scalar& upper) {
  return (lower.to<double>() + upper.to<double>()) / 2;
}

} // namespace

Tensor rrelu(
    const Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
    std::optional<Generator> generator) {
  check_rrelu(self, lower, upper);
  return training ? self * random_slopes(self, lower, upper, generator)
                  : at::leaky_relu(self, middle(lower, upper));
}

Tensor& rrelu_(
    Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
    std::optional<Generator> generator) {
  check_rrelu(self, lower, upper);
  return training ? at::methods::mul_(self, random_slopes(self, lower, upper, generator))
                  : at::leaky_relu_(self, middle(lower, upper));
}

Tensor channel_shuffle(const Tensor& self, int64_t groups) {
  TORCH_CHECK(
      self.dim() > 2, "channel_shuffle expects input with > 2 dims, but got input with sizes ",
      self.sizes());
  const int64_t channels = self.size(1);
  TORCH_CHECK(
      groups > 0,
      "Number of groups to divide channels in must be positive. Value of groups:", groups);
  TORCH_CHECK(
      channels % groups == 0, "Number of channels must be divisible by groups. Got ", channels,
      " channels and ", groups, " groups.");
  if (self.numel() == 0) {
    return at::reshape(self, self.sizes());
  }
  const Tensor grouped =
      at::transpose(at::reshape(self, {self.size(0), groups, channels / groups, -1}), 1, 2);
  return at::reshape(grouped, self.sizes()).contiguous(self.suggest_memory_format());
}

Tensor native_channel_shuffle(const Tensor& self, int64_t groups) {
  return channel_shuffle(self, groups);
}

// y[o] = sum over i, j of input1[i] * weight[o][i][j] * input2[j], plus bias[o].
Tensor bilinear(
    const Tensor& input1, const Tensor& input2, const Tensor& weight,
    const std::optional<Tensor>& bias) {
  TORCH_CHECK(
      input1.dim() == input2.dim(), "bilinear(): input dimensions do not match: got ", input1.dim(),
      " and ", input2.dim());
  TORCH_CHECK(weight.dim() == 3 && input1.dim() >= 1, "bilinear(): weight must have 3 dimensions");
  for (int64_t d = 0; d < input1.dim() - 1; ++d) {
    TORCH_CHECK(
        input1.size(d) == input2.size(d), "bilinear(): input batch dimensions do not match at dim ",
        d, ": got ", input1.size(d), " and ", input2.size(d));
  }
  const int64_t outputs = weight.size(0), first = weight.size(1), second = weight.size(2);
  TORCH_CHECK(
      input1.size(-1) == first, "bilinear(): input1 size does not match weight size: got ",
      input1.size(-1), " but expected ", first);
  TORCH_CHECK(
      input2.size(-1) == second, "bilinear(): input2 size does not match weight size: got ",
      input2.size(-1), " but expected ", second);
  c10::DimVector sizes(input1.sizes());
  sizes.back() = outputs;
  const int64_t rows = c10::multiply_integers(input1.sizes().slice(0, input1.dim() - 1));
  const Tensor table = at::reshape(at::permute(weight, {1, 0, 2}), {first, outputs * second});
  const Tensor partial =
      at::reshape(at::matmul(at::reshape(input1, {rows, first}), table), {rows, outputs, second});
  const Tensor factors = at::unsqueeze(at::reshape(input2, {rows, second}), 1);
  const Tensor terms = partial * factors;
  Tensor result = at::reshape(at::sum(terms, -1, false, terms.scalar_type()), sizes);
  if (bias.has_value() && bias->defined()) {
    TORCH_CHECK(
        bias->dim() == 1 && bias->size(0) == outputs,
        "bilinear(): bias size does not match weight size: got ", bias->sizes(), " but expected ",
        outputs);
    result = result + *bias;
  }
  return result;
}

// A convolution over (time, batch, channels) with a weight (width, in channels, out channels).
Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
  TORCH_CHECK(self.dim() == 3, "Input must have 3 dims: time, batch, in_channel");
  TORCH_CHECK(
      weight.dim() == 3,
      "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  TORCH_CHECK(bias.dim() == 1, "Bias must be 1-D");
  TORCH_CHECK(
      self.size(2) == weight.size(1), "Input dim 2 (input channels) is not == dim 1 in the weight",
      " tensor");
  TORCH_CHECK(bias.size(0) == weight.size(2), "Bias size must equal dim 2 in the weight tensor");
  return at::permute(
             at::conv1d(
                 at::permute(self, {1, 2, 0}), at::permute(weight, {2, 1, 0}), bias, {1}, {pad}),
             {2, 0, 1})
      .contiguous();
}

// The distances between all pairs of rows: the part of cdist above its diagonal.
Tensor pdist(const Tensor& self, double p) {
  TORCH_CHECK(self.dim() == 2, "pdist only supports 2D tensors, got: ", self.dim(), "D");
  TORCH_CHECK(
      self.scalar_type() == kFloat || self.scalar_type() == kDouble,
      "pdist only supports floating-point dtypes");
  TORCH_CHECK(p >= 0, "pdist only supports non-negative p values");
  const int64_t rows = self.size(0);
  if (self.is_meta()) {
    return at::empty({rows * (rows - 1) / 2}, self.options());
  }
  const Tensor pairs = at::triu_indices(rows, rows, 1, self.options().dtype(kLong));
  const Tensor places = at::select(pairs, 0, 0) * Scalar(rows) + at::select(pairs, 0, 1);
  // Mode 2 never uses a matrix product, which would lose digits of small distances.
  return at::index_select(at::reshape(at::cdist(self, self, p, 2), {-1}), 0, places);
}

} // namespace at::native

// embedding_bag: sums, means and maxima of rows of a table.

#include <ATen/core/Tensor.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/EmbeddingStub.h>
#include <ATen/ops/_embedding_bag.h>
#include <ATen/ops/_embedding_bag_backward_native.h>
#include <ATen/ops/_embedding_bag_dense_backward.h>
#include <ATen/ops/_embedding_bag_dense_backward_native.h>
#include <ATen/ops/_embedding_bag_forward_only.h>
#include <ATen/ops/_embedding_bag_forward_only_native.h>
#include <ATen/ops/_embedding_bag_native.h>
#include <ATen/ops/_embedding_bag_per_sample_weights_backward_native.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/embedding_bag_native.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace at::native {

DEFINE_DISPATCH(embedding_bag_stub);
DEFINE_DISPATCH(bag_factor_stub);

namespace {

using Mode = BagMode;

void check_index_dtype(const char* name, int64_t number, const Tensor& tensor) {
  TORCH_CHECK(
      tensor.scalar_type() == kLong || tensor.scalar_type() == kInt,
      "Expected tensor for argument #", number, " '", name,
      "' to have one of the following scalar types: Long, Int; but got ", tensor.scalar_type(),
      " instead (while checking arguments for embedding_bag)");
}

void check_arguments(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
    const Tensor& per_sample, bool last) {
  TORCH_CHECK(
      indices.dim() == 1 || indices.dim() == 2,
      "input has to be a 1D or 2D Tensor, but got Tensor of dimension ", indices.dim());
  TORCH_CHECK(
      offsets.dim() == 1, "offsets has to be a 1D Tensor, but got Tensor of dimension ",
      offsets.dim());
  TORCH_CHECK(
      weight.dim() == 2, "weight has to be a 2D Tensor, but got Tensor of dimension ",
      weight.dim());
  check_index_dtype("indices", 1, indices);
  check_index_dtype("offsets", 1, offsets);
  TORCH_CHECK(
      weight.is_floating_point(),
      "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
      "BFloat16, Float, Double; but got ",
      weight.scalar_type(), " instead (while checking arguments for embedding_bag)");
  TORCH_CHECK(mode >= 0 && mode <= 2, "embedding_bag: unknown mode ", mode);
  TORCH_CHECK(
      !last || offsets.size(0) >= 1, "include_last_offset: number of offset should be at least 1");
  if (per_sample.defined()) {
    TORCH_CHECK(
        mode == static_cast<int64_t>(Mode::Sum),
        "embedding_bag: per_sample_weights only supported with mode='sum'");
    TORCH_CHECK(
        per_sample.dim() == 1 && per_sample.numel() == indices.numel(),
        "expected per_sample_weights of the size of indices ", indices.sizes(), ", but got ",
        per_sample.sizes());
    TORCH_CHECK(
        per_sample.scalar_type() == weight.scalar_type(),
        "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
        "'per_sample_weights'; but type ",
        weight.toString(), " does not equal ", per_sample.toString(),
        " (while checking arguments for embedding_bag)");
  }
}

// Where each bag begins, and the end of the last one, `length` if no offset says it.
Tensor begins_of(const Tensor& offsets, int64_t count, int64_t length) {
  Tensor begins = at::empty({count + 1}, offsets.options().dtype(kLong));
  if (offsets.is_cpu() && offsets.scalar_type() == kLong && offsets.is_contiguous()) {
    const auto* from = offsets.const_data_ptr<int64_t>();
    auto* to = begins.mutable_data_ptr<int64_t>();
    to[count] = length; // which a last offset replaces
    std::copy_n(from, offsets.numel(), to);
    return begins;
  }
  Tensor given = at::narrow(begins, 0, 0, offsets.numel());
  at::methods::copy_(given, offsets);
  if (offsets.numel() == count) {
    Tensor end = at::narrow(begins, 0, count, 1);
    at::methods::fill_(end, length);
  }
  return begins;
}

// On the CPU; kernels of devices assert it.
void check_begins(const Tensor& tensor, int64_t count, int64_t length) {
  const auto* begins = tensor.const_data_ptr<int64_t>();
  if (count > 0) {
    TORCH_CHECK(
        begins[0] == 0,
        "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
        "position 0. However, got ",
        begins[0]);
    // Without include_last_offset, the last element is the length, not an offset.
    const int64_t last = std::max(begins[count - 1], begins[count]);
    TORCH_CHECK(
        last <= length, "offsets[-1] can not be greater than input's length ", length,
        " but got offsets[-1] of ", last);
  }
  const auto* lower = std::is_sorted_until(begins, begins + count + 1);
  TORCH_CHECK(
      lower == begins + count + 1, "embedding_bag: offsets must not decrease, but offset ",
      lower - begins, " is ", *lower);
}

using Four = std::tuple<Tensor, Tensor, Tensor, Tensor>;

Four bags_of_rows(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
    const Tensor& per_sample, bool last, int64_t padding_idx, bool for_gradient = true) {
  check_arguments(weight, indices, offsets, mode, per_sample, last);
  const int64_t count = offsets.size(0) - (last ? 1 : 0), width = weight.size(1);
  const TensorOptions integers = weight.options().dtype(kLong);
  Tensor output = at::empty({count, width}, weight.options());
  // Only gradients need the bag of each index. Without them PyTorch omits it for sums.
  const bool wants_bags = for_gradient || weight.is_cuda() || static_cast<Mode>(mode) != Mode::Sum;
  Tensor sizes = at::empty({count}, integers);
  Tensor bag_of = at::empty({wants_bags ? indices.numel() : 0}, integers);
  const bool maxima = static_cast<Mode>(mode) == Mode::Max;
  Tensor rows = maxima ? at::empty({count, width}, integers) : sizes;
  if (weight.is_meta()) {
    return {output, bag_of, sizes, rows};
  }
  const Tensor table = weight.contiguous();
  const Tensor places = at::methods::to(indices, kLong).contiguous();
  const Tensor factors = per_sample.defined() ? per_sample.contiguous() : per_sample;
  const Tensor begins = begins_of(offsets, count, indices.numel());
  if (weight.is_cpu()) {
    check_begins(begins, count, indices.numel());
  }
  const EmbeddingBagJob job{
      places.const_data_ptr<int64_t>(),
      begins.const_data_ptr<int64_t>(),
      indices.numel(),
      count,
      weight.size(0),
      width,
      padding_idx,
      static_cast<Mode>(mode),
      table.const_data_ptr(),
      factors.defined() ? factors.const_data_ptr() : nullptr,
      output.mutable_data_ptr(),
      wants_bags ? bag_of.mutable_data_ptr<int64_t>() : nullptr,
      sizes.mutable_data_ptr<int64_t>(),
      rows.mutable_data_ptr<int64_t>()};
  embedding_bag_stub(weight.device().type(), weight.scalar_type(), job);
  return {output, bag_of, sizes, rows};
}

Tensor defined_or_none(const std::optional<Tensor>& tensor) {
  return tensor.has_value() ? *tensor : Tensor();
}

// One row of the gradient for every index; zero for indices outside all bags.
Tensor rows_of(const Tensor& grad, const Tensor& bag_of) {
  const Tensor outside = at::unsqueeze(at::ge(bag_of, grad.size(0)), 1);
  if (grad.size(0) == 0) {
    return at::zeros({bag_of.numel(), grad.size(1)}, grad.options());
  }
  const Tensor inside =
      at::where(at::ge(bag_of, grad.size(0)), at::zeros({}, bag_of.options()), bag_of);
  return at::masked_fill(at::index_select(grad, 0, inside), outside, 0);
}

// The gradient of the table for sums and means.
Tensor add_to_rows(
    const Tensor& grad, const Tensor& indices, const Tensor& bag_of, const Tensor& sizes,
    int64_t num_weights, bool by_frequency, Mode mode, const Tensor& per_sample,
    int64_t padding_idx) {
  const int64_t width = grad.size(1), bags = grad.size(0);
  Tensor result = at::zeros({num_weights, width}, grad.options());
  const Tensor rows = grad.contiguous(), places = at::methods::to(indices, kLong).contiguous();
  const Tensor row_of = at::methods::to(bag_of, kLong).contiguous();
  std::vector<double> factors;
  if (per_sample.defined()) {
    const Tensor wide = at::methods::to(per_sample, kDouble).contiguous();
    factors.assign(wide.const_data_ptr<double>(), wide.const_data_ptr<double>() + wide.numel());
  }
  if (mode == Mode::Mean) {
    const Tensor counts = at::methods::to(sizes, kLong).contiguous();
    factors.resize(static_cast<size_t>(places.numel()), 1);
    for (int64_t i = 0; i < places.numel(); ++i) {
      const int64_t bag = row_of.const_data_ptr<int64_t>()[i];
      if (bag < bags) {
        factors[i] /=
            static_cast<double>(std::max<int64_t>(counts.const_data_ptr<int64_t>()[bag], 1));
      }
    }
  }
  const EmbeddingBackwardJob job{
      rows.const_data_ptr(),
      places.const_data_ptr<int64_t>(),
      result.mutable_data_ptr(),
      places.numel(),
      width,
      num_weights,
      padding_idx,
      by_frequency,
      row_of.const_data_ptr<int64_t>(),
      bags,
      factors.empty() ? nullptr : factors.data()};
  TORCH_CHECK_NOT_IMPLEMENTED(
      embedding_backward_stub(kCPU, grad.scalar_type(), job),
      "\"embedding_bag_backward\" not implemented for '", grad.scalar_type(), "'");
  return result;
}

Tensor factor_gradients(
    const Tensor& grad, const Tensor& weight, const Tensor& indices, const Tensor& bag_of,
    int64_t padding_idx) {
  const Tensor rows = grad.contiguous(), table = weight.contiguous();
  const Tensor places = at::methods::to(indices, kLong).contiguous();
  const Tensor row_of = at::methods::to(bag_of, kLong).contiguous();
  Tensor result = at::empty({places.numel()}, grad.options());
  bag_factor_stub(
      kCPU, grad.scalar_type(),
      BagFactorJob{
          rows.const_data_ptr(), table.const_data_ptr(), places.const_data_ptr<int64_t>(),
          row_of.const_data_ptr<int64_t>(), result.mutable_data_ptr(), places.numel(), grad.size(0),
          weight.size(0), grad.size(1), padding_idx});
  return result;
}

} // namespace

Four _embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool,
    const std::optional<Tensor>& per_sample_weights, bool include_last_offset,
    int64_t padding_idx) {
  return bags_of_rows(
      weight, indices, offsets, mode, defined_or_none(per_sample_weights), include_last_offset,
      padding_idx);
}

Four _embedding_bag_forward_only(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool,
    const std::optional<Tensor>& per_sample_weights, bool include_last_offset,
    int64_t padding_idx) {
  return bags_of_rows(
      weight, indices, offsets, mode, defined_or_none(per_sample_weights), include_last_offset,
      padding_idx, /*for_gradient=*/false);
}

namespace {

Four bags_with_gradient(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights,
    bool include_last_offset, int64_t padding_idx) {
  const bool differentiable = weight.requires_grad() ||
      (per_sample_weights.has_value() && per_sample_weights->defined() &&
       per_sample_weights->requires_grad());
  const auto& bags = differentiable ? at::_embedding_bag : at::_embedding_bag_forward_only;
  return bags(
      weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
      include_last_offset, padding_idx);
}

} // namespace

Four embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights,
    bool include_last_offset) {
  return bags_with_gradient(
      weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
      include_last_offset, -1);
}

Four embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights,
    bool include_last_offset, std::optional<int64_t> padding_idx) {
  int64_t padding = -1;
  if (padding_idx.has_value()) {
    const int64_t rows = weight.size(0);
    TORCH_CHECK(
        *padding_idx >= -rows && *padding_idx < rows,
        "padding_idx must be within the number of embeddings, -", rows, " through ", rows - 1,
        ", but got ", *padding_idx);
    padding = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
  }
  return bags_with_gradient(
      weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
      include_last_offset, padding);
}

Tensor _embedding_bag_backward(
    const Tensor& grad, const Tensor& indices, const Tensor&, const Tensor& offset2bag,
    const Tensor& bag_size, const Tensor& maximum_indices, int64_t num_weights,
    bool scale_grad_by_freq, int64_t mode, bool sparse,
    const std::optional<Tensor>& per_sample_weights, int64_t padding_idx) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !sparse, "embedding_bag: sparse gradients need the sparse layout, which is not supported");
  return at::_embedding_bag_dense_backward(
      grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode,
      per_sample_weights, padding_idx);
}

Tensor _embedding_bag_dense_backward(
    const Tensor& grad, const Tensor& indices, const Tensor& offset2bag, const Tensor& bag_size,
    const Tensor& maximum_indices, int64_t num_weights, bool scale_grad_by_freq, int64_t mode,
    const std::optional<Tensor>& per_sample_weights, int64_t padding_idx) {
  if (static_cast<Mode>(mode) == Mode::Max) {
    const Tensor none = at::eq(maximum_indices, -1);
    return at::scatter_add(
        at::zeros({num_weights, grad.size(1)}, grad.options()), 0,
        at::clamp_min(maximum_indices, 0), at::masked_fill(grad, none, 0));
  }
  if (grad.is_cpu() && grad.is_floating_point() && num_weights > 0) {
    return add_to_rows(
        grad, indices, offset2bag, bag_size, num_weights, scale_grad_by_freq,
        static_cast<Mode>(mode), defined_or_none(per_sample_weights), padding_idx);
  }
  Tensor from = grad;
  if (static_cast<Mode>(mode) == Mode::Mean) {
    from = grad / at::unsqueeze(at::methods::to(at::clamp_min(bag_size, 1), grad.scalar_type()), 1);
  }
  Tensor rows = rows_of(from, offset2bag);
  if (per_sample_weights.has_value() && per_sample_weights->defined()) {
    rows = rows * at::unsqueeze(*per_sample_weights, 1);
  }
  return at::embedding_dense_backward(rows, indices, num_weights, padding_idx, scale_grad_by_freq);
}

Tensor _embedding_bag_per_sample_weights_backward(
    const Tensor& grad, const Tensor& weight, const Tensor& indices, const Tensor&,
    const Tensor& offset2bag, int64_t mode, int64_t padding_idx) {
  TORCH_CHECK(
      static_cast<Mode>(mode) == Mode::Sum,
      "embedding_bag_backward: per_sample_weights only supported for mode='sum'");
  if (grad.is_cpu() && grad.scalar_type() == weight.scalar_type() && grad.is_floating_point()) {
    return factor_gradients(grad, weight, indices, offset2bag, padding_idx);
  }
  const Tensor dots = at::sum(rows_of(grad, offset2bag) * at::index_select(weight, 0, indices), 1);
  return at::masked_fill(dots, at::eq(indices, padding_idx), 0);
}

} // namespace at::native

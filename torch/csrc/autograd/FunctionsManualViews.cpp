#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/any.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/index_reduce.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/item.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/new_zeros.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/scatter_reduce.h>
#include <ATen/ops/slice_backward.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace torch::autograd::generated::details {

// ---- as_strided

namespace {

// The extent of the geometry: the offset of the farthest element, plus one.
int64_t extent(IntArrayRef sizes, IntArrayRef strides) {
  int64_t last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) {
      return 0;
    }
    last += (sizes[i] - 1) * strides[i];
  }
  return last + 1;
}

// Whether two indices may refer to the same element: sorted by stride, each step must exceed the
// extent of all smaller ones.
bool may_overlap(IntArrayRef sizes, IntArrayRef strides) {
  c10::SmallVector<std::pair<int64_t, int64_t>, 8> dims;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1) {
      dims.emplace_back(strides[i], sizes[i]);
    }
  }
  std::sort(dims.begin(), dims.end());
  int64_t reached = 0;
  for (const auto& [stride, size] : dims) {
    if (stride <= reached) {
      return true;
    }
    reached += (size - 1) * stride;
  }
  return false;
}

// The storage position of every element of a geometry, counted from `start`.
Tensor positions(
    IntArrayRef sizes, IntArrayRef strides, int64_t start, int64_t length, const Tensor& like) {
  const Tensor all = at::arange(length, like.options().dtype(at::kLong));
  return at::reshape(at::as_strided(all, sizes, strides, start), {-1});
}

// Zeros that a gradient can be copied into, also if it has a subclass's elements.
Tensor new_memory(const Tensor& grad, int64_t length) {
  return grad.unsafeGetTensorImpl()->is_python_dispatch() ? at::methods::new_zeros(grad, {length})
                                                          : at::zeros({length}, grad.options());
}

} // namespace

// Writes the gradient to a storage through the output's geometry and reads it through the input's.
// If several elements of the output are the same, their gradients are added; if several elements of
// the input are the same, each gets its share.
Tensor as_strided_backward(
    const Tensor& grad, const TensorGeometry& input, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset) {
  const int64_t output_offset = storage_offset.value_or(input.storage_offset());
  const int64_t first = std::min(output_offset, input.storage_offset());
  const int64_t into_output = output_offset - first;
  const int64_t into_input = input.storage_offset() - first;
  const int64_t length = std::max(
      into_output + extent(size, stride), into_input + extent(input.sizes(), input.strides()));
  Tensor storage = new_memory(grad, length);
  if (may_overlap(size, stride)) {
    const Tensor where = positions(size, stride, into_output, length, grad);
    storage = at::index_add(storage, 0, where, at::reshape(grad, {-1}));
  } else {
    at::methods::copy_(at::as_strided(storage, size, stride, into_output), grad);
  }
  if (may_overlap(input.sizes(), input.strides())) {
    const Tensor where = positions(input.sizes(), input.strides(), into_input, length, grad);
    Tensor count = at::zeros({length}, grad.options());
    count = at::index_add(count, 0, where, at::ones({where.numel()}, grad.options()));
    storage = storage / count;
  }
  return at::as_strided(storage, input.sizes(), input.strides(), into_input);
}

namespace {

// The gradient in memory laid out like the input, with room for the view that was replaced.
Tensor in_layout_of(
    const Tensor& grad, const TensorGeometry& input, IntArrayRef size, IntArrayRef stride,
    int64_t view_offset) {
  const int64_t length = std::max(
      view_offset + extent(size, stride),
      input.storage_offset() + extent(input.sizes(), input.strides()));
  const Tensor memory = new_memory(grad, length);
  const Tensor laid_out =
      at::as_strided(memory, input.sizes(), input.strides(), input.storage_offset());
  return at::methods::copy_(laid_out, grad);
}

} // namespace

Tensor as_strided_scatter_backward(
    const Tensor& grad, const TensorGeometry& input, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(input.storage_offset());
  const Tensor laid_out = in_layout_of(grad, input, size, stride, offset);
  return at::as_strided_scatter(laid_out, at::zeros(size, grad.options()), size, stride, offset);
}

Tensor as_strided_scatter_src_backward(
    const Tensor& grad, const TensorGeometry& input, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(input.storage_offset());
  return at::as_strided(in_layout_of(grad, input, size, stride, offset), size, stride, offset);
}

// ---- other views

Tensor permute_backwards(const Tensor& grad, IntArrayRef dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  c10::DimVector inverse(rank);
  for (int64_t i = 0; i < rank; ++i) {
    inverse[at::maybe_wrap_dim(dims[i], rank)] = i;
  }
  return at::permute(grad, inverse);
}

Tensor slice_backward_wrapper(
    const Tensor& grad, IntArrayRef input_sizes, int64_t dim, std::optional<int64_t> start,
    std::optional<int64_t> end, int64_t step) {
  return at::slice_backward(
      grad, input_sizes, dim, start.value_or(0), end.value_or(std::numeric_limits<int64_t>::max()),
      step);
}

Tensor split_with_sizes_backward(
    TensorList grads, IntArrayRef split_sizes, int64_t dim, IntArrayRef sizes,
    const TensorOptions& options) {
  dim = at::maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size()));
  std::vector<Tensor> parts(grads.begin(), grads.end());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].defined()) {
      c10::DimVector part(sizes);
      part[dim] = split_sizes[i];
      parts[i] = at::zeros(part, options);
    }
  }
  return at::cat(parts, dim);
}

Tensor split_backward(
    TensorList grads, int64_t split_size, int64_t dim, IntArrayRef sizes,
    const TensorOptions& options) {
  dim = at::maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size()));
  c10::DimVector split_sizes(grads.size(), split_size);
  if (!split_sizes.empty()) {
    split_sizes.back() = sizes[dim] - split_size * (static_cast<int64_t>(grads.size()) - 1);
  }
  return split_with_sizes_backward(grads, split_sizes, dim, sizes, options);
}

Tensor unbind_backward(TensorList grads, int64_t dim) {
  Tensor zeros;
  for (const Tensor& grad : grads) {
    if (grad.defined()) {
      zeros = at::zeros(grad.sizes(), grad.options());
      break;
    }
  }
  std::vector<Tensor> parts;
  parts.reserve(grads.size());
  for (const Tensor& grad : grads) {
    parts.push_back(grad.defined() ? grad : zeros);
  }
  return at::stack(parts, dim);
}

Tensor unsqueeze_to(const Tensor& tensor, IntArrayRef sizes) {
  Tensor result = tensor;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1) {
      result = at::unsqueeze(result, static_cast<int64_t>(i));
    }
  }
  return result;
}

Tensor unsqueeze_to(const Tensor& tensor, int64_t dim, IntArrayRef sizes) {
  return unsqueeze_to(tensor, IntArrayRef(dim), sizes);
}

Tensor unsqueeze_to(const Tensor& tensor, IntArrayRef dims, IntArrayRef sizes) {
  const auto rank = static_cast<int64_t>(sizes.size());
  c10::SmallVector<bool, 8> chosen(rank, false);
  for (const int64_t dim : dims) {
    const int64_t wrapped = at::maybe_wrap_dim(dim, rank);
    if (wrapped < rank) {
      chosen[wrapped] = true;
    }
  }
  Tensor result = tensor;
  for (int64_t i = 0; i < rank; ++i) {
    if (chosen[i] && sizes[i] == 1) {
      result = at::unsqueeze(result, i);
    }
  }
  return result;
}

// ---- concatenation

// An empty vector can be concatenated with anything and contributes nothing.
std::vector<Tensor> cat_tensors_backward(
    const Tensor& grad, const std::vector<std::vector<int64_t>>& sizes,
    const std::vector<ScalarType>& dtypes, int64_t dim) {
  std::vector<Tensor> result(sizes.size());
  if (!grad.defined()) {
    return result;
  }
  dim = at::maybe_wrap_dim(dim, grad.dim());
  int64_t start = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto& shape = sizes[i];
    if (shape.size() == 1 && shape[0] == 0) {
      result[i] = at::zeros({0}, grad.options());
      continue;
    }
    result[i] = handle_r_to_c(dtypes[i], at::narrow(grad, dim, start, shape[dim]));
    start += shape[dim];
  }
  return result;
}

std::vector<Tensor> stack_tensors_backward(
    const Tensor& grad, int64_t dim, const std::vector<ScalarType>& dtypes) {
  if (!grad.defined()) {
    return std::vector<Tensor>(dtypes.size());
  }
  std::vector<Tensor> result = at::unbind(grad, dim);
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = handle_r_to_c(dtypes[i], result[i]);
  }
  return result;
}

// Each dimension of the result is split into (repeat, size), and the gradient is summed over the
// repeats.
Tensor repeat_backward(Tensor grad, IntArrayRef repeats, IntArrayRef input_sizes) {
  const size_t leading = repeats.size() - input_sizes.size();
  c10::DimVector shape, summed;
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] == 0) {
      return at::zeros(input_sizes, grad.options());
    }
    if (repeats[i] != 1 || i < leading) {
      summed.push_back(static_cast<int64_t>(shape.size()));
      shape.push_back(repeats[i]);
    }
    if (i >= leading) {
      shape.push_back(input_sizes[i - leading]);
    }
  }
  return summed.empty() ? grad : at::sum(at::reshape(grad, shape), summed);
}

c10::DimVector negated(IntArrayRef values) {
  c10::DimVector result(values);
  for (int64_t& value : result) {
    value = -value;
  }
  return result;
}

// ---- indexing

Tensor index_backward(
    const Tensor& grad, IntArrayRef self_sizes, const c10::List<std::optional<Tensor>>& indices) {
  const Tensor zeros = at::zeros(self_sizes, grad.options());
  // A subclass may stand for more elements than the zeros have.
  if (grad.unsafeGetTensorImpl()->is_python_dispatch()) {
    return at::index_put(zeros, indices, grad, /*accumulate=*/true);
  }
  return at::methods::index_put_(zeros, indices, grad, /*accumulate=*/true);
}

// The gradient of a row goes to every index that looked it up; the padding's does not.
Tensor embedding_dense_double_backward(
    const Tensor& grad, const Tensor& indices, int64_t padding_idx) {
  c10::DimVector sizes(indices.sizes());
  sizes.push_back(grad.size(1));
  const Tensor rows =
      at::methods::view(at::index_select(grad, 0, at::reshape(indices, {-1})), sizes);
  return padding_idx < 0 ? rows
                         : at::masked_fill(rows, at::unsqueeze(indices == padding_idx, -1), 0);
}

// ---- reductions by index

namespace {

// Where the terms of a reduction by index go: elements for scatter_reduce, slices for index_reduce.
struct Targets {
  int64_t dim;
  const Tensor& index;
  bool slices;

  Tensor take(const Tensor& from) const {
    return slices ? at::index_select(from, dim, index) : at::gather(from, dim, index);
  }
  Tensor add(const Tensor& to, const Tensor& terms) const {
    return slices ? at::index_add(to, dim, index, terms) : at::scatter_add(to, dim, index, terms);
  }
  Tensor multiply(const Tensor& to, const Tensor& factors) const {
    return slices ? at::index_reduce(to, dim, index, factors, "prod")
                  : at::scatter_reduce(to, dim, index, factors, "prod");
  }
  Tensor fill(const Tensor& in, const Scalar& value) const {
    return slices
        ? at::index_copy(in, dim, at::methods::to(index, at::kLong), at::full_like(take(in), value))
        : at::scatter(in, dim, index, value);
  }
};

// How many terms, and elements of self if it is included, were combined into each result.
Tensor counts(
    const Targets& targets, const Tensor& self_term, const Tensor& terms, bool include_self) {
  const Tensor start = include_self ? self_term : at::zeros_like(self_term);
  return at::clamp_min(targets.add(start, terms), 1);
}

// Several zeros in one product have second derivatives that the formula of the first does not give.
Tensor undefined_second_derivative(const Targets& targets, const Tensor& gradient) {
  const char* message = targets.slices
      ? "index_reduce(): Double backward is unsupported for source when >1 zeros in source are "
        "scattered to the same position in self"
      : "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are "
        "scattered to the same position in self";
  return DelayedError(message, 1).apply({gradient})[0];
}

// The gradients of self and of the terms.
std::tuple<Tensor, Tensor> reduced_backward(
    const Targets& targets, const Tensor& grad, const Tensor& self, const Tensor& terms,
    c10::string_view reduce, bool include_self, const Tensor& result) {
  const ScalarType dtype = self.scalar_type();
  Tensor to_self, to_terms;
  if (reduce == "sum") {
    to_self = grad;
    to_terms = targets.take(grad);
  } else if (reduce == "mean") {
    const IntArrayRef sizes = targets.slices ? terms.sizes() : targets.index.sizes();
    const Tensor ones = at::ones(sizes, self.options());
    to_self = grad / counts(targets, at::ones_like(self), ones, include_self);
    to_terms = targets.take(to_self);
  } else if (reduce == "prod") {
    // A single zero takes the product of the others; several leave nothing.
    const Tensor zero = terms == 0;
    const Tensor others = at::masked_fill(terms, zero, 1);
    const Tensor first = include_self ? self : targets.fill(self, 1);
    const Tensor zeros = targets.add(at::zeros_like(self), at::methods::to(zero, dtype));
    const Tensor single = at::logical_and(zero, targets.take(zeros) == 1);
    const Tensor rest = targets.multiply(first, others);
    const Tensor whole = targets.take(grad * result) / others;
    to_terms =
        at::where(single, targets.take(grad * rest), at::where(zero, at::zeros_like(whole), whole));
    if (c10::GradMode::is_enabled() && at::methods::item(at::any(zeros > 1)).toBool()) {
      to_terms = undefined_second_derivative(targets, to_terms);
    }
    to_self = grad * targets.multiply(at::ones_like(self), terms);
  } else {
    // Ties share the gradient.
    const Tensor own = at::methods::to(self == result, dtype);
    const Tensor chosen = at::methods::to(terms == targets.take(result), dtype);
    const Tensor share = grad / counts(targets, own, chosen, include_self);
    to_self = include_self ? share * own : grad;
    to_terms = targets.take(share) * chosen;
  }
  return {include_self ? to_self : targets.fill(to_self, 0), to_terms};
}

} // namespace

std::tuple<Tensor, Tensor> scatter_reduce_backward(
    const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
    c10::string_view reduce, bool include_self, const Tensor& result) {
  if (!grad.defined()) {
    return {};
  }
  return reduced_backward(
      Targets{dim, index, /*slices=*/false}, grad, self, src, reduce, include_self, result);
}

std::tuple<Tensor, Tensor> index_reduce_backward(
    const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
    c10::string_view reduce, bool include_self, const Tensor& result) {
  if (!grad.defined()) {
    return {};
  }
  return reduced_backward(
      Targets{dim, index, /*slices=*/true}, grad, self, source, reduce, include_self, result);
}

} // namespace torch::autograd::generated::details

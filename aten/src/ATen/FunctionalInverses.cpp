// The inverse of each view operator. With the mode NeverView, no result shares memory
// with an argument.
#include <ATen/FunctionalInverses.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/_conj.h>
#include <ATen/ops/_conj_copy.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/_neg_view_copy.h>
#include <ATen/ops/alias_copy.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/diagonal_scatter.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/permute_copy.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/resolve_conj.h>
#include <ATen/ops/select_scatter.h>
#include <ATen/ops/slice_scatter.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/squeeze_copy.h>
#include <ATen/ops/t.h>
#include <ATen/ops/t_copy.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/transpose_copy.h>
#include <ATen/ops/unfold.h>
#include <ATen/ops/unfold_copy.h>
#include <ATen/ops/view.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_complex_copy.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/view_as_real_copy.h>
#include <ATen/ops/view_copy.h>
#include <c10/util/DimVector.h>

namespace at::functionalization {

namespace {

bool copies(InverseReturnMode mode) {
  return mode == InverseReturnMode::NeverView;
}

Tensor whole(const Tensor& mutated, InverseReturnMode mode) {
  return copies(mode) ? at::alias_copy(mutated) : mutated;
}

// The view has the same elements in the same order.
Tensor reshaped(const Tensor& base, const Tensor& mutated, InverseReturnMode mode) {
  return copies(mode) ? at::view_copy(mutated, base.sizes()) : at::reshape(mutated, base.sizes());
}

} // namespace

// ---- the same elements

Tensor FunctionalInverses::alias_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode) {
  return whole(mutated_view, mode);
}

Tensor FunctionalInverses::detach_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode) {
  return whole(mutated_view, mode);
}

Tensor FunctionalInverses::lift_fresh_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode) {
  return whole(mutated_view, mode);
}

Tensor FunctionalInverses::view_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode, IntArrayRef) {
  return reshaped(base, mutated_view, mode);
}

Tensor FunctionalInverses::_reshape_alias_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode, IntArrayRef,
    IntArrayRef) {
  return reshaped(base, mutated_view, mode);
}

Tensor FunctionalInverses::squeeze_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode) {
  return reshaped(base, mutated_view, mode);
}

Tensor FunctionalInverses::squeeze_dim_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode, int64_t) {
  return reshaped(base, mutated_view, mode);
}

Tensor FunctionalInverses::squeeze_dims_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode, IntArrayRef) {
  return reshaped(base, mutated_view, mode);
}

Tensor FunctionalInverses::unsqueeze_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode, int64_t dim) {
  return copies(mode) ? at::squeeze_copy(mutated_view, dim) : at::squeeze(mutated_view, dim);
}

// A tensor that was really expanded cannot be written.
Tensor FunctionalInverses::expand_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode, IntArrayRef, bool) {
  TORCH_CHECK(
      base.numel() == mutated_view.numel(),
      "several elements of an expanded tensor are one element of its base");
  return reshaped(base, mutated_view, mode);
}

Tensor FunctionalInverses::permute_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode, IntArrayRef dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  c10::DimVector inverse(dims.size());
  for (int64_t i = 0; i < rank; ++i) {
    inverse[at::maybe_wrap_dim(dims[i], rank)] = i;
  }
  return copies(mode) ? at::permute_copy(mutated_view, inverse)
                      : at::permute(mutated_view, inverse);
}

Tensor FunctionalInverses::t_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode) {
  return copies(mode) ? at::t_copy(mutated_view) : at::t(mutated_view);
}

Tensor FunctionalInverses::transpose_int_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode, int64_t dim0, int64_t dim1) {
  return copies(mode) ? at::transpose_copy(mutated_view, dim0, dim1)
                      : at::transpose(mutated_view, dim0, dim1);
}

// ---- the same bytes

Tensor FunctionalInverses::_conj_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode) {
  return copies(mode) ? at::_conj_copy(mutated_view) : at::_conj(mutated_view);
}

Tensor FunctionalInverses::_neg_view_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode) {
  return copies(mode) ? at::_neg_view_copy(mutated_view) : at::_neg_view(mutated_view);
}

Tensor FunctionalInverses::view_dtype_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode, ScalarType) {
  const Tensor adjacent = mutated_view.contiguous();
  return copies(mode) ? at::view_copy(adjacent, base.scalar_type())
                      : at::methods::view(adjacent, base.scalar_type());
}

Tensor FunctionalInverses::view_as_real_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode) {
  const Tensor adjacent = mutated_view.contiguous();
  return copies(mode) ? at::view_as_complex_copy(adjacent) : at::view_as_complex(adjacent);
}

Tensor FunctionalInverses::view_as_complex_inverse(
    const Tensor&, const Tensor& mutated_view, InverseReturnMode mode) {
  return copies(mode) ? at::view_as_real_copy(mutated_view)
                      : at::view_as_real(at::resolve_conj(mutated_view));
}

// ---- some of the elements

Tensor FunctionalInverses::as_strided_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode, IntArrayRef size,
    IntArrayRef stride, std::optional<int64_t> storage_offset) {
  return at::as_strided_scatter(base, mutated_view, size, stride, storage_offset);
}

Tensor FunctionalInverses::diagonal_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode, int64_t offset, int64_t dim1,
    int64_t dim2) {
  return at::diagonal_scatter(base, mutated_view, offset, dim1, dim2);
}

Tensor FunctionalInverses::select_int_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode, int64_t dim, int64_t index) {
  return at::select_scatter(base, mutated_view, dim, index);
}

Tensor FunctionalInverses::slice_Tensor_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode, int64_t dim,
    std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  return at::slice_scatter(base, mutated_view, dim, start, end, step);
}

Tensor FunctionalInverses::split_Tensor_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode, int64_t mutated_view_idx,
    int64_t split_size, int64_t dim) {
  const int64_t start = mutated_view_idx * split_size;
  return at::slice_scatter(base, mutated_view, dim, start, start + mutated_view.size(dim), 1);
}

Tensor FunctionalInverses::split_with_sizes_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode, int64_t mutated_view_idx,
    IntArrayRef split_sizes, int64_t dim) {
  int64_t start = 0;
  for (int64_t i = 0; i < mutated_view_idx; ++i) {
    start += split_sizes[i];
  }
  return at::slice_scatter(
      base, mutated_view, dim, start, start + split_sizes[mutated_view_idx], 1);
}

Tensor FunctionalInverses::unbind_int_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode, int64_t mutated_view_idx,
    int64_t dim) {
  return at::select_scatter(base, mutated_view, dim, mutated_view_idx);
}

// Windows that do not overlap; others cannot be written. The last dimension counts the elements of
// a window.
Tensor FunctionalInverses::unfold_inverse(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode, int64_t dimension,
    int64_t size, int64_t step) {
  if (base.dim() == 0) {
    return reshaped(base, mutated_view, mode);
  }
  const int64_t dim = at::maybe_wrap_dim(dimension, base.dim());
  const Tensor places = at::arange(base.size(dim), base.options().dtype(kLong));
  const Tensor windows_of_places = copies(mode) ? at::unfold_copy(places, 0, size, step)
                                                : at::methods::unfold(places, 0, size, step);
  const Tensor of_windows =
      copies(mode) ? at::view_copy(windows_of_places, {-1}) : at::flatten(windows_of_places);
  c10::DimVector order(base.dim() + 1);
  for (int64_t i = 0; i < base.dim() + 1; ++i) {
    order[i] = i <= dim ? i : i == dim + 1 ? base.dim() : i - 1;
  }
  c10::DimVector sizes(base.sizes());
  sizes[dim] = of_windows.numel();
  const Tensor ordered =
      copies(mode) ? at::permute_copy(mutated_view, order) : at::permute(mutated_view, order);
  const Tensor windows = copies(mode) ? at::view_copy(ordered, sizes) : at::reshape(ordered, sizes);
  return at::index_copy(base, dim, of_windows, windows);
}

} // namespace at::functionalization

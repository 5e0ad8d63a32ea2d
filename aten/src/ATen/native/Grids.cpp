// meshgrid, cartesian_prod, tile, rot90, fliplr, flipud, tensordot and repeat_interleave.

#include <ATen/Parallel.h>

#include <ATen/core/Tensor.h>

#include <ATen/WrapDimUtils.h>

#include <ATen/ops/cartesian_prod_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/fliplr_native.h>
#include <ATen/ops/flipud_native.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/meshgrid.h>
#include <ATen/ops/meshgrid_native.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/repeat.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/repeat_interleave_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/rot90_native.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tensordot_native.h>
#include <ATen/ops/tile_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unsqueeze.h>

#include <algorithm>
#include <vector>

namespace at::native {

std::vector<Tensor> meshgrid(TensorList tensors) {
  TORCH_WARN_ONCE(
      "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
  return at::meshgrid(tensors, "ij");
}

std::vector<Tensor> meshgrid(TensorList tensors, c10::string_view indexing) {
  TORCH_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  TORCH_CHECK(
      indexing == "ij" || indexing == "xy",
      "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  const auto count = static_cast<int64_t>(tensors.size());
  // "xy" swaps the first two dimensions of every result.
  const bool swapped = indexing == "xy" && count >= 2;
  const auto dim_of = [&](int64_t i) { return swapped && i < 2 ? 1 - i : i; };
  DimVector sizes(count);
  for (int64_t i = 0; i < count; ++i) {
    const Tensor& tensor = tensors[i];
    TORCH_CHECK(
        tensor.dim() <= 1,
        "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ", tensor.sizes());
    TORCH_CHECK(
        tensor.scalar_type() == tensors[0].scalar_type(),
        "meshgrid expects all tensors to have the same dtype");
    TORCH_CHECK(
        tensor.device() == tensors[0].device(),
        "meshgrid expects all tensors to have the same device");
    sizes[dim_of(i)] = tensor.numel();
  }
  std::vector<Tensor> grids;
  for (int64_t i = 0; i < count; ++i) {
    DimVector shape(count, 1);
    shape[dim_of(i)] = -1;
    grids.push_back(at::methods::expand(at::reshape(tensors[i], shape), sizes));
  }
  return grids;
}

Tensor cartesian_prod(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "cartesian_prod expects a non-empty TensorList");
  for (const Tensor& tensor : tensors) {
    TORCH_CHECK(tensor.dim() == 1, "Expect a 1D vector, but got shape ", tensor.sizes());
  }
  if (tensors.size() == 1) {
    return tensors[0];
  }
  std::vector<Tensor> columns = at::meshgrid(tensors, "ij");
  for (Tensor& column : columns) {
    column = at::flatten(column);
  }
  return at::stack(columns, 1);
}

Tensor tile(const Tensor& self, IntArrayRef dims) {
  DimVector repeats(dims);
  while (static_cast<int64_t>(repeats.size()) < self.dim()) {
    repeats.insert(repeats.begin(), 1);
  }
  return at::methods::repeat(self, repeats);
}

Tensor rot90(const Tensor& self, int64_t k, IntArrayRef dims) {
  const int64_t rank = self.dim();
  TORCH_CHECK(dims.size() == 2, "expected total rotation dims == 2, but got dims = ", dims.size());
  TORCH_CHECK(rank >= 2, "expected total dims >= 2, but got total dims = ", rank);
  TORCH_CHECK(
      dims[0] != dims[1] && std::abs(dims[0] - dims[1]) != rank,
      "expected rotation dims to be different, but got dim0 = ", dims[0], " and dim1 = ", dims[1]);
  for (const int64_t dim : dims) {
    TORCH_CHECK_INDEX(
        dim < rank && dim >= -rank, "Rotation dim", &dim == &dims[0] ? 0 : 1, " out of range, dim",
        &dim == &dims[0] ? 0 : 1, " = ", dim);
  }
  switch ((k % 4 + 4) % 4) {
    case 1:
      return at::transpose(at::flip(self, dims[1]), dims[0], dims[1]);
    case 2:
      return at::flip(self, dims);
    case 3:
      return at::transpose(at::flip(self, dims[0]), dims[0], dims[1]);
    default:
      return at::clone(self, MemoryFormat::Contiguous);
  }
}

Tensor fliplr(const Tensor& self) {
  TORCH_CHECK(self.dim() >= 2, "Input must be >= 2-d.");
  return at::flip(self, {1});
}

Tensor flipud(const Tensor& self) {
  TORCH_CHECK(self.dim() >= 1, "Input must be >= 1-d.");
  return at::flip(self, {0});
}

// ---- tensordot -------------------------------------------------------------------------------

// Both operands become matrices: the kept dimensions by the contracted ones, and the reverse.
Tensor tensordot(
    const Tensor& self, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other) {
  TORCH_CHECK(
      dims_self.size() == dims_other.size(), "both dimension lists should have same length");
  TORCH_CHECK(
      self.scalar_type() == other.scalar_type(), "both inputs should have same dtype, but got ",
      self.scalar_type(), " and ", other.scalar_type());
  const auto kept_self = dim_list_to_bitset(dims_self, static_cast<size_t>(self.dim()));
  const auto kept_other = dim_list_to_bitset(dims_other, static_cast<size_t>(other.dim()));
  Tensor a = self, b = other;
  DimVector order_a, order_b, shape;
  int64_t inner = 1, rows = 1, cols = 1;
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const int64_t p = maybe_wrap_dim(dims_self[i], self.dim());
    const int64_t q = maybe_wrap_dim(dims_other[i], other.dim());
    // A size of one broadcasts, so its partner can be summed first.
    if (b.size(q) == 1) {
      a = at::sum(a, p, true, self.scalar_type());
    } else if (a.size(p) == 1) {
      b = at::sum(b, q, true, other.scalar_type());
    } else {
      TORCH_CHECK(
          a.size(p) == b.size(q), "contracted dimensions need to match, but first has size ",
          a.size(p), " in dim ", dims_self[i], " and second has size ", b.size(q), " in dim ",
          dims_other[i]);
      inner *= a.size(p);
    }
    order_a.push_back(p);
    order_b.push_back(q);
  }
  DimVector left;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!kept_self[d]) {
      left.push_back(d);
      shape.push_back(self.size(d));
      rows *= self.size(d);
    }
  }
  order_a.insert(order_a.begin(), left.begin(), left.end());
  for (int64_t d = 0; d < other.dim(); ++d) {
    if (!kept_other[d]) {
      order_b.push_back(d);
      shape.push_back(other.size(d));
      cols *= other.size(d);
    }
  }
  const Tensor product = at::mm(
      at::reshape(at::permute(a, order_a), {rows, inner}),
      at::reshape(at::permute(b, order_b), {inner, cols}));
  return at::reshape(product, shape);
}

// ---- repeat_interleave -----------------------------------------------------------------------

// The indices 0, 1, 2, ..., each as often as `repeats` says.
Tensor repeat_interleave_cpu(const Tensor& repeats, std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  TORCH_CHECK(
      repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
      "repeats has to be Long or Int tensor");
  if (repeats.numel() == 0) {
    return at::empty({0}, repeats.options());
  }
  const Tensor ends = at::cumsum(repeats, 0, kLong);
  const int64_t count = repeats.numel();
  const int64_t* end = ends.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    TORCH_CHECK(end[i] >= (i ? end[i - 1] : 0), "repeats can not be negative");
  }
  TORCH_CHECK(
      !output_size || *output_size == end[count - 1],
      "allocated size does not match required size");
  Tensor result = at::empty({end[count - 1]}, repeats.options());
  const auto fill = [&]<typename T>(T* out) {
    at::parallel_for(0, count, at::internal::GRAIN_SIZE, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        std::fill(out + (i ? end[i - 1] : 0), out + end[i], static_cast<T>(i));
      }
    });
  };
  if (repeats.scalar_type() == kLong) {
    fill(result.mutable_data_ptr<int64_t>());
  } else {
    fill(result.mutable_data_ptr<int32_t>());
  }
  return result;
}

Tensor repeat_interleave(
    const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim,
    std::optional<int64_t> output_size) {
  const Tensor input = dim ? self : at::flatten(self);
  const int64_t axis = maybe_wrap_dim(dim.value_or(0), input.dim());
  Tensor counts = repeats;
  if (repeats.dim() == 0 || (repeats.dim() == 1 && repeats.size(0) == 1)) {
    counts = at::methods::expand(at::reshape(repeats, {1}), {input.size(axis)});
  } else {
    TORCH_CHECK(repeats.dim() == 1, "repeats must be 0-dim or 1-dim tensor");
    TORCH_CHECK(
        repeats.size(0) == input.size(axis),
        "repeats must have the same size as input along dim, but got repeats.size(0) = ",
        repeats.size(0), " and input.size(", axis, ") = ", input.size(axis));
  }
  return at::index_select(input, axis, at::repeat_interleave(counts.contiguous(), output_size));
}

Tensor repeat_interleave(
    const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
    std::optional<int64_t> output_size) {
  const Tensor input = dim ? self : at::flatten(self);
  const int64_t axis = maybe_wrap_dim(dim.value_or(0), self.dim());
  TORCH_CHECK(repeats >= 0, "Repeats must be non-negative");
  TORCH_CHECK(
      !output_size || *output_size == input.size(axis) * repeats,
      "repeat_interleave: Invalid output_size, expected ", input.size(axis) * repeats, " but got ",
      output_size.value_or(0));
  const Tensor rows = at::unsqueeze(input, axis + 1);
  DimVector sizes(rows.sizes());
  sizes[axis + 1] = repeats;
  return at::flatten(
      at::clone(at::methods::expand(rows, sizes), MemoryFormat::Contiguous), axis, axis + 1);
}

} // namespace at::native

#include <ATen/native/AdvancedIndex.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/Parallel.h>
#include <ATen/TensorUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/select.h>
#include <ATen/ops/to.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <limits>

namespace at::native {

DEFINE_DISPATCH(fold_index_stub);

namespace {

// One dimension of self: indexed by an int64 tensor, or kept whole (undefined).
using DimIndices = c10::SmallVector<Tensor, 4>;

bool is_mask(const Tensor& index) {
  return index.scalar_type() == kBool || index.scalar_type() == kByte;
}

void check_index_dtype(const Tensor& index) {
  const ScalarType dtype = index.scalar_type();
  TORCH_CHECK_INDEX(
      dtype == kLong || dtype == kInt || dtype == kByte || dtype == kBool,
      "tensors used as indices must be long, int, byte or bool tensors");
}

// A mask stands for one index tensor per dimension of the mask: the coordinates of its true
// elements.
void append_mask(DimIndices& result, const Tensor& self, const Tensor& mask) {
  if (mask.scalar_type() == kByte) {
    TORCH_WARN(
        "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
        "instead.");
  }
  const auto first = static_cast<int64_t>(result.size());
  for (int64_t i = 0; i < mask.dim(); ++i) {
    TORCH_CHECK_INDEX(
        first + i < self.dim() && mask.size(i) == self.size(first + i), "The shape of the mask ",
        mask.sizes(), " at index ", i, " does not match the shape of the indexed tensor ",
        self.sizes(), " at index ", first + i);
  }
  const Tensor positions = at::nonzero(
      mask.device() == self.device() ? mask : at::methods::to(mask, self.device(), kBool));
  for (int64_t i = 0; i < mask.dim(); ++i) {
    result.push_back(at::select(positions, 1, i));
  }
}

DimIndices per_dimension(const Tensor& self, const IndexList& indices) {
  DimIndices result;
  int64_t consumed = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::optional<Tensor>& entry = indices[i];
    const bool given = entry.has_value() && entry->defined();
    if (given) {
      check_index_dtype(*entry);
      TORCH_CHECK(
          entry->is_cpu() || entry->device() == self.device(),
          "indices should be either on cpu or on the same device as the indexed tensor (",
          self.device(), ")");
    }
    consumed += given && is_mask(*entry) ? entry->dim() : 1;
  }
  TORCH_CHECK_INDEX(
      consumed <= self.dim(), "too many indices for tensor of dimension ", self.dim(), " (got ",
      consumed, ")");
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::optional<Tensor>& entry = indices[i];
    if (!entry.has_value() || !entry->defined()) {
      result.emplace_back();
    } else if (is_mask(*entry)) {
      append_mask(result, self, *entry);
    } else {
      const bool direct = entry->scalar_type() == kLong && entry->device() == self.device();
      result.push_back(direct ? *entry : at::methods::to(*entry, self.device(), kLong));
    }
  }
  return result;
}

[[noreturn]] void broadcast_failed(const DimIndices& indices) {
  std::string shapes;
  for (const Tensor& index : indices) {
    if (index.defined()) {
      shapes += shapes.empty() ? " " : ", ";
      shapes += c10::str(index.sizes());
    }
  }
  TORCH_CHECK_INDEX(
      false, "shape mismatch: indexing tensors could not be broadcast together with shapes",
      shapes);
}

DimVector broadcast_sizes(const DimIndices& indices) {
  DimVector sizes;
  bool first = true;
  for (const Tensor& index : indices) {
    if (!index.defined()) {
      continue;
    }
    const IntArrayRef given = index.sizes();
    if (first) {
      sizes.assign(given.begin(), given.end());
      first = false;
    } else if (given != IntArrayRef(sizes)) {
      if (!at::are_expandable(sizes, given)) {
        broadcast_failed(indices);
      }
      sizes = at::infer_size_dimvector(sizes, given);
    }
  }
  return sizes;
}

// offsets[i] = sum over the indexed dimensions of index[i] * stride.
Tensor fold_indices(const Tensor& self, const DimIndices& indices, IntArrayRef sizes) {
  Tensor offsets = at::empty(sizes, self.options().dtype(kLong));
  if (self.is_meta()) {
    return offsets;
  }
  auto* out = offsets.mutable_data_ptr<int64_t>();
  bool first = true;
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    if (!indices[dim].defined()) {
      continue;
    }
    const Tensor expanded = at::methods::expand(indices[dim], sizes);
    if (!self.is_cpu()) {
      const auto size = static_cast<int64_t>(dim);
      fold_index_stub(
          self.device().type(), expanded.contiguous().const_data_ptr<int64_t>(),
          offsets.mutable_data_ptr<int64_t>(), offsets.numel(), self.size(size), self.stride(size),
          first);
      first = false;
      continue;
    }
    IndexedLoop rule;
    rule.bound = self.size(static_cast<int64_t>(dim));
    rule.dim = static_cast<int64_t>(dim);
    rule.policy = OutOfBounds::Wrap;
    const int64_t stride = self.stride(static_cast<int64_t>(dim));
    // A short index is resolved once, not wherever it is repeated.
    const bool repeats = indices[dim].numel() <= offsets.numel() / 16;
    const Tensor given = (repeats ? indices[dim] : expanded).contiguous();
    const auto* in = given.const_data_ptr<int64_t>();
    if (repeats) {
      const Tensor terms = at::empty(given.sizes(), offsets.options());
      auto* to = terms.mutable_data_ptr<int64_t>();
      for (int64_t i = 0; i < given.numel(); ++i) {
        to[i] = rule.resolve(in[i]) * stride;
      }
      const Tensor spread = at::methods::expand(terms, sizes);
      first ? at::methods::copy_(offsets, spread) : at::methods::add_(offsets, spread);
      first = false;
      continue;
    }
    at::parallel_for(
        0, offsets.numel(), at::internal::GRAIN_SIZE, [&, first](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            out[i] = (first ? 0 : out[i]) + rule.resolve(in[i]) * stride;
          }
        });
    first = false;
  }
  return offsets;
}

} // namespace

AdvancedIndex::AdvancedIndex(const Tensor& self, const IndexList& indices) {
  const DimIndices given = per_dimension(self, indices);
  int64_t first = -1;
  int64_t last = -1;
  int64_t count = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(given.size()); ++i) {
    if (given[i].defined()) {
      first = first < 0 ? i : first;
      last = i;
      ++count;
    }
  }
  TORCH_CHECK_INDEX(count > 0, "at least one index must be provided");
  const DimVector index_sizes = broadcast_sizes(given);
  // The dimensions of the indices replace the indexed ones; they come first if a kept dimension
  // lies between indexed ones.
  const int64_t before = last - first + 1 == count ? first : 0;

  bool index_is_empty = false;
  for (const int64_t size : index_sizes) {
    index_is_empty |= size == 0;
  }
  const auto push = [this](int64_t size, int64_t self_stride, int64_t index_stride) {
    sizes.push_back(size);
    self_strides.push_back(self_stride);
    index_strides.push_back(index_stride);
  };
  for (int64_t i = 0; i < before; ++i) {
    push(self.size(i), self.stride(i), 0);
  }
  if (count == 1) {
    index = given[first];
    step = self.stride(first);
    bound = self.size(first);
    dim = first;
  } else {
    index = fold_indices(self, given, index_sizes);
    bound = std::numeric_limits<int64_t>::max();
  }
  for (size_t i = 0; i < index_sizes.size(); ++i) {
    push(index_sizes[i], 0, index.stride(static_cast<int64_t>(i)));
  }
  for (int64_t i = before; i < self.dim(); ++i) {
    const bool indexed = i < static_cast<int64_t>(given.size()) && given[i].defined();
    if (!indexed) {
      push(self.size(i), self.stride(i), 0);
    } else {
      TORCH_CHECK_INDEX(
          self.size(i) != 0 || index_is_empty, "index is out of bounds for dimension with size 0");
    }
  }
}

Tensor AdvancedIndex::empty_result(const Tensor& self) const {
  if (!self.is_contiguous()) {
    const std::array<IntArrayRef, 2> strides = {self_strides, index_strides};
    return at::empty_strided(sizes, at::detail::dense_strides_like(sizes, strides), self.options());
  }
  return self.is_cpu() ? Tensor(at::detail::empty_cpu(sizes, self.scalar_type()))
                       : at::empty(sizes, self.options());
}

IndexedLoop AdvancedIndex::loop(const Tensor& plain, const Tensor& self) const {
  IndexedLoop loop;
  const auto itemsize = static_cast<int64_t>(self.itemsize());
  const IntArrayRef plain_strides = plain.strides();
  for (size_t i = 0; i < sizes.size(); ++i) {
    loop.add_dim(
        sizes[i], plain_strides[i] * itemsize, index_strides[i], self_strides[i] * itemsize);
  }
  loop.plain = static_cast<char*>(const_cast<void*>(plain.const_data_ptr()));
  loop.index = index.const_data_ptr<int64_t>();
  loop.indexed = static_cast<char*>(const_cast<void*>(self.const_data_ptr()));
  loop.step = step * itemsize;
  loop.bound = bound;
  loop.dim = dim;
  loop.policy = OutOfBounds::Wrap;
  return loop;
}

const Tensor* whole_mask(const Tensor& self, const IndexList& indices) {
  if (indices.size() != 1 || !indices[0].has_value() || !indices[0]->defined()) {
    return nullptr;
  }
  const Tensor& mask = *indices[0];
  const bool whole = mask.scalar_type() == kBool && mask.dim() > 0 &&
      mask.sizes() == self.sizes() && mask.device() == self.device();
  return whole ? &mask : nullptr;
}

} // namespace at::native

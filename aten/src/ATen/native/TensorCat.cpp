// cat and stack.

#include <ATen/core/Tensor.h>

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/Parallel.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/native/SameDevice.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cat_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/stack_native.h>
#include <ATen/ops/unsqueeze.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

namespace at::native {
namespace {

// A tensor of shape (0,) may be combined with tensors of any shape; it adds nothing.
bool is_skipped(const Tensor& tensor) {
  return tensor.dim() == 1 && tensor.sizes()[0] == 0;
}

ScalarType promoted_dtype(TensorList tensors) {
  const ScalarType first = tensors[0].scalar_type();
  const bool all_same = std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
    return tensor.scalar_type() == first;
  });
  if (all_same) {
    return first;
  }
  ResultTypeState state;
  for (const Tensor& tensor : tensors) {
    state = update_result_type_state(tensor, state);
  }
  return result_type(state);
}

struct CatPlan {
  int64_t dim = 0;
  DimVector sizes;
  ScalarType dtype = ScalarType::Undefined;
  MemoryFormat memory_format = MemoryFormat::Contiguous;
  // Whether all inputs are row-major and have the result's dtype, so that whole runs of memory can
  // be copied.
  bool plain = true;
};

void check_cat_shape(const Tensor& first, const Tensor& tensor, int64_t dim, size_t position) {
  TORCH_CHECK(
      first.dim() == tensor.dim(), "Tensors must have same number of dimensions: got ", first.dim(),
      " and ", tensor.dim());
  for (int64_t i = 0; i < first.dim(); ++i) {
    TORCH_CHECK(
        i == dim || first.sizes()[i] == tensor.sizes()[i],
        "Sizes of tensors must match except in dimension ", dim, ". Expected size ",
        first.sizes()[i], " but got size ", tensor.sizes()[i], " for tensor number ", position,
        " in the list.");
  }
}

CatPlan plan_cat(TensorList tensors, int64_t dim) {
  TORCH_CHECK_VALUE(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  CatPlan plan;
  plan.dtype = promoted_dtype(tensors);
  const Tensor* first = nullptr;
  bool same_format = true;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    TORCH_CHECK(
        tensor.device() == tensors[0].device(), "Tensor on device ", tensor.device(),
        " is not on the expected device ", tensors[0].device(), "!");
    TORCH_CHECK(
        tensor.dim() > 0, "zero-dimensional tensor (at position ", i, ") cannot be concatenated");
    if (is_skipped(tensor)) {
      continue;
    }
    plan.plain &= tensor.is_contiguous() && tensor.scalar_type() == plan.dtype;
    if (first == nullptr) {
      first = &tensor;
      plan.dim = maybe_wrap_dim(dim, tensor.dim());
      plan.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
      plan.memory_format = tensor.suggest_memory_format();
    } else {
      check_cat_shape(*first, tensor, plan.dim, i);
      plan.sizes[plan.dim] += tensor.sizes()[plan.dim];
      same_format &= tensor.suggest_memory_format() == plan.memory_format;
    }
  }
  if (first == nullptr) {
    plan.dim = 0; // the dimension of empty vectors is not checked
    plan.sizes.push_back(0);
  }
  if (!same_format || plan.plain) {
    plan.memory_format = MemoryFormat::Contiguous;
  }
  return plan;
}

int64_t product(IntArrayRef sizes) {
  int64_t result = 1;
  for (const int64_t size : sizes) {
    result *= size;
  }
  return result;
}

// What one tensor contributes: runs of `bytes`, one after the other from `from`.
struct Runs {
  const char* from;
  size_t bytes;
};

// The bytes of one tensor's runs if those of all tensors are as long and can be moved as one
// number; else 0.
size_t bytes_of_short_runs(const std::vector<Runs>& tensors) {
  const size_t bytes = tensors[0].bytes;
  const bool fits = bytes <= 16 && (bytes & (bytes - 1)) == 0;
  const bool same = std::all_of(
      tensors.begin(), tensors.end(), [&](const Runs& tensor) { return tensor.bytes == bytes; });
  return fits && same ? bytes : 0;
}

// Copies `count` runs of two tensors in turn, a register of each at a time.
template <size_t kBytes>
void interleave_two(const char* first, const char* second, char* to, int64_t count) {
  int64_t i = 0;
  if constexpr (kBytes == 4 || kBytes == 8) {
    using Word = std::conditional_t<kBytes == 4, uint32_t, uint64_t>;
    typedef Word Words __attribute__((vector_size(16)));
    constexpr int64_t kWords = 16 / kBytes;
    for (; i + kWords <= count; i += kWords, to += 32) {
      Words a, b;
      std::memcpy(&a, first + i * kBytes, sizeof(a));
      std::memcpy(&b, second + i * kBytes, sizeof(b));
      Words low, high;
      if constexpr (kWords == 4) {
        low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      } else {
        low = __builtin_shufflevector(a, b, 0, 2);
        high = __builtin_shufflevector(a, b, 1, 3);
      }
      std::memcpy(to, &low, sizeof(low));
      std::memcpy(to + sizeof(low), &high, sizeof(high));
    }
  }
  for (; i < count; ++i, to += 2 * kBytes) {
    std::memcpy(to, first + i * kBytes, kBytes);
    std::memcpy(to + kBytes, second + i * kBytes, kBytes);
  }
}

// Copies runs [begin, end) of all tensors in turn.
template <size_t kBytes>
void interleave(const std::vector<Runs>& tensors, char* to, int64_t begin, int64_t end) {
  to += begin * static_cast<int64_t>(tensors.size() * kBytes);
  if (tensors.size() == 2) {
    return interleave_two<kBytes>(
        tensors[0].from + begin * kBytes, tensors[1].from + begin * kBytes, to, end - begin);
  }
  for (int64_t i = begin; i < end; ++i) {
    for (const Runs& tensor : tensors) {
      std::memcpy(to, tensor.from + i * kBytes, kBytes);
      to += kBytes;
    }
  }
}

// Copies `outer` times a run of each tensor in turn; all tensors, including the result, are
// row-major.
void copy_runs(const Tensor& result, TensorList tensors, int64_t outer) {
  auto* out = static_cast<char*>(result.mutable_data_ptr());
  const auto itemsize = static_cast<int64_t>(result.itemsize());
  const int64_t total = result.numel() * itemsize;
  // Below this size, waking another core costs more than it saves.
  constexpr int64_t kParallelBytes = int64_t{1} << 18;
  if (outer == 1) {
    at::parallel_for(0, total, kParallelBytes, [&](int64_t begin, int64_t end) {
      int64_t first = 0;
      for (const Tensor& tensor : tensors) {
        const int64_t last = first + tensor.numel() * itemsize;
        const int64_t from = std::max(begin, first), to = std::min(end, last);
        if (from < to) {
          const auto* in = static_cast<const char*>(tensor.const_data_ptr());
          std::copy_n(in + (from - first), to - from, out + from);
        }
        first = last;
      }
    });
    return;
  }
  const int64_t grain = std::max<int64_t>(1, kParallelBytes / std::max<int64_t>(total / outer, 1));
  std::vector<Runs> runs;
  for (const Tensor& tensor : tensors) {
    if (tensor.numel() != 0) {
      runs.push_back(
          {static_cast<const char*>(tensor.const_data_ptr()),
           static_cast<size_t>(tensor.numel() * itemsize / outer)});
    }
  }
  if (const size_t bytes = bytes_of_short_runs(runs); bytes != 0) {
    at::parallel_for(0, outer, grain, [&](int64_t begin, int64_t end) {
      dispatch_itemsize(
          bytes, [&](auto element) { interleave<sizeof(element)>(runs, out, begin, end); });
    });
    return;
  }
  const auto period = static_cast<size_t>(total / outer);
  at::parallel_for(0, outer, grain, [&](int64_t begin, int64_t end) {
    char* to = out + static_cast<size_t>(begin) * period;
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      for (const Runs& run : runs) {
        std::memcpy(to, run.from + i * run.bytes, run.bytes);
        to += run.bytes;
      }
    }
  });
}

void copy_parts(const Tensor& result, TensorList tensors, int64_t dim) {
  int64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) {
      continue;
    }
    const int64_t length = tensor.sizes()[dim];
    at::methods::copy_(at::narrow(result, dim, offset, length), tensor);
    offset += length;
  }
}

bool are_channels_last(const CatPlan& plan, TensorList tensors) {
  return plan.memory_format == MemoryFormat::ChannelsLast &&
      std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
           return is_skipped(tensor) ||
               (tensor.scalar_type() == plan.dtype &&
                tensor.is_contiguous(MemoryFormat::ChannelsLast));
         });
}

// The number of runs of images (batch, channels, height, width), of which channels are adjacent.
int64_t runs_channels_last(const CatPlan& plan) {
  const auto& s = plan.sizes;
  const std::array<int64_t, 4> runs{1, s[0] * s[2] * s[3], s[0], s[0] * s[2]};
  return runs[static_cast<size_t>(plan.dim)];
}

void cat_into(const CatPlan& plan, TensorList tensors, const Tensor& result) {
  if (result.numel() == 0 || result.is_meta()) {
    return;
  }
  const bool direct = result.is_cpu() && result.scalar_type() == plan.dtype;
  if (direct && plan.plain && result.is_contiguous()) {
    copy_runs(result, tensors, product(IntArrayRef(plan.sizes).slice(0, plan.dim)));
  } else if (
      direct && are_channels_last(plan, tensors) &&
      result.is_contiguous(MemoryFormat::ChannelsLast)) {
    copy_runs(result, tensors, runs_channels_last(plan));
  } else {
    copy_parts(result, tensors, plan.dim);
  }
}

Tensor make_result(const Tensor& like, IntArrayRef sizes, ScalarType dtype, MemoryFormat format) {
  if (like.is_cpu() && format == MemoryFormat::Contiguous) {
    return Tensor(at::detail::empty_cpu(sizes, dtype));
  }
  return at::empty(sizes, like.options().dtype(dtype), format);
}

void check_out_dtype(ScalarType from, const Tensor& result, const char* name) {
  TORCH_CHECK_TYPE(
      c10::canCast(from, result.scalar_type()), name,
      "(): input types can't be cast to the desired output type ", result.scalar_type());
}

} // namespace

Tensor cat(TensorList tensors, int64_t dim) {
  const CatPlan plan = plan_cat(tensors, dim);
  Tensor result = make_result(tensors[0], plan.sizes, plan.dtype, plan.memory_format);
  cat_into(plan, tensors, result);
  return result;
}

Tensor& cat_out(TensorList tensors, int64_t dim, Tensor& result) {
  const CatPlan plan = plan_cat(tensors, dim);
  check_out_dtype(plan.dtype, result, "torch.cat");
  check_same_device(result, tensors[0]);
  at::assert_no_internal_overlap(result);
  for (const Tensor& tensor : tensors) {
    at::assert_no_overlap(result, tensor);
  }
  resize_output(result, plan.sizes);
  cat_into(plan, tensors, result);
  return result;
}

namespace {

int64_t check_stack(TensorList tensors, int64_t dim) {
  TORCH_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  const int64_t wrapped = maybe_wrap_dim(dim, tensors[0].dim() + 1);
  for (size_t i = 1; i < tensors.size(); ++i) {
    TORCH_CHECK(
        tensors[i].sizes() == tensors[0].sizes(),
        "stack expects each tensor to be equal size, but got ", tensors[0].sizes(),
        " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
  }
  return wrapped;
}

std::vector<Tensor> unsqueeze_all(TensorList tensors, int64_t dim) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    result.push_back(at::unsqueeze(tensor, dim));
  }
  return result;
}

// Whether images are to be stacked in channels-last order, as in PyTorch: not along a new last
// dimension, which would separate their channels.
bool stacks_channels_last(TensorList tensors, int64_t dim) {
  const MemoryFormat format = tensors[0].suggest_memory_format();
  return format != MemoryFormat::Contiguous && dim < tensors[0].dim() &&
      std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
           return tensor.suggest_memory_format() == format && tensor.is_contiguous(format);
         });
}

// Stacks with the channels moved to the end, and moves them back.
Tensor stack_channels_last(TensorList tensors, int64_t dim) {
  const auto place = [dims = tensors[0].dim()](int64_t d) {
    return d < 2 ? (d == 0 ? 0 : dims - 1) : d - 1;
  };
  std::vector<Tensor> moved;
  for (const Tensor& tensor : tensors) {
    moved.push_back(at::movedim(tensor, {1}, {-1}));
  }
  const int64_t stacked = place(dim);
  DimVector order;
  for (int64_t d = 0; d < tensors[0].dim(); ++d) {
    order.push_back(place(d) + (place(d) >= stacked ? 1 : 0));
  }
  order.insert(order.begin() + dim, stacked);
  return at::permute(stack(moved, stacked), order);
}

} // namespace

Tensor stack(TensorList tensors, int64_t dim) {
  dim = check_stack(tensors, dim);
  if (stacks_channels_last(tensors, dim)) {
    return stack_channels_last(tensors, dim);
  }
  const ScalarType dtype = promoted_dtype(tensors);
  const bool plain = std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
    return tensor.is_cpu() && tensor.is_contiguous() && tensor.scalar_type() == dtype;
  });
  if (!plain) {
    return at::cat(unsqueeze_all(tensors, dim), dim);
  }
  const IntArrayRef sizes = tensors[0].sizes();
  DimVector stacked(sizes.begin(), sizes.end());
  stacked.insert(stacked.begin() + dim, static_cast<int64_t>(tensors.size()));
  Tensor result = make_result(tensors[0], stacked, dtype, MemoryFormat::Contiguous);
  if (result.numel() != 0) {
    copy_runs(result, tensors, product(sizes.slice(0, dim)));
  }
  return result;
}

Tensor& stack_out(TensorList tensors, int64_t dim, Tensor& result) {
  dim = check_stack(tensors, dim);
  check_out_dtype(promoted_dtype(tensors), result, "torch.stack");
  return at::cat_out(result, unsqueeze_all(tensors, dim), dim);
}

} // namespace at::native

#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/QScheme.h>
#include <c10/core/TensorOptions.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/util/Exception.h>

#include <array>
#include <ostream>

namespace c10 {

std::ostream& operator<<(std::ostream& out, Layout layout) {
  static constexpr const char* names[] = {"Strided",   "Sparse",    "SparseCsr", "Mkldnn",
                                          "SparseCsc", "SparseBsr", "SparseBsc", "Jagged"};
  TORCH_CHECK(layout < Layout::NumOptions, "Unknown layout");
  return out << names[static_cast<size_t>(layout)];
}

std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
  static constexpr const char* names[] = {
      "Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
  TORCH_CHECK(
      format < MemoryFormat::NumOptions, "Unknown memory format ", static_cast<int>(format));
  return out << names[static_cast<size_t>(format)];
}

std::string toString(QScheme scheme) {
  static constexpr const char* names[] = {
      "per_tensor_affine", "per_channel_affine", "per_tensor_symmetric", "per_channel_symmetric",
      "per_channel_affine_float_qparams"};
  TORCH_CHECK(
      scheme < QScheme::COMPILE_TIME_NUM_QSCHEMES,
      "Unrecognized qscheme: ", static_cast<int>(scheme));
  return names[static_cast<size_t>(scheme)];
}

DimVector contiguous_strides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i] > 1 ? sizes[i] : 1;
  }
  return strides;
}

namespace {

// Channels vary fastest, then the spatial dimensions from last to first, then the batch if there is
// one.
DimVector channels_last_strides(IntArrayRef sizes, size_t with_batch) {
  TORCH_CHECK(
      sizes.size() == with_batch || sizes.size() + 1 == with_batch,
      "ChannelsLast doesn't support size ", sizes.size());
  const bool batched = sizes.size() == with_batch;
  const size_t channel = batched ? 1 : 0;
  DimVector strides(sizes.size());
  strides[channel] = 1;
  int64_t stride = sizes[channel];
  for (size_t i = sizes.size(); --i > channel;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  if (batched) {
    strides[0] = stride;
  }
  return strides;
}

// Whether strides increase in the order channel, spatial dimensions from last to first, batch. A
// dimension of size one with the same stride as its inner neighbor is ambiguous and counts as
// row-major.
bool has_channels_last_order(IntArrayRef sizes, IntArrayRef strides) {
  const size_t ndim = sizes.size();
  if (strides[1] == 0) {
    return false;
  }
  int64_t least = 0;
  auto fits = [&](size_t d) {
    if (sizes[d] == 0 || strides[d] < least) {
      return false;
    }
    // With equal strides, only an N111 tensor or a single-channel one gets here.
    if (d == 0 && least == strides[1]) {
      return false;
    }
    least = strides[d] * (sizes[d] > 1 ? sizes[d] : 1);
    return true;
  };
  if (!fits(1)) {
    return false;
  }
  for (size_t d = ndim; --d > 1;) {
    if (!fits(d)) {
      return false;
    }
  }
  return fits(0);
}

} // namespace

DimVector get_channels_last_strides_2d(IntArrayRef sizes) {
  return channels_last_strides(sizes, 4);
}
DimVector get_channels_last_strides_3d(IntArrayRef sizes) {
  return channels_last_strides(sizes, 5);
}
bool is_channels_last_strides_2d(IntArrayRef sizes, IntArrayRef strides) {
  return sizes.size() == 4 && has_channels_last_order(sizes, strides);
}
bool is_channels_last_strides_3d(IntArrayRef sizes, IntArrayRef strides) {
  return sizes.size() == 5 && has_channels_last_order(sizes, strides);
}

namespace detail {

int64_t maybe_wrap_dim_slow(int64_t dim, int64_t dim_post_expr, bool wrap_scalar) {
  TORCH_CHECK_INDEX(dim_post_expr >= 0, "Rank cannot be negative but got ", dim_post_expr);
  if (dim_post_expr == 0) {
    TORCH_CHECK_INDEX(wrap_scalar, "Dimension specified as ", dim, " but tensor has no dimensions");
    return maybe_wrap_dim(dim, 1, false);
  }
  const int64_t lowest = -dim_post_expr;
  const int64_t highest = dim_post_expr - 1;
  TORCH_CHECK_INDEX(
      lowest <= dim && dim <= highest, "Dimension out of range (expected to be in range of [",
      lowest, ", ", highest, "], but got ", dim, ")");
  return dim < 0 ? dim + dim_post_expr : dim;
}

} // namespace detail

DispatchKey computeDispatchKey(
    std::optional<ScalarType>, std::optional<Layout> layout, std::optional<Device> device) {
  const DispatchKey dense = dispatch_key_of(device_or_default(device).type());
  const auto with = [&](DispatchKey functionality) {
    return toRuntimePerBackendFunctionalityKey(functionality, toBackendComponent(dense));
  };
  switch (layout_or_default(layout)) {
    case kStrided:
      return dense;
    case kSparse:
      return with(DispatchKey::Sparse);
    case kSparseCsr:
    case kSparseCsc:
    case kSparseBsr:
    case kSparseBsc:
      return with(DispatchKey::SparseCsr);
    case kJagged:
      return with(DispatchKey::NestedTensor);
    case kMkldnn:
      if (dense == DispatchKey::CPU) {
        return DispatchKey::MkldnnCPU;
      }
      [[fallthrough]];
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "Unsupported layout: ", layout_or_default(layout));
  }
}

std::ostream& operator<<(std::ostream& out, const TensorOptions& options) {
  out << "TensorOptions(dtype=" << toString(options.dtype().toScalarType())
      << (options.has_dtype() ? "" : " (default)") << ", device=" << options.device()
      << (options.has_device() ? "" : " (default)") << ", layout=" << options.layout()
      << (options.has_layout() ? "" : " (default)")
      << ", requires_grad=" << (options.requires_grad() ? "true" : "false")
      << (options.has_requires_grad() ? "" : " (default)")
      << ", pinned_memory=" << (options.pinned_memory() ? "true" : "false")
      << (options.has_pinned_memory() ? "" : " (default)") << ", memory_format=";
  if (const auto format = options.memory_format_opt()) {
    return out << *format << ")";
  }
  return out << "(nullopt))";
}

} // namespace c10

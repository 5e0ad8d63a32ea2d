#include <ATen/core/Tensor.h>
#include <ATen/ops/_pad_circular.h>
#include <ATen/ops/_pad_circular_native.h>
#include <ATen/ops/_pad_enum.h>
#include <ATen/ops/_pad_enum_native.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/pad_native.h>
#include <ATen/ops/reflection_pad1d.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/reflection_pad3d.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/replication_pad1d.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/replication_pad3d.h>

#include <algorithm>
#include <array>

namespace at::native {

namespace {

// The values match the schema of _pad_enum.
enum class Mode { Reflect, Replicate, Circular, Constant };
constexpr std::array<const char*, 4> kModes = {"reflect", "replicate", "circular", "constant"};

// The number of trailing dimensions padded with elements of the input, which has one or two more
// dimensions.
int64_t edge_dims(const Tensor& self, IntArrayRef pad) {
  for (const int64_t dims : {int64_t(1), int64_t(2), int64_t(3)}) {
    if (static_cast<int64_t>(pad.size()) == 2 * dims &&
        (self.dim() == dims + 1 || self.dim() == dims + 2)) {
      return dims;
    }
  }
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "Padding size ", pad.size(), " is not supported for ", self.dim(),
      "D input tensor.\nSupported combinations for non-constant padding:\n"
      "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
      "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
      "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)");
}

} // namespace

Tensor _pad_circular(const Tensor& self, IntArrayRef pad) {
  const int64_t dims = edge_dims(self, pad);
  Tensor result = self;
  for (int64_t i = 0; i < dims; ++i) {
    const int64_t dim = self.dim() - 1 - i, size = self.size(dim);
    const int64_t before = pad[static_cast<size_t>(2 * i)];
    const int64_t after = pad[static_cast<size_t>(2 * i + 1)];
    TORCH_CHECK(
        before <= size && after <= size, "Padding value causes wrapping around more than once.");
    TORCH_CHECK(
        size + before + after >= 0, "Negative padding value is resulting in an empty dimension");
    // Negative padding crops first; the rest wraps around.
    const int64_t first = std::max<int64_t>(0, -before);
    const int64_t left = size + std::min<int64_t>(0, before) + std::min<int64_t>(0, after);
    const int64_t begin = -std::max<int64_t>(0, before);
    const int64_t end = left + std::max<int64_t>(0, after);
    const Tensor from = at::remainder(at::arange(begin, end, self.options().dtype(kLong)), left);
    result = at::index_select(at::narrow(result, dim, first, left), dim, from);
  }
  return result;
}

Tensor _pad_enum(const Tensor& self, IntArrayRef pad, int64_t mode, std::optional<double> value) {
  TORCH_CHECK(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  TORCH_CHECK(
      static_cast<int64_t>(pad.size()) <= self.dim() * 2,
      "Padding length should be less than or equal to two times the input dimension but got "
      "padding length ",
      pad.size(), " and input of dimension ", self.dim());
  TORCH_CHECK(mode >= 0 && mode < 4, "Unrecognised padding mode ", mode);
  if (static_cast<Mode>(mode) == Mode::Constant) {
    return at::constant_pad_nd(self, pad, value.value_or(0.0));
  }
  TORCH_CHECK(
      !value.has_value() || *value == 0, "Padding mode \"", kModes[static_cast<size_t>(mode)],
      "\" doesn't take in value argument");
  if (static_cast<Mode>(mode) == Mode::Circular) {
    return at::_pad_circular(self, pad);
  }
  const int64_t dims = edge_dims(self, pad);
  if (static_cast<Mode>(mode) == Mode::Reflect) {
    return dims == 1 ? at::reflection_pad1d(self, pad)
        : dims == 2  ? at::reflection_pad2d(self, pad)
                     : at::reflection_pad3d(self, pad);
  }
  return dims == 1 ? at::replication_pad1d(self, pad)
      : dims == 2  ? at::replication_pad2d(self, pad)
                   : at::replication_pad3d(self, pad);
}

Tensor pad(
    const Tensor& self, IntArrayRef pad, c10::string_view mode, std::optional<double> value) {
  for (size_t i = 0; i < kModes.size(); ++i) {
    if (mode == kModes[i]) {
      return at::_pad_enum(self, pad, static_cast<int64_t>(i), value);
    }
  }
  TORCH_CHECK_NOT_IMPLEMENTED(false, "Unrecognised padding mode ", std::string(mode));
}

} // namespace at::native

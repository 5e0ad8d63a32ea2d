#include <ATen/native/PadAxis.h>

#include <algorithm>

namespace at::native {

namespace {

struct Pair {
  int64_t before, after;
};

Pair pads_of(IntArrayRef padding, int64_t from_last) {
  const auto at = static_cast<size_t>(2 * from_last);
  return {padding[at], padding[at + 1]};
}

void check_pads(const Tensor& self, IntArrayRef padding, int64_t dims) {
  TORCH_CHECK(
      static_cast<int64_t>(padding.size()) == 2 * dims, "padding size is expected to be ", 2 * dims,
      ", but got: ", padding.size());
  const bool has_batch = self.dim() == dims + 2;
  bool valid = has_batch || self.dim() == dims + 1;
  for (int64_t d = has_batch ? 1 : 0; valid && d < self.dim(); ++d) {
    valid = self.size(d) != 0;
  }
  TORCH_CHECK(
      valid, "Expected ", dims + 1, "D or ", dims + 2,
      "D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
      "but got: ",
      self.sizes());
}

int64_t source_of(PadMode mode, int64_t at, int64_t size) {
  if (mode == PadMode::Replication) {
    return std::clamp<int64_t>(at, 0, size - 1);
  }
  return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}

} // namespace

c10::DimVector padded_sizes(PadMode mode, const Tensor& self, IntArrayRef padding, int64_t dims) {
  check_pads(self, padding, dims);
  c10::DimVector sizes(self.sizes());
  for (int64_t i = 0; i < dims; ++i) {
    const int64_t dim = self.dim() - 1 - i, size = self.size(dim);
    const auto [before, after] = pads_of(padding, i);
    TORCH_CHECK(
        mode != PadMode::Reflection || (before < size && after < size), "Argument #", 4 + 2 * i,
        ": Padding size should be less than the corresponding input "
        "dimension, but got: padding (",
        before, ", ", after, ") at dimension ", dim, " of input ", self.sizes());
    const int64_t padded = size + before + after;
    TORCH_CHECK(
        padded >= 1, "input of size ", self.sizes(), " is too small: the calculated output size ",
        "at dimension ", dim, " is ", padded);
    sizes[static_cast<size_t>(dim)] = padded;
  }
  return sizes;
}

AxisMap padded_axis(PadMode mode, const Tensor& self, IntArrayRef padding, int64_t from_last) {
  const int64_t size = self.size(self.dim() - 1 - from_last);
  const auto [before, after] = pads_of(padding, from_last);
  AxisMap map;
  for (int64_t at = -before; at < size + after; ++at) {
    map.first.push_back(source_of(mode, at, size));
  }
  return map;
}

namespace {

std::optional<AxisMap> rows_of(
    PadMode mode, const Tensor& self, IntArrayRef padding, int64_t dims) {
  return dims == 2 ? std::optional(padded_axis(mode, self, padding, 1)) : std::nullopt;
}

} // namespace

void pad_into(
    PadMode mode, const Tensor& self, IntArrayRef padding, int64_t dims, const Tensor& out) {
  resample(self, out, rows_of(mode, self, padding, dims), padded_axis(mode, self, padding, 0));
}

void pad_backward_into(
    PadMode mode, const Tensor& grad, const Tensor& self, IntArrayRef padding, int64_t dims,
    const Tensor& grad_in) {
  resample_backward(
      grad, grad_in, rows_of(mode, self, padding, dims), padded_axis(mode, self, padding, 0));
}

} // namespace at::native

#include <ATen/native/PadAxis.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>

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
  map.first.resize(static_cast<size_t>(std::max<int64_t>(0, before + size + after)));
  int64_t at = -before;
  for (int64_t& from : map.first) {
    from = at >= 0 && at < size ? at : source_of(mode, at, size);
    ++at;
  }
  return map;
}

namespace {

std::optional<AxisMap> rows_of(
    PadMode mode, const Tensor& self, IntArrayRef padding, int64_t dims) {
  return dims == 2 ? std::optional(padded_axis(mode, self, padding, 1)) : std::nullopt;
}

// Along the last dimension only the ends are reordered; a map of a long signal would cost more than
// the copy of its middle.
void pad_rows(PadMode mode, const Tensor& self, IntArrayRef padding, const Tensor& out) {
  const Tensor source = self.contiguous();
  const int64_t size = self.size(-1), width = out.size(-1), rows = out.numel() / width;
  const int64_t before = pads_of(padding, 0).before;
  const int64_t begin = std::clamp<int64_t>(before, 0, width);
  const int64_t end = std::clamp<int64_t>(before + size, begin, width);
  const auto bytes = static_cast<int64_t>(self.element_size());
  const auto* in = static_cast<const char*>(source.const_data_ptr());
  auto* to = static_cast<char*>(out.mutable_data_ptr());
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / width);
  at::parallel_for(0, rows, grain, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const char* from = in + row * size * bytes;
      char* into = to + row * width * bytes;
      const auto copy = [&](int64_t at, int64_t count) {
        std::memcpy(
            into + at * bytes, from + source_of(mode, at - before, size) * bytes, count * bytes);
      };
      for (int64_t at = 0; at < begin; ++at) {
        copy(at, 1);
      }
      if (end > begin) {
        copy(begin, end - begin);
      }
      for (int64_t at = end; at < width; ++at) {
        copy(at, 1);
      }
    }
  });
}

} // namespace

void pad_into(
    PadMode mode, const Tensor& self, IntArrayRef padding, int64_t dims, const Tensor& out) {
  if (dims == 1 && out.is_cpu() && out.is_contiguous() && out.numel() > 0) {
    return pad_rows(mode, self, padding, out);
  }
  resample(self, out, rows_of(mode, self, padding, dims), padded_axis(mode, self, padding, 0));
}

void pad_backward_into(
    PadMode mode, const Tensor& grad, const Tensor& self, IntArrayRef padding, int64_t dims,
    const Tensor& grad_in) {
  resample_backward(
      grad, grad_in, rows_of(mode, self, padding, dims), padded_axis(mode, self, padding, 0));
}

} // namespace at::native

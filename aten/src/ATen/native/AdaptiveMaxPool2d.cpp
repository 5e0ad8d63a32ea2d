#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/adaptive_max_pool2d_native.h>

// Output cell (oh, ow) is the maximum over rows [floor(oh * H / OH), ceil((oh + 1) * H / OH)) and
// the columns worked out alike, with its index in the plane.

namespace at::meta {

TORCH_META_FUNC(adaptive_max_pool2d)(const Tensor& self, IntArrayRef output_size) {
  const int64_t dims = self.dim();
  TORCH_CHECK(
      dims == 3 || dims == 4,
      "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: ", self.sizes());
  for (int64_t d = 1; d < dims; ++d) {
    TORCH_CHECK(
        self.size(d) > 0,
        "adaptive_max_pool2d(): Expected input to have non-zero size for non-batch dimensions, but "
        "input has sizes ",
        self.sizes(), " with dimension ", d, " being empty");
  }
  TORCH_CHECK(
      output_size.size() == 2,
      "adaptive_max_pool2d(): internal error: output_size.size() must be 2");
  TORCH_CHECK(
      output_size[0] >= 0 && output_size[1] >= 0,
      "adaptive_max_pool2d(): elements of output_size must be greater than or equal to 0 but got ",
      output_size);
  c10::DimVector sizes(self.sizes());
  sizes[dims - 2] = output_size[0];
  sizes[dims - 1] = output_size[1];
  c10::DimVector strides = c10::contiguous_strides(sizes);
  if (dims == 4 && self.suggest_memory_format() == MemoryFormat::ChannelsLast) {
    strides = {sizes[1] * sizes[2] * sizes[3], 1, sizes[1] * sizes[3], sizes[1]};
  }
  set_output_raw_strided(0, sizes, strides, self.options());
  set_output_raw_strided(1, sizes, strides, self.options().dtype(kLong));
}

} // namespace at::meta

namespace at::native {

namespace {

int64_t start_of(int64_t out, int64_t out_size, int64_t in_size) {
  return out * in_size / out_size;
}
int64_t end_of(int64_t out, int64_t out_size, int64_t in_size) {
  return ((out + 1) * in_size + out_size - 1) / out_size;
}

template <typename scalar_t>
void pool_plane(
    TensorAccessor<scalar_t, 3> input, TensorAccessor<scalar_t, 3> output,
    TensorAccessor<int64_t, 3> indices, int64_t plane) {
  const int64_t in_h = input.size(1), in_w = input.size(2);
  const int64_t out_h = output.size(1), out_w = output.size(2);
  const auto in = input[plane];
  for (int64_t oh = 0; oh < out_h; ++oh) {
    const int64_t h_begin = start_of(oh, out_h, in_h), h_end = end_of(oh, out_h, in_h);
    for (int64_t ow = 0; ow < out_w; ++ow) {
      const int64_t w_begin = start_of(ow, out_w, in_w), w_end = end_of(ow, out_w, in_w);
      scalar_t best = in[h_begin][w_begin];
      int64_t index = h_begin * in_w + w_begin;
      for (int64_t h = h_begin; h < h_end; ++h) {
        for (int64_t w = w_begin; w < w_end; ++w) {
          const scalar_t value = in[h][w];
          if (value > best || value != value) {
            best = value;
            index = h * in_w + w;
          }
        }
      }
      output[plane][oh][ow] = best;
      indices[plane][oh][ow] = index;
    }
  }
}

} // namespace

TORCH_IMPL_FUNC(adaptive_max_pool2d_out_cpu)
(const Tensor& self, IntArrayRef, const Tensor& output, const Tensor& indices) {
  const int64_t batch = self.dim() == 4 ? self.size(0) : 1;
  if (output.numel() == 0) {
    return;
  }
  const auto image = [&](const Tensor& tensor, int64_t n) {
    return self.dim() == 4 ? tensor.select(0, n) : tensor;
  };
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kBFloat16, kHalf, self.scalar_type(), "adaptive_max_pool2d_cpu", [&] {
        for (int64_t n = 0; n < batch; ++n) {
          const Tensor in = image(self, n), out = image(output, n), at = image(indices, n);
          const auto from = in.accessor<scalar_t, 3>();
          const auto to = out.accessor<scalar_t, 3>();
          const auto places = at.accessor<int64_t, 3>();
          at::parallel_for(0, in.size(0), 1, [&](int64_t begin, int64_t end) {
            for (int64_t plane = begin; plane < end; ++plane) {
              pool_plane<scalar_t>(from, to, places, plane);
            }
          });
        }
      });
}

} // namespace at::native

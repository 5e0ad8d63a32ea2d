// max_pool2d and adaptive_max_pool2d.

#include <ATen/native/MaxPool.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>

#include <ATen/ops/adaptive_max_pool2d_meta.h>
#include <ATen/ops/adaptive_max_pool2d_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool2d_native.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_meta.h>
#include <ATen/ops/max_pool2d_with_indices_native.h>

#include <limits>

namespace at::native {

DEFINE_DISPATCH(max_pool2d_stub);

namespace {

struct PoolArguments {
  IntArrayRef kernel, stride, padding, dilation;
  bool ceil_mode;
};

void check_pool_arguments(const PoolArguments& a) {
  const auto one_or_two = [](IntArrayRef v) { return v.size() == 1 || v.size() == 2; };
  TORCH_CHECK(one_or_two(a.kernel),
              "max_pool2d: kernel_size must either be a single int, or a tuple of two ints");
  TORCH_CHECK(a.stride.empty() || one_or_two(a.stride),
              "max_pool2d: stride must either be omitted, a single int, or a tuple of two ints");
  TORCH_CHECK(one_or_two(a.padding),
              "max_pool2d: padding must either be a single int, or a tuple of two ints");
  TORCH_CHECK(one_or_two(a.dilation),
              "max_pool2d: dilation must be either a single int, or a tuple of two ints");
}

// Windows that fit; with ceil_mode also a last one that begins inside the padded input.
int64_t output_size(const Pool1d& p, bool ceil_mode) {
  TORCH_CHECK(p.stride != 0, "stride should not be zero");
  TORCH_CHECK(p.pad >= 0, "pad must be non-negative, but got pad: ", p.pad);
  TORCH_CHECK(p.pad <= ((p.kernel - 1) * p.dilation + 1) / 2,
              "pad should be at most half of effective kernel size, but got pad=", p.pad,
              ", kernel_size=", p.kernel, " and dilation=", p.dilation);
  const int64_t span = p.in + 2 * p.pad - p.dilation * (p.kernel - 1) - 1;
  const int64_t lifted = span + (ceil_mode ? p.stride - 1 : 0);
  int64_t out = (lifted >= 0 ? lifted / p.stride : -((-lifted + p.stride - 1) / p.stride)) + 1;
  if (ceil_mode && (out - 1) * p.stride >= p.in + p.pad) {
    --out;
  }
  return out;
}

Pool1d pool_of(const PoolArguments& a, size_t axis, int64_t in) {
  const auto pick = [axis](IntArrayRef v) { return v[v.size() == 1 ? 0 : axis]; };
  Pool1d p{in, 0, pick(a.kernel), pick(a.stride.empty() ? a.kernel : a.stride), pick(a.padding),
           pick(a.dilation)};
  p.out = output_size(p, a.ceil_mode);
  return p;
}

void check_pool_values(const Pool1d& h, const Pool1d& w) {
  TORCH_CHECK(h.kernel > 0 && w.kernel > 0, "kernel size should be greater than zero, but got kH: ",
              h.kernel, " kW: ", w.kernel);
  TORCH_CHECK(h.stride > 0 && w.stride > 0, "stride should be greater than zero, but got dH: ",
              h.stride, " dW: ", w.stride);
  TORCH_CHECK(h.dilation > 0 && w.dilation > 0,
              "dilation should be greater than zero, but got dilationH: ", h.dilation,
              " dilationW: ", w.dilation);
}

std::pair<Pool1d, Pool1d> check_pool(const Tensor& input, const PoolArguments& a) {
  check_pool_arguments(a);
  const int64_t ndim = input.dim();
  TORCH_CHECK(ndim == 3 || ndim == 4, "non-empty 3D or 4D (batch mode) tensor expected for input");
  const Pool1d h = pool_of(a, 0, input.size(ndim - 2)), w = pool_of(a, 1, input.size(ndim - 1));
  check_pool_values(h, w);
  TORCH_CHECK(input.size(ndim - 1) != 0 && input.size(ndim - 2) != 0 && input.size(ndim - 3) != 0,
              "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, ",
              "but got:", input.sizes());
  TORCH_CHECK(h.out >= 1 && w.out >= 1, "Given input size: (", input.size(ndim - 3), "x", h.in, "x",
              w.in, "). Calculated output size: (", input.size(ndim - 3), "x", h.out, "x", w.out,
              "). Output size is too small");
  return {h, w};
}

void set_pooled(impl::MetaBase& meta, const Tensor& input, int64_t out_h, int64_t out_w) {
  c10::DimVector shape(input.sizes());
  shape[shape.size() - 2] = out_h;
  shape[shape.size() - 1] = out_w;
  const auto format = input.suggest_memory_format();
  meta.set_output_raw_strided(0, shape, {}, input.options().memory_format(format));
  meta.set_output_raw_strided(1, shape, {},
                              input.options().memory_format(format).dtype(ScalarType::Long));
}

// Runs `fill(in, out, indices)` on row-major tensors.
template <class Fill>
void on_contiguous(const Tensor& input, const Tensor& output, const Tensor& indices,
                   const Fill& fill) {
  const Tensor in = input.contiguous();
  const bool direct = output.is_contiguous() && indices.is_contiguous();
  const Tensor out = direct ? output : at::empty(output.sizes(), output.options());
  const Tensor where = direct ? indices : at::empty(indices.sizes(), indices.options());
  fill(in, out, where);
  if (!direct) {
    output.copy_(out);
    indices.copy_(where);
  }
}

int64_t planes_of(const Tensor& input) {
  return input.size(input.dim() - 3) * (input.dim() == 4 ? input.size(0) : 1);
}

// Output i of n covers the inputs from floor(i * in / n) up to ceil((i + 1) * in / n).
template <class T>
void adaptive_plane(const T* in, int64_t height, int64_t width, int64_t out_h, int64_t out_w,
                    T* out, int64_t* indices) {
  for (int64_t oh = 0; oh < out_h; ++oh) {
    const int64_t top = oh * height / out_h, bottom = ((oh + 1) * height + out_h - 1) / out_h;
    for (int64_t ow = 0; ow < out_w; ++ow) {
      const int64_t left = ow * width / out_w, right = ((ow + 1) * width + out_w - 1) / out_w;
      int64_t where = top * width + left;
      T best = -std::numeric_limits<T>::infinity();
      for (int64_t y = top; y < bottom; ++y) {
        for (int64_t x = left; x < right; ++x) {
          const T value = in[y * width + x];
          if (value > best || value != value) {
            best = value;
            where = y * width + x;
          }
        }
      }
      out[oh * out_w + ow] = best;
      indices[oh * out_w + ow] = where;
    }
  }
}

} // namespace

TORCH_IMPL_FUNC(max_pool2d_with_indices_out_cpu)
(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 IntArrayRef dilation, bool ceil_mode, const Tensor& output, const Tensor& indices) {
  const auto [h, w] = check_pool(input, {kernel_size, stride, padding, dilation, ceil_mode});
  on_contiguous(input, output, indices, [&](const Tensor& in, const Tensor& out, const Tensor& where) {
    const MaxPoolJob job{in.const_data_ptr(), out.mutable_data_ptr(), where.mutable_data_ptr<int64_t>(),
                         planes_of(in), h, w};
    if (!max_pool2d_stub(kCPU, in.scalar_type(), job)) {
      unsupported_dtype("max_pool2d", in.scalar_type());
    }
  });
}

Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      at::max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

TORCH_IMPL_FUNC(adaptive_max_pool2d_out_cpu)
(const Tensor& input, IntArrayRef output_size, const Tensor& output, const Tensor& indices) {
  if (output.numel() == 0) {
    return;
  }
  const int64_t height = input.size(input.dim() - 2), width = input.size(input.dim() - 1);
  const int64_t out_h = output_size[0], out_w = output_size[1];
  on_contiguous(input, output, indices, [&](const Tensor& in, const Tensor& out, const Tensor& where) {
    AT_DISPATCH_FLOATING_TYPES_AND2(
        ScalarType::Half, ScalarType::BFloat16, in.scalar_type(), "adaptive_max_pool2d", [&] {
          const scalar_t* from = in.const_data_ptr<scalar_t>();
          scalar_t* to = out.mutable_data_ptr<scalar_t>();
          int64_t* positions = where.mutable_data_ptr<int64_t>();
          at::parallel_for(0, planes_of(in), 1, [&](int64_t begin, int64_t end) {
            for (int64_t p = begin; p < end; ++p) {
              adaptive_plane(from + p * height * width, height, width, out_h, out_w,
                             to + p * out_h * out_w, positions + p * out_h * out_w);
            }
          });
        });
  });
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(max_pool2d_with_indices)
(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 IntArrayRef dilation, bool ceil_mode) {
  const auto [h, w] =
      native::check_pool(input, {kernel_size, stride, padding, dilation, ceil_mode});
  native::set_pooled(*this, input, h.out, w.out);
}

TORCH_META_FUNC(adaptive_max_pool2d)(const Tensor& input, IntArrayRef output_size) {
  const int64_t ndim = input.dim();
  TORCH_CHECK(ndim == 3 || ndim == 4, "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: ",
              input.sizes());
  for (int64_t d = ndim == 4 ? 1 : 0; d < ndim; ++d) {
    TORCH_CHECK(input.size(d) > 0, "adaptive_max_pool2d(): Expected input to have non-zero size ",
                "for non-batch dimensions, but input has sizes ", input.sizes(),
                " with dimension ", d, " being empty");
  }
  TORCH_CHECK(output_size.size() == 2,
              "adaptive_max_pool2d(): internal error: output_size.size() must be 2");
  native::set_pooled(*this, input, output_size[0], output_size[1]);
}

} // namespace at::meta

// Fractional max pooling: windows at pseudo-random positions that cover the input (Graham,
// "Fractional Max-Pooling", 2014).

#include <ATen/native/Pool3d.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/fractional_max_pool2d_backward_native.h>
#include <ATen/ops/fractional_max_pool2d_native.h>
#include <ATen/ops/fractional_max_pool3d_backward_native.h>
#include <ATen/ops/fractional_max_pool3d_native.h>
#include <ATen/ops/to.h>

#include <algorithm>

namespace at::native {
namespace {

FractionalPool fractions_of(
    const char* op, const Tensor& self, IntArrayRef kernel, IntArrayRef out, const Tensor& samples,
    int64_t dims) {
  const auto count = static_cast<size_t>(dims);
  TORCH_CHECK(
      kernel.size() == count, op, ": kernel_size must either be a single int or a tuple of ", dims,
      " ints");
  TORCH_CHECK(
      out.size() == count, op, ": output_size must either be a single int or a tuple of ", dims,
      " ints");
  const bool valid = self.dim() == dims + 1 || self.dim() == dims + 2;
  TORCH_CHECK(
      valid, op, "(): Expected ", dims + 1, "D or ", dims + 2, "D tensor, but got: ", self.sizes());
  for (int64_t d = self.dim() - dims - 1; d < self.dim(); ++d) {
    TORCH_CHECK(
        self.size(d) > 0, op,
        "(): Expected input to have non-zero size for non-batch dimensions, but got", self.sizes(),
        " with dimension ", d, " being empty.");
  }
  FractionalPool f{1, dims, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  const int64_t channels = self.size(-dims - 1), batch = self.dim() == dims + 2 ? self.size(0) : 1;
  f.planes = batch * channels;
  for (size_t d = 0; d < count; ++d) {
    const size_t axis = 3 - count + d;
    f.in[axis] = self.size(static_cast<int64_t>(d) - dims);
    f.kernel[axis] = kernel[d];
    f.out[axis] = out[d];
    static constexpr const char* kAxes[] = {"time", "height", "width"};
    TORCH_CHECK(
        kernel[d] > 0 && out[d] >= 0 && out[d] + kernel[d] - 1 <= f.in[axis], op, "(): pool ",
        kAxes[axis], " ", kernel[d], " too large relative to input ", kAxes[axis], " ", f.in[axis]);
  }
  TORCH_CHECK(
      samples.scalar_type() == self.scalar_type(),
      "Expect _random_samples to have the same dtype as input");
  TORCH_CHECK(
      samples.dim() == 3 && samples.size(0) >= batch && samples.size(1) >= channels &&
          samples.size(2) == dims,
      "Expect _random_samples to have the sizes (batch, channels, ", dims, "), but got ",
      samples.sizes());
  return f;
}

template <typename T>
std::vector<int64_t> starts(T sample, int64_t in, int64_t out, int64_t kernel) {
  std::vector<int64_t> result(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    result[i] = FractionalPool::start(sample, i, in, out, kernel);
  }
  return result;
}

template <typename T>
int64_t largest_from(const FractionalPool& f, const T* plane, int64_t d0, int64_t h0, int64_t w0) {
  int64_t best = (d0 * f.in[1] + h0) * f.in[2] + w0;
  for (int64_t d = d0; d < d0 + f.kernel[0]; ++d) {
    for (int64_t h = h0; h < h0 + f.kernel[1]; ++h) {
      for (int64_t w = w0; w < w0 + f.kernel[2]; ++w) {
        const int64_t at = (d * f.in[1] + h) * f.in[2] + w;
        if (plane[at] > plane[best] || plane[at] != plane[at]) {
          best = at;
        }
      }
    }
  }
  return best;
}

template <typename T>
void find_maxima(const FractionalPool& f, const T* in, const T* samples, T* out, int64_t* indices) {
  at::parallel_for(0, f.planes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const T* plane = in + p * f.in[0] * f.in[1] * f.in[2];
      const T* sample = samples + p * f.dims;
      const bool flat = f.dims == 2;
      const auto depths =
          flat ? std::vector<int64_t>{0} : starts(sample[0], f.in[0], f.out[0], f.kernel[0]);
      const auto rows = starts(sample[1], f.in[1], f.out[1], f.kernel[1]);
      const auto columns = starts(sample[flat ? 0 : 2], f.in[2], f.out[2], f.kernel[2]);
      int64_t at = p * f.out[0] * f.out[1] * f.out[2];
      for (const int64_t d : depths) {
        for (const int64_t h : rows) {
          for (const int64_t w : columns) {
            indices[at] = largest_from(f, plane, d, h, w);
            out[at] = plane[indices[at]];
            ++at;
          }
        }
      }
    }
  });
}

void fractional_kernel(
    ScalarType dtype, const FractionalPool& f, const void* in, const void* samples, void* out,
    int64_t* indices) {
  AT_DISPATCH_FLOATING_TYPES(dtype, "fractional_max_pool", [&] {
    find_maxima(
        f, static_cast<const scalar_t*>(in), static_cast<const scalar_t*>(samples),
        static_cast<scalar_t*>(out), indices);
  });
}

std::tuple<Tensor, Tensor> pooled(
    const char* op, const Tensor& self, IntArrayRef kernel, IntArrayRef out, const Tensor& samples,
    int64_t dims) {
  const FractionalPool f = fractions_of(op, self, kernel, out, samples, dims);
  c10::DimVector sizes(self.sizes());
  std::copy(out.begin(), out.end(), sizes.end() - dims);
  Tensor indices = at::empty(sizes, self.options().dtype(kLong));
  if (self.is_meta()) {
    return {at::empty(sizes, self.options()), indices};
  }
  const Tensor input = widened(self).contiguous(), random = widened(samples).contiguous();
  Tensor output = at::empty(sizes, input.options());
  if (!input.is_floating_point()) {
    at::detail::dispatch_unsupported(op, input.scalar_type());
  }
  if (input.numel() > 0) {
    fractional_max_pool_stub(
        self.device().type(), input.scalar_type(), f, input.const_data_ptr(),
        random.const_data_ptr(), output.mutable_data_ptr(), indices.mutable_data_ptr<int64_t>());
  }
  return {at::methods::to(output, self.scalar_type()), indices};
}

} // namespace

DEFINE_DISPATCH(fractional_max_pool_stub);
REGISTER_DISPATCH(fractional_max_pool_stub, &fractional_kernel)

std::tuple<Tensor, Tensor> fractional_max_pool2d(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size,
    const Tensor& random_samples) {
  return pooled("fractional_max_pool2d", self, kernel_size, output_size, random_samples, 2);
}

std::tuple<Tensor, Tensor> fractional_max_pool3d(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size,
    const Tensor& random_samples) {
  return pooled("fractional_max_pool3d", self, kernel_size, output_size, random_samples, 3);
}

Tensor fractional_max_pool2d_backward(
    const Tensor& grad_output, const Tensor& self, IntArrayRef, IntArrayRef,
    const Tensor& indices) {
  return scatter_to_maxima("fractional_max_pool2d_backward", grad_output, self, indices, 2);
}

Tensor fractional_max_pool3d_backward(
    const Tensor& grad_output, const Tensor& self, IntArrayRef, IntArrayRef,
    const Tensor& indices) {
  return scatter_to_maxima("fractional_max_pool3d_backward", grad_output, self, indices, 3);
}

} // namespace at::native

// Means over the boxes of three-dimensional poolings.

#include <ATen/native/Pool3d.h>

#include <ATen/native/Pool.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/cpu/vec/vec_memory.h>
#include <ATen/ops/_adaptive_avg_pool3d.h>
#include <ATen/ops/_adaptive_avg_pool3d_backward_native.h>
#include <ATen/ops/_adaptive_avg_pool3d_native.h>
#include <ATen/ops/adaptive_avg_pool3d_native.h>
#include <ATen/ops/avg_pool3d_backward_native.h>
#include <ATen/ops/avg_pool3d_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace at::native {
namespace {

PoolBoxes strided_means(
    const Tensor& self, const Window3d& window, bool count_pad, std::optional<int64_t> constant) {
  TORCH_CHECK(!constant.has_value() || *constant != 0, "divisor must be not zero");
  PoolBoxes boxes = strided_boxes("avg_pool3d", self, window);
  for (size_t d = 0; d < 3; ++d) {
    boxes.axes[d].count_pad = count_pad;
    boxes.axes[d].constant = !constant.has_value() ? 0 : d == 0 ? *constant : 1;
  }
  return boxes;
}

// The sum over a box is divided by the product of one divisor for each axis.
int64_t divisor_at(const PoolBoxes& boxes, size_t axis, size_t window) {
  const PoolAxis& formula = boxes.axes[axis];
  return formula.constant != 0
      ? formula.constant
      : std::max<int64_t>(formula.divisor(static_cast<int64_t>(window)), 1);
}

// Calls f(plane, out, box, divisor) for every output element, in order.
template <typename F>
void for_each_box(const PoolBoxes& b, const F& f) {
  at::parallel_for(0, b.planes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t at = plane * b.out_size();
      for (size_t d = 0; d < b.windows[0].size(); ++d) {
        for (size_t h = 0; h < b.windows[1].size(); ++h) {
          const int64_t divisor = divisor_at(b, 0, d) * divisor_at(b, 1, h);
          for (size_t w = 0; w < b.windows[2].size(); ++w, ++at) {
            f(plane, at,
              std::array<PoolWindow, 3>{b.windows[0][d], b.windows[1][h], b.windows[2][w]},
              divisor * divisor_at(b, 2, w));
          }
        }
      }
    }
  });
}

// Calls f with the position of every row of a box in its plane.
template <typename F>
void for_each_row(const PoolBoxes& b, const std::array<PoolWindow, 3>& box, const F& f) {
  for (int64_t d = box[0].begin; d < box[0].end; ++d) {
    for (int64_t h = box[1].begin; h < box[1].end; ++h) {
      f((d * b.in[1] + h) * b.in[2]);
    }
  }
}

template <typename T>
void add_row(const T* row, int64_t width, T* sum) {
  constexpr int kLanes = 16 / sizeof(T);
  int64_t w = 0;
  for (; w + kLanes <= width; w += kLanes) {
    vec::store<T, kLanes>(sum + w, vec::load<T, kLanes>(sum + w) + vec::load<T, kLanes>(row + w));
  }
  for (; w < width; ++w) {
    sum[w] += row[w];
  }
}

// The rows of all boxes at one depth and height are added first, which goes over adjacent elements,
// and then the columns of each box.
template <typename T>
void average(const PoolBoxes& b, const T* in, T* out) {
  const int64_t rows = static_cast<int64_t>(b.windows[0].size() * b.windows[1].size());
  const int64_t work = std::max<int64_t>(1, b.in_size() / std::max<int64_t>(1, rows));
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / work);
  at::parallel_for(0, b.planes * rows, grain, [&](int64_t begin, int64_t end) {
    std::vector<T> sum(static_cast<size_t>(b.in[2]));
    for (int64_t i = begin; i < end; ++i) {
      const auto d = static_cast<size_t>(i % rows) / b.windows[1].size();
      const auto h = static_cast<size_t>(i % rows) % b.windows[1].size();
      const T* plane = in + i / rows * b.in_size();
      std::fill(sum.begin(), sum.end(), T(0));
      for_each_row(b, {b.windows[0][d], b.windows[1][h], {}}, [&](int64_t row) {
        add_row(plane + row, b.in[2], sum.data());
      });
      T* to = out + i * static_cast<int64_t>(b.windows[2].size());
      for (size_t w = 0; w < b.windows[2].size(); ++w) {
        const int64_t divisor = divisor_at(b, 0, d) * divisor_at(b, 1, h) * divisor_at(b, 2, w);
        const PoolWindow columns = b.windows[2][w];
        const auto total =
            std::accumulate(sum.begin() + columns.begin, sum.begin() + columns.end, T(0));
        to[w] = total / static_cast<T>(divisor);
      }
    }
  });
}

template <typename T>
void spread(const PoolBoxes& b, const T* grad, T* grad_in) {
  for_each_box(b, [&](int64_t p, int64_t at, const auto& box, int64_t divisor) {
    T* plane = grad_in + p * b.in_size();
    const T share = grad[at] / static_cast<T>(divisor);
    for_each_row(b, box, [&](int64_t row) {
      for (int64_t w = box[2].begin; w < box[2].end; ++w) {
        plane[row + w] += share;
      }
    });
  });
}

void average_kernel(ScalarType dtype, const PoolBoxes& boxes, const void* in, void* out) {
  AT_DISPATCH_FLOATING_TYPES_AND(kLong, dtype, "avg_pool3d", [&] {
    average(boxes, static_cast<const scalar_t*>(in), static_cast<scalar_t*>(out));
  });
}

void spread_kernel(ScalarType dtype, const PoolBoxes& boxes, const void* grad, void* grad_in) {
  AT_DISPATCH_FLOATING_TYPES(dtype, "avg_pool3d_backward", [&] {
    spread(boxes, static_cast<const scalar_t*>(grad), static_cast<scalar_t*>(grad_in));
  });
}

Tensor run_average(const char* op, const Tensor& self, const PoolBoxes& boxes) {
  const c10::DimVector sizes = pool3d_sizes(self, boxes);
  if (self.is_meta()) {
    return at::empty(sizes, self.options());
  }
  const Tensor input = widened(self).contiguous();
  Tensor output = at::empty(sizes, input.options());
  if (input.scalar_type() != kLong && !input.is_floating_point()) {
    at::detail::dispatch_unsupported(op, input.scalar_type());
  }
  avg_pool3d_stub(
      self.device().type(), input.scalar_type(), boxes, input.const_data_ptr(),
      output.mutable_data_ptr());
  return at::methods::to(output, self.scalar_type());
}

Tensor run_spread(const char* op, const Tensor& grad, const Tensor& self, const PoolBoxes& boxes) {
  TORCH_CHECK(
      grad.sizes() == IntArrayRef(pool3d_sizes(self, boxes)), op,
      ": unexpected size of grad_output: ", grad.sizes());
  TORCH_CHECK(
      grad.scalar_type() == self.scalar_type(), "expected dtype ", self.scalar_type(),
      " for `grad_output` but got dtype ", grad.scalar_type());
  const Tensor from = widened(grad).contiguous();
  Tensor result = at::zeros(self.sizes(), from.options());
  if (!self.is_meta()) {
    if (!from.is_floating_point()) {
      at::detail::dispatch_unsupported(op, from.scalar_type());
    }
    avg_pool3d_backward_stub(
        self.device().type(), from.scalar_type(), boxes, from.const_data_ptr(),
        result.mutable_data_ptr());
  }
  return at::methods::to(result, self.scalar_type());
}

PoolBoxes adaptive_means(const Tensor& self, IntArrayRef output_size) {
  return adaptive_boxes("adaptive_avg_pool3d", self, output_size);
}

constexpr std::array<int64_t, 1> kOne = {1};

} // namespace

DEFINE_DISPATCH(avg_pool3d_stub);
DEFINE_DISPATCH(avg_pool3d_backward_stub);
REGISTER_DISPATCH(avg_pool3d_stub, &average_kernel)
REGISTER_DISPATCH(avg_pool3d_backward_stub, &spread_kernel)

Tensor avg_pool3d(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  return run_average(
      "avg_pool3d", self,
      strided_means(
          self, {kernel_size, stride, padding, kOne, ceil_mode}, count_include_pad,
          divisor_override));
}

Tensor avg_pool3d_backward(
    const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
    IntArrayRef padding, bool ceil_mode, bool count_include_pad,
    std::optional<int64_t> divisor_override) {
  return run_spread(
      "avg_pool3d_backward", grad_output, self,
      strided_means(
          self, {kernel_size, stride, padding, kOne, ceil_mode}, count_include_pad,
          divisor_override));
}

Tensor _adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size) {
  const PoolBoxes means = adaptive_means(self, output_size);
  if (!self.is_floating_point()) {
    at::detail::dispatch_unsupported("adaptive_avg_pool3d_cpu", self.scalar_type());
  }
  return run_average("adaptive_avg_pool3d", self, means);
}

Tensor _adaptive_avg_pool3d_backward(const Tensor& grad_output, const Tensor& self) {
  TORCH_CHECK(
      grad_output.dim() == self.dim() && self.dim() >= 4,
      "adaptive_avg_pool3d_backward(): Expected 4D or 5D tensors of equal dimensions, but got ",
      grad_output.sizes(), " and ", self.sizes());
  check_adaptive_grad("adaptive_avg_pool3d_backward", grad_output);
  return run_spread(
      "adaptive_avg_pool3d_backward", grad_output, self,
      adaptive_means(self, grad_output.sizes().slice(self.dim() - 3)));
}

Tensor adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size) {
  TORCH_CHECK(output_size.size() == 3, "adaptive_avg_pool3d: output_size must be 3");
  TORCH_CHECK(
      output_size[0] >= 0 && output_size[1] >= 0 && output_size[2] >= 0,
      "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but "
      "received ",
      output_size);
  const bool single = output_size[0] == 1 && output_size[1] == 1 && output_size[2] == 1;
  if (single && self.numel() > 0 && self.dim() >= 4) {
    return at::mean(self, {-1, -2, -3}, /*keepdim=*/true).contiguous(self.suggest_memory_format());
  }
  return at::_adaptive_avg_pool3d(self, output_size);
}

} // namespace at::native

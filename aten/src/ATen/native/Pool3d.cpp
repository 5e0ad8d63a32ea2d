// Boxes of three-dimensional poolings, and the maxima over them.

#include <ATen/native/Pool3d.h>

#include <ATen/native/Pool.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/adaptive_max_pool3d_backward_native.h>
#include <ATen/ops/adaptive_max_pool3d_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool3d_native.h>
#include <ATen/ops/max_pool3d_with_indices.h>
#include <ATen/ops/max_pool3d_with_indices_backward_native.h>
#include <ATen/ops/max_pool3d_with_indices_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <limits>
#include <string_view>

namespace at::native {

Tensor widened(const Tensor& tensor) {
  return c10::isHalfFloatingType(tensor.scalar_type()) ? at::methods::to(tensor, kFloat) : tensor;
}

void check_pool3d_input(const char* op, const Tensor& input) {
  bool valid = input.dim() == 4 || input.dim() == 5;
  for (int64_t d = input.dim() - 4; valid && d < input.dim(); ++d) {
    valid = input.size(d) > 0;
  }
  TORCH_CHECK(
      valid, op,
      ": Expected 4D or 5D (batch mode) tensor with optional 0 dim batch size for input, but "
      "got: ",
      input.sizes());
}

c10::DimVector pool3d_sizes(const Tensor& input, const PoolBoxes& boxes) {
  c10::DimVector sizes(input.sizes());
  for (size_t d = 0; d < 3; ++d) {
    sizes[sizes.size() - 3 + d] = boxes.out[d];
  }
  return sizes;
}

PoolBoxes adaptive_boxes(const char* op, const Tensor& input, IntArrayRef output_size) {
  TORCH_CHECK(output_size.size() == 3, op, ": output_size must be 3");
  TORCH_CHECK(
      input.dim() == 4 || input.dim() == 5, op, "(): Expected 4D or 5D tensor, but got ",
      input.sizes());
  PoolBoxes boxes;
  boxes.planes = input.size(-4) * (input.dim() == 5 ? input.size(0) : 1);
  // PyTorch takes the first dimension for the batch even if there is none.
  for (int64_t d = 1; d < input.dim(); ++d) {
    TORCH_CHECK(
        input.size(d) > 0, op,
        "(): Expected input to have non-zero size for non-batch dimensions, but ",
        "input has sizes ", input.sizes(), " with dimension ", d, " being empty");
  }
  for (size_t d = 0; d < 3; ++d) {
    const int64_t size = input.size(static_cast<int64_t>(d) - 3), count = output_size[d];
    TORCH_CHECK(
        count >= 0, op,
        ": elements of output_size must be greater than or equal to 0 but received ", output_size);
    boxes.in[d] = size;
    boxes.out[d] = count;
    boxes.windows[d] = adaptive_windows(count, size);
    boxes.axes[d] = {.count = count, .size = size};
  }
  return boxes;
}

Tensor scatter_to_maxima(
    const char* op, const Tensor& grad, const Tensor& self, const Tensor& indices, int64_t dims) {
  TORCH_CHECK(
      grad.scalar_type() == self.scalar_type(), "expected dtype ", self.scalar_type(),
      " for `gradOutput` but got dtype ", grad.scalar_type());
  TORCH_CHECK(
      indices.scalar_type() == kLong, op, ": expected indices of dtype int64, but got ",
      indices.scalar_type());
  const auto outer = static_cast<size_t>(self.dim() - dims);
  TORCH_CHECK(
      grad.sizes() == indices.sizes() && grad.dim() == self.dim() &&
          grad.sizes().slice(0, outer) == self.sizes().slice(0, outer),
      op, ": grad_output ", grad.sizes(), " and indices ", indices.sizes(),
      " do not fit the input ", self.sizes());
  Tensor result = at::zeros(self.sizes(), self.options());
  if (result.numel() > 0 && grad.numel() > 0 && !self.is_meta()) {
    const int64_t planes = c10::multiply_integers(self.sizes().slice(0, outer));
    max_pool2d_backward_stub(
        self.device().type(), self.scalar_type(),
        PoolBackward{1, planes, self.numel() / planes, grad.numel() / planes, false},
        grad.contiguous().const_data_ptr(), indices.contiguous().const_data_ptr<int64_t>(),
        result.mutable_data_ptr());
  }
  return result.contiguous(self.suggest_memory_format());
}

Triple triple_of(const char* op, const char* name, IntArrayRef values) {
  TORCH_CHECK(
      values.size() == 1 || values.size() == 3, op, ": ", name,
      std::string_view(name) == "dilation" ? " must be either" : " must either be",
      " a single int, or a tuple of three ints");
  return values.size() == 1 ? Triple{values[0], values[0], values[0]}
                            : Triple{values[0], values[1], values[2]};
}

PoolBoxes strided_boxes(const char* op, const Tensor& input, const Window3d& w) {
  const Triple kernel = triple_of(op, "kernel_size", w.kernel);
  const Triple stride = w.stride.empty() ? kernel : triple_of(op, "stride", w.stride);
  const Triple pad = triple_of(op, "padding", w.padding);
  PoolBoxes boxes;
  boxes.dilation = triple_of(op, "dilation", w.dilation);
  for (size_t d = 0; d < 3; ++d) {
    const int64_t step = boxes.dilation[d];
    TORCH_CHECK(kernel[d] > 0, "kernel size should be greater than zero, but got ", w.kernel);
    TORCH_CHECK(stride[d] > 0, "stride should not be zero");
    TORCH_CHECK(step > 0, "dilation should be greater than zero, but got ", w.dilation);
    TORCH_CHECK(pad[d] >= 0, "pad must be non-negative, but got pad: ", pad[d]);
    TORCH_CHECK(
        pad[d] <= kernel[d] / 2,
        "pad should be at most half of effective kernel size, but got pad=", pad[d],
        ", kernel_size=", kernel[d], " and dilation=", step);
  }
  check_pool3d_input(op, input);
  boxes.planes = input.size(-4) * (input.dim() == 5 ? input.size(0) : 1);
  for (size_t d = 0; d < 3; ++d) {
    boxes.in[d] = input.size(static_cast<int64_t>(d) - 3);
    boxes.out[d] =
        pooled_size(boxes.in[d], kernel[d], pad[d], stride[d], boxes.dilation[d], w.ceil_mode);
  }
  const auto& [in_t, in_h, in_w] = boxes.in;
  const auto& [out_t, out_h, out_w] = boxes.out;
  TORCH_CHECK(
      out_t >= 1 && out_h >= 1 && out_w >= 1, "Given input size: (", input.size(-4), "x", in_t, "x",
      in_h, "x", in_w, "). Calculated output size: (", input.size(-4), "x", out_t, "x", out_h, "x",
      out_w, "). Output size is too small");
  for (size_t d = 0; d < 3; ++d) {
    const int64_t size = boxes.in[d], count = boxes.out[d], step = boxes.dilation[d];
    boxes.windows[d] = pool_windows(count, stride[d], pad[d], kernel[d], step, size);
    boxes.axes[d] = {count, size, stride[d], pad[d], kernel[d], step};
  }
  return boxes;
}

namespace {

// The largest element of a box, or its first NaN.
template <typename T>
int64_t largest_in(const PoolBoxes& b, const T* plane, const std::array<PoolWindow, 3>& box) {
  int64_t best = -1;
  T largest{};
  for (int64_t d = box[0].begin; d < box[0].end; d += b.dilation[0]) {
    for (int64_t h = box[1].begin; h < box[1].end; h += b.dilation[1]) {
      const int64_t row = (d * b.in[1] + h) * b.in[2];
      for (int64_t w = box[2].begin; w < box[2].end; w += b.dilation[2]) {
        const T x = plane[row + w];
        if (best < 0 || !(x <= largest)) {
          best = row + w;
          largest = x;
          if (x != x) {
            return best;
          }
        }
      }
    }
  }
  return best;
}

template <typename T>
void find_maxima(const PoolBoxes& b, const T* in, T* out, int64_t* indices) {
  using Limits = std::numeric_limits<T>;
  // For boxes all of whose taps are in the padding.
  constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  at::parallel_for(0, b.planes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const T* plane = in + p * b.in_size();
      int64_t at = p * b.out_size();
      for (const PoolWindow& depth : b.windows[0]) {
        for (const PoolWindow& row : b.windows[1]) {
          for (const PoolWindow& column : b.windows[2]) {
            const int64_t best = largest_in(b, plane, {depth, row, column});
            indices[at] = std::max<int64_t>(best, 0);
            out[at++] = best >= 0 ? plane[best] : kLowest;
          }
        }
      }
    }
  });
}

void max_pool3d_kernel(
    ScalarType dtype, const PoolBoxes& boxes, const void* in, void* out, int64_t* indices) {
  AT_DISPATCH_FLOATING_TYPES_AND(kLong, dtype, "max_pool3d", [&] {
    find_maxima(boxes, static_cast<const scalar_t*>(in), static_cast<scalar_t*>(out), indices);
  });
}

std::tuple<Tensor, Tensor> maxima(
    const char* op, const Tensor& self, const PoolBoxes& boxes, bool integers) {
  const c10::DimVector sizes = pool3d_sizes(self, boxes);
  Tensor indices = at::empty(sizes, self.options().dtype(kLong));
  if (self.is_meta() || indices.numel() == 0) {
    return {at::empty(sizes, self.options()), indices};
  }
  const ScalarType dtype = self.scalar_type();
  if (!integers && !self.is_floating_point()) {
    at::detail::dispatch_unsupported(op, dtype);
  }
  const bool small = integers && c10::isIntegralType(dtype, /*includeBool=*/false);
  const Tensor input = (small ? at::methods::to(self, kLong) : widened(self)).contiguous();
  Tensor output = at::empty(sizes, input.options());
  if (input.scalar_type() != kLong && !input.is_floating_point()) {
    at::detail::dispatch_unsupported(op, input.scalar_type());
  }
  max_pool3d_stub(
      self.device().type(), input.scalar_type(), boxes, input.const_data_ptr(),
      output.mutable_data_ptr(), indices.mutable_data_ptr<int64_t>());
  return {at::methods::to(output, dtype), indices};
}

} // namespace

DEFINE_DISPATCH(max_pool3d_stub);
REGISTER_DISPATCH(max_pool3d_stub, &max_pool3d_kernel)

std::tuple<Tensor, Tensor> max_pool3d_with_indices(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode) {
  const PoolBoxes boxes =
      strided_boxes("max_pool3d", self, {kernel_size, stride, padding, dilation, ceil_mode});
  const auto [output, indices] = maxima("max_pool3d", self, boxes, /*integers=*/true);
  const MemoryFormat format = self.suggest_memory_format();
  return {output.contiguous(format), indices.contiguous(format)};
}

Tensor max_pool3d_with_indices_backward(
    const Tensor& grad_output, const Tensor& self, IntArrayRef, IntArrayRef, IntArrayRef,
    IntArrayRef, bool, const Tensor& indices) {
  return scatter_to_maxima("max_pool3d_with_indices_backward", grad_output, self, indices, 3);
}

Tensor max_pool3d(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      at::max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, IntArrayRef output_size) {
  return maxima(
      "adaptive_max_pool3d", self, adaptive_boxes("adaptive_max_pool3d", self, output_size),
      /*integers=*/false);
}

Tensor adaptive_max_pool3d_backward(
    const Tensor& grad_output, const Tensor& self, const Tensor& indices) {
  check_adaptive_grad("adaptive_max_pool3d_backward", grad_output);
  return scatter_to_maxima("adaptive_max_pool3d_backward", grad_output, self, indices, 3);
}

} // namespace at::native

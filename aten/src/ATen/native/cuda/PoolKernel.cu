// Maximum and average pooling, with fixed or adaptive windows. A thread computes one element.

#include <ATen/native/AvgPool.h>
#include <ATen/native/Pool.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/Atomic.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/ReduceTypes.cuh>
#include <c10/cuda/CUDADeviceAssert.h>

namespace at::native {
namespace {

// Where an element lies in [batch][channels][h][w] or, for channels last, [batch][h][w][channels].
struct Images {
  int64_t channels, h, w;
  bool channels_last;

  struct Place {
    int64_t image, channel, row, column;
  };

  C10_DEVICE Place place(int64_t i) const {
    Place p;
    if (channels_last) {
      p.channel = i % channels;
      i /= channels;
      p.column = i % w;
      i /= w;
      p.row = i % h;
      p.image = i / h;
    } else {
      p.column = i % w;
      i /= w;
      p.row = i % h;
      i /= h;
      p.channel = i % channels;
      p.image = i / channels;
    }
    return p;
  }
  // The start of an image's channel, and the step from one element of the plane to the next.
  C10_DEVICE int64_t plane(int64_t image, int64_t channel) const {
    return channels_last ? image * h * w * channels + channel
                         : (image * channels + channel) * h * w;
  }
  C10_DEVICE int64_t step() const { return channels_last ? channels : 1; }
};

template <typename T>
void max_pool(
    const Images& out_shape, int64_t batch, const PoolPlan& plan, const void* input, void* output,
    int64_t* indices) {
  using Order = device_order_t<T>;
  const Images in_shape{plan.channels, plan.in_h, plan.in_w, out_shape.channels_last};
  const PoolAxis rows = plan.row_axis, columns = plan.column_axis;
  const int64_t dilation_h = plan.dilation_h, dilation_w = plan.dilation_w;
  const auto* in = static_cast<const T*>(input);
  auto* out = static_cast<T*>(output);
  const Images shape = out_shape;
  for_each_index(batch * shape.channels * shape.h * shape.w, [=] C10_DEVICE(int64_t i) {
    const auto p = shape.place(i);
    const T* plane = in + in_shape.plane(p.image, p.channel);
    const PoolWindow row = rows.window(p.row), column = columns.window(p.column);
    int64_t best = row.begin * in_shape.w + column.begin;
    Order value = std::numeric_limits<Order>::has_infinity ? -std::numeric_limits<Order>::infinity()
                                                           : std::numeric_limits<Order>::lowest();
    for (int64_t h = row.begin; h < row.end; h += dilation_h) {
      for (int64_t w = column.begin; w < column.end; w += dilation_w) {
        const int64_t at = h * in_shape.w + w;
        const auto x = static_cast<Order>(plane[at * in_shape.step()]);
        if (x > value || x != x) {
          value = x;
          best = at;
        }
      }
    }
    out[i] = static_cast<T>(value);
    indices[i] = best;
  });
}

void max_pool_on_device(
    ScalarType dtype, const PoolPlan& plan, bool channels_last, const void* input, void* output,
    int64_t* indices) {
  const Images shape{plan.channels, plan.row_axis.count, plan.column_axis.count, channels_last};
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, dtype, "max_pool2d", [&] {
    max_pool<scalar_t>(shape, plan.planes / plan.channels, plan, input, output, indices);
  });
}

template <typename T>
void add_gradients(
    const PoolBackward& s, const T* grad, const int64_t* indices, device_acc_t<T>* sums) {
  const PoolBackward shape = s;
  const int64_t total = s.batch * s.channels * s.out_size;
  for_each_index(total, [=] C10_DEVICE(int64_t i) {
    int64_t plane = 0, step = 1;
    if (shape.channels_last) {
      const int64_t channel = i % shape.channels;
      const int64_t image = i / shape.channels / shape.out_size;
      plane = image * shape.in_size * shape.channels + channel;
      step = shape.channels;
    } else {
      plane = i / shape.out_size * shape.in_size;
    }
    CUDA_KERNEL_ASSERT(indices[i] >= 0 && indices[i] < shape.in_size && "index out of bounds");
    gpuAtomicAdd(sums + plane + indices[i] * step, static_cast<device_acc_t<T>>(grad[i]));
  });
}

template <typename From, typename To>
void convert(const From* from, int64_t count, To* to) {
  for_each_index(count, [=] C10_DEVICE(int64_t i) { to[i] = static_cast<To>(from[i]); });
}

void zero_device(void* data, size_t bytes) {
  C10_CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, c10::cuda::getCurrentCUDAStream().stream()));
}

// The 16-bit types are summed in float and rounded once.
template <typename T>
void max_pool_backward(
    const PoolBackward& s, const void* grad, const int64_t* indices, void* grad_in) {
  using Real = device_acc_t<T>;
  const int64_t count = s.batch * s.channels * s.in_size;
  const size_t bytes = static_cast<size_t>(count) * sizeof(Real);
  const auto* from = static_cast<const T*>(grad);
  auto* to = static_cast<T*>(grad_in);
  if constexpr (std::is_same_v<T, Real>) {
    zero_device(to, bytes);
    add_gradients<T>(s, from, indices, to);
  } else {
    const c10::DataPtr scratch = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
    auto* sums = static_cast<Real*>(scratch.get());
    zero_device(sums, bytes);
    add_gradients<T>(s, from, indices, sums);
    convert(sums, count, to);
  }
}

void max_pool_backward_on_device(
    ScalarType dtype, const PoolBackward& shape, const void* grad, const int64_t* indices,
    void* grad_in) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "max_pool2d_backward", [&] {
    max_pool_backward<scalar_t>(shape, grad, indices, grad_in);
  });
}

template <typename T>
void avg_pool(const AvgPoolPlan& plan, const void* input, void* output) {
  using Acc = device_acc_t<T>;
  const Images out_shape{
      plan.channels, plan.row_axis.count, plan.column_axis.count, plan.channels_last};
  const Images in_shape{plan.channels, plan.in_h, plan.in_w, plan.channels_last};
  const PoolAxis rows = plan.row_axis, columns = plan.column_axis;
  const auto* in = static_cast<const T*>(input);
  auto* out = static_cast<T*>(output);
  const int64_t total = plan.batch * plan.channels * out_shape.h * out_shape.w;
  for_each_index(total, [=] C10_DEVICE(int64_t i) {
    const auto p = out_shape.place(i);
    const T* plane = in + in_shape.plane(p.image, p.channel);
    const PoolWindow row = rows.window(p.row), column = columns.window(p.column);
    Acc sum = 0;
    for (int64_t h = row.begin; h < row.end; ++h) {
      for (int64_t w = column.begin; w < column.end; ++w) {
        sum += static_cast<Acc>(plane[(h * in_shape.w + w) * in_shape.step()]);
      }
    }
    out[i] =
        static_cast<T>(sum / static_cast<Acc>(rows.divisor(p.row) * columns.divisor(p.column)));
  });
}

// Every input element sums the shares of the windows that cover it.
template <typename T>
void avg_pool_backward(const AvgPoolPlan& plan, const void* grad, void* grad_in) {
  using Acc = device_acc_t<T>;
  const Images out_shape{
      plan.channels, plan.row_axis.count, plan.column_axis.count, plan.channels_last};
  const Images in_shape{plan.channels, plan.in_h, plan.in_w, plan.channels_last};
  const PoolAxis rows = plan.row_axis, columns = plan.column_axis;
  const auto* from = static_cast<const T*>(grad);
  auto* to = static_cast<T*>(grad_in);
  const int64_t total = plan.batch * plan.channels * in_shape.h * in_shape.w;
  for_each_index(total, [=] C10_DEVICE(int64_t i) {
    const auto p = in_shape.place(i);
    const T* plane = from + out_shape.plane(p.image, p.channel);
    const PoolWindow row = rows.covering(p.row), column = columns.covering(p.column);
    Acc sum = 0;
    for (int64_t h = row.begin; h < row.end; ++h) {
      for (int64_t w = column.begin; w < column.end; ++w) {
        const auto divisor = static_cast<Acc>(rows.divisor(h) * columns.divisor(w));
        sum += static_cast<Acc>(plane[(h * out_shape.w + w) * out_shape.step()]) / divisor;
      }
    }
    to[i] = static_cast<T>(sum);
  });
}

void avg_pool_on_device(ScalarType dtype, const AvgPoolPlan& plan, const void* in, void* out) {
  if (dtype == kLong) {
    return avg_pool<int64_t>(plan, in, out);
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, dtype, "avg_pool2d", [&] { avg_pool<scalar_t>(plan, in, out); });
}

void avg_pool_backward_on_device(
    ScalarType dtype, const AvgPoolPlan& plan, const void* grad, void* grad_in) {
  if (dtype == kLong) {
    return avg_pool_backward<int64_t>(plan, grad, grad_in);
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "avg_pool2d_backward", [&] {
    avg_pool_backward<scalar_t>(plan, grad, grad_in);
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(max_pool2d_stub, &max_pool_on_device)
REGISTER_CUDA_DISPATCH(max_pool2d_backward_stub, &max_pool_backward_on_device)
REGISTER_CUDA_DISPATCH(avg_pool2d_stub, &avg_pool_on_device)
REGISTER_CUDA_DISPATCH(avg_pool2d_backward_stub, &avg_pool_backward_on_device)

} // namespace at::native

// nll_loss and nll_loss2d, and their gradients. The formulas are in native/LossNLL*.cpp.

#include <ATen/native/LossNLL.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/ReduceTypes.cuh>
#include <ATen/native/cuda/block_reduce.cuh>
#include <c10/cuda/CUDADeviceAssert.h>

namespace at::native {
namespace {

// The element of the input that a target reads; -1 if the target is ignored.
template <typename Target>
C10_DEVICE inline int64_t element_of(
    const NllLayout& n, const Target* target, int64_t ignore_index, int64_t i) {
  const auto t = static_cast<int64_t>(target[i]);
  if (t == ignore_index) return -1;
  CUDA_KERNEL_ASSERT(t >= 0 && t < n.classes && "target is out of bounds");
  return (i / n.places * n.classes + t) * n.places + i % n.places;
}

template <typename T, typename Target>
void nll_each(
    const NllLayout& n, const T* input, const Target* target, const T* weight, T* output,
    T* total_weight, int64_t ignore_index) {
  using Real = device_acc_t<T>;
  for_each_index(1, [=] C10_DEVICE(int64_t) { *total_weight = T(0.0f); });
  for_each_index(n.rows * n.places, [=] C10_DEVICE(int64_t i) {
    const int64_t at = element_of(n, target, ignore_index, i);
    if (at < 0) {
      output[i] = T(0.0f);
      return;
    }
    const Real factor = weight != nullptr ? static_cast<Real>(weight[target[i]]) : Real(1);
    output[i] = static_cast<T>(-static_cast<Real>(input[at]) * factor);
  });
}

template <typename Real>
struct LossSum {
  Real loss = 0;
  Real weight = 0;
};

// Sums the chunk of a block; with one block, finishes the loss.
template <typename T, typename Target>
__global__ void nll_sum_kernel(
    NllLayout n, const T* input, const Target* target, const T* weight, int64_t ignore_index,
    LossSum<device_acc_t<T>>* partial) {
  using Real = device_acc_t<T>;
  using Sum = LossSum<Real>;
  C10_DYNAMIC_SHARED(Sum, shared);
  Sum sum;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n.rows * n.places; i += stride) {
    const int64_t at = element_of(n, target, ignore_index, i);
    if (at < 0) continue;
    const Real factor = weight != nullptr ? static_cast<Real>(weight[target[i]]) : Real(1);
    sum.loss -= static_cast<Real>(input[at]) * factor;
    sum.weight += factor;
  }
  sum = block_reduce_x(
      sum,
      [](Sum a, const Sum& b) {
        a.loss += b.loss;
        a.weight += b.weight;
        return a;
      },
      shared);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <typename T>
void finish_sum(
    const LossSum<device_acc_t<T>>* partial, int64_t count, bool mean, T* output, T* total_weight) {
  for_each_index(1, [=] C10_DEVICE(int64_t) {
    device_acc_t<T> loss = 0, weight = 0;
    for (int64_t k = 0; k < count; ++k) {
      loss += partial[k].loss;
      weight += partial[k].weight;
    }
    *output = static_cast<T>(mean ? loss / weight : loss);
    *total_weight = static_cast<T>(weight);
  });
}

template <typename T, typename Target>
void nll_total(
    const NllLayout& n, const T* input, const Target* target, const T* weight, T* output,
    T* total_weight, int64_t ignore_index, bool mean) {
  using Sum = LossSum<device_acc_t<T>>;
  const int64_t count = n.rows * n.places;
  const int64_t threads = std::clamp<int64_t>(ceil_pow2(count), 32, 256);
  const int64_t blocks = std::clamp<int64_t>(ceil_div(count, threads * 4), 1, 256);
  const c10::DataPtr scratch =
      c10::cuda::CUDACachingAllocator::get()->allocate(static_cast<size_t>(blocks) * sizeof(Sum));
  auto* partial = static_cast<Sum*>(scratch.get());
  launch_on_current_stream(
      nll_sum_kernel<T, Target>, static_cast<unsigned>(blocks), static_cast<unsigned>(threads),
      static_cast<size_t>(threads / 32) * sizeof(Sum), n, input, target, weight, ignore_index,
      partial);
  finish_sum<T>(partial, blocks, mean, output, total_weight);
}

template <typename T, typename Target>
void nll_spread(
    const NllBackwardJob& job, const T* grad, const Target* target, const T* weight,
    const T* total_weight, T* out) {
  using Real = device_acc_t<T>;
  const NllLayout n = job.layout;
  const int64_t ignore_index = job.ignore_index;
  const bool each = job.each, mean = job.mean;
  for_each_index(n.rows * n.places, [=] C10_DEVICE(int64_t i) {
    const int64_t at = element_of(n, target, ignore_index, i);
    if (at < 0) return;
    Real factor = weight != nullptr ? static_cast<Real>(weight[target[i]]) : Real(1);
    if (mean) factor /= static_cast<Real>(*total_weight);
    out[at] = static_cast<T>(-static_cast<Real>(grad[each ? i : 0]) * factor);
  });
}

template <typename T>
const T* data_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<T>() : nullptr;
}

template <typename T, typename Target>
void forward_as(const NllJob& job) {
  const auto* in = job.input.const_data_ptr<T>();
  const auto* target = job.target.const_data_ptr<Target>();
  const auto* weight = data_of<T>(job.weight);
  auto* out = job.output.mutable_data_ptr<T>();
  auto* total = job.total_weight.mutable_data_ptr<T>();
  if (job.each) {
    nll_each<T, Target>(job.layout, in, target, weight, out, total, job.ignore_index);
  } else {
    nll_total<T, Target>(job.layout, in, target, weight, out, total, job.ignore_index, job.mean);
  }
}

template <typename T, typename Target>
void backward_as(const NllBackwardJob& job) {
  nll_spread<T, Target>(
      job, job.grad.const_data_ptr<T>(), job.target.const_data_ptr<Target>(),
      data_of<T>(job.weight), job.total_weight.const_data_ptr<T>(), job.out.mutable_data_ptr<T>());
}

void nll_forward_on_device(const NllJob& job) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kBFloat16, kHalf, job.input.scalar_type(), "nll_loss_forward", [&] {
        job.target.scalar_type() == kByte ? forward_as<scalar_t, uint8_t>(job)
                                          : forward_as<scalar_t, int64_t>(job);
      });
}

void nll_backward_on_device(const NllBackwardJob& job) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kBFloat16, kHalf, job.out.scalar_type(), "nll_loss_backward", [&] {
        job.target.scalar_type() == kByte ? backward_as<scalar_t, uint8_t>(job)
                                          : backward_as<scalar_t, int64_t>(job);
      });
}

} // namespace

REGISTER_CUDA_DISPATCH(nll_forward_stub, &nll_forward_on_device)
REGISTER_CUDA_DISPATCH(nll_backward_stub, &nll_backward_on_device)

} // namespace at::native

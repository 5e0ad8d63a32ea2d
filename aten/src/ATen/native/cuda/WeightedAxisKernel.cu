// Interpolation by filters along one axis; see native/WeightedAxis.h. A thread computes one
// element.

#include <ATen/native/WeightedAxis.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/DeviceTables.h>
#include <ATen/native/cuda/LaunchUtils.cuh>

namespace at::native {
namespace {

template <typename T>
void apply(const WeightedSum& job, const T* in, T* out) {
  DeviceTables tables;
  const size_t begin_at = tables.add(job.axis.begin), index_at = tables.add(job.axis.index);
  const size_t weight_at = tables.add(job.axis.weight);
  const c10::DataPtr memory = tables.upload();
  const auto* begin = DeviceTables::at<int64_t>(memory, begin_at);
  const auto* index = DeviceTables::at<int64_t>(memory, index_at);
  const auto* weight = DeviceTables::at<double>(memory, weight_at);
  const int64_t count = job.axis.size(), size = job.size, inner = job.inner;
  for_each_index(job.outer * count * inner, [=] C10_DEVICE(int64_t i) {
    const int64_t column = i % inner, row = i / inner;
    const int64_t to = row % count;
    const T* from = in + row / count * size * inner + column;
    T sum = 0;
    for (int64_t k = begin[to]; k < begin[to + 1]; ++k) {
      sum += static_cast<T>(weight[k]) * from[index[k] * inner];
    }
    out[i] = sum;
  });
}

void weighted_sum_on_device(ScalarType dtype, const WeightedSum& job, const void* in, void* out) {
  AT_DISPATCH_FLOATING_TYPES(dtype, "interpolate", [&] {
    apply(job, static_cast<const scalar_t*>(in), static_cast<scalar_t*>(out));
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(weighted_sum_stub, &weighted_sum_on_device)

} // namespace at::native

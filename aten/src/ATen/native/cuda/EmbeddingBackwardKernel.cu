#include <ATen/native/EmbeddingStub.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/Atomic.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/ReduceTypes.cuh>
#include <c10/cuda/CUDADeviceAssert.h>

namespace at::native {
namespace {

void count_indices(const EmbeddingBackwardJob& job, int64_t* counts) {
  const int64_t* indices = job.indices;
  const int64_t bound = job.num_weights;
  for_each_index(bound, [=] C10_DEVICE(int64_t i) { counts[i] = 0; });
  for_each_index(job.count, [=] C10_DEVICE(int64_t i) {
    CUDA_KERNEL_ASSERT(indices[i] >= 0 && indices[i] < bound && "index out of range");
    gpuAtomicAdd(counts + indices[i], int64_t{1});
  });
}

// The 16-bit types are summed in float and rounded once.
template <typename T>
void add_rows(const EmbeddingBackwardJob& job, const int64_t* counts, device_acc_t<T>* sums) {
  using Real = device_acc_t<T>;
  const auto* rows = static_cast<const T*>(job.rows);
  const int64_t* indices = job.indices;
  const int64_t width = job.width, bound = job.num_weights, padding = job.padding_idx;
  for_each_index(job.count * width, [=] C10_DEVICE(int64_t i) {
    const int64_t index = indices[i / width];
    CUDA_KERNEL_ASSERT(index >= 0 && index < bound && "index out of range");
    if (index == padding) return;
    Real value = static_cast<Real>(rows[i]);
    if (counts != nullptr) value /= static_cast<Real>(counts[index]);
    gpuAtomicAdd(sums + index * width + i % width, value);
  });
}

template <typename T>
void round_sums(const device_acc_t<T>* sums, int64_t count, T* out) {
  for_each_index(count, [=] C10_DEVICE(int64_t i) { out[i] = static_cast<T>(sums[i]); });
}

template <typename T>
void run(const EmbeddingBackwardJob& job) {
  using Real = device_acc_t<T>;
  auto* allocator = c10::cuda::CUDACachingAllocator::get();
  c10::DataPtr frequencies;
  int64_t* counts = nullptr;
  if (job.by_frequency) {
    frequencies = allocator->allocate(static_cast<size_t>(job.num_weights) * sizeof(int64_t));
    counts = static_cast<int64_t*>(frequencies.get());
    count_indices(job, counts);
  }
  auto* out = static_cast<T*>(job.out);
  if constexpr (std::is_same_v<T, Real>) {
    add_rows<T>(job, counts, out);
  } else {
    const int64_t elements = job.num_weights * job.width;
    const size_t bytes = static_cast<size_t>(elements) * sizeof(Real);
    const c10::DataPtr scratch = allocator->allocate(bytes);
    auto* sums = static_cast<Real*>(scratch.get());
    C10_CUDA_CHECK(cudaMemsetAsync(sums, 0, bytes, c10::cuda::getCurrentCUDAStream().stream()));
    add_rows<T>(job, counts, sums);
    round_sums<T>(sums, elements, out);
  }
}

bool embedding_backward_on_device(c10::ScalarType dtype, const EmbeddingBackwardJob& job) {
  if (!c10::isFloatingType(dtype)) {
    return false;
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, dtype, "embedding_backward", [&] { run<scalar_t>(job); });
  return true;
}

} // namespace

REGISTER_CUDA_DISPATCH(embedding_backward_stub, &embedding_backward_on_device)

} // namespace at::native

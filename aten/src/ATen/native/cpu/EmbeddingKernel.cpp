#include <ATen/native/EmbeddingStub.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <vector>

namespace at::native {
namespace {

std::vector<int64_t> frequencies(const EmbeddingBackwardJob& job) {
  std::vector<int64_t> counts(job.num_weights);
  for (int64_t i = 0; i < job.count; ++i) {
    ++counts[job.indices[i]];
  }
  return counts;
}

template <class T>
void add_row(T* out, const T* row, int64_t width, wide_lane_t<T> factor) {
  using Lane = wide_lane_t<T>;
  for (int64_t i = 0; i < width; i += kLanes<Lane>) {
    const auto sum = load_up_to<Lane>(out + i, width - i, Lane(0)) +
        factor * load_up_to<Lane>(row + i, width - i, Lane(0));
    save_up_to<T, Lane>(out + i, sum, width - i);
  }
}

// Each thread owns a range of weights and reads all indices. No two threads write to the same row,
// and additions happen in the order of the indices for any number of threads.
template <class T>
bool run(const EmbeddingBackwardJob& job) {
  const T* rows = static_cast<const T*>(job.rows);
  T* out = static_cast<T*>(job.out);
  const std::vector<int64_t> counts = job.by_frequency ? frequencies(job) : std::vector<int64_t>();
  const int64_t work = std::max<int64_t>(1, job.count * job.width / job.num_weights);
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / work);
  at::parallel_for(0, job.num_weights, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < job.count; ++i) {
      const int64_t index = job.indices[i];
      const int64_t row = job.row_of != nullptr ? job.row_of[i] : i;
      const bool outside = job.row_of != nullptr && row >= job.bags;
      if (index < begin || index >= end || index == job.padding_idx || outside) {
        continue;
      }
      const double factor = job.factors != nullptr ? job.factors[i] : 1.0;
      const double share = job.by_frequency ? 1.0 / static_cast<double>(counts[index]) : 1.0;
      add_row(
          out + index * job.width, rows + row * job.width, job.width,
          static_cast<wide_lane_t<T>>(factor * share));
    }
  });
  return true;
}

bool embedding_backward_kernel(c10::ScalarType dtype, const EmbeddingBackwardJob& job) {
  for (int64_t i = 0; i < job.count; ++i) {
    TORCH_CHECK_INDEX(
        job.indices[i] >= 0 && job.indices[i] < job.num_weights,
        "embedding_backward: index out of range: ", job.indices[i]);
  }
  switch (dtype) {
    case c10::ScalarType::Float:
      return run<float>(job);
    case c10::ScalarType::Double:
      return run<double>(job);
    case c10::ScalarType::Half:
      return run<c10::Half>(job);
    case c10::ScalarType::BFloat16:
      return run<c10::BFloat16>(job);
    default:
      return false;
  }
}

} // namespace

REGISTER_DISPATCH(embedding_backward_stub, &embedding_backward_kernel)

} // namespace at::native

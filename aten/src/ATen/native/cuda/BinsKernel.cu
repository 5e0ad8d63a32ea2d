// searchsorted, bucketize, histc and bincount.

#include <ATen/core/Tensor.h>
#include <ATen/native/Bins.h>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <c10/cuda/CUDADeviceAssert.h>
#include <c10/cuda/CUDAShared.h>

#include <ATen/ops/bincount_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/item.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

template <typename T>
void search_rows(const Search& search, int64_t* out) {
  const T* sorted = search.sorted.const_data_ptr<T>();
  const T* values = search.values.const_data_ptr<T>();
  const int64_t* order =
      search.sorter.defined() ? search.sorter.const_data_ptr<int64_t>() : nullptr;
  const int64_t length = search.sorted.size(-1), width = search.width();
  const bool right = search.right;
  for_each_index(search.values.numel(), [=] C10_DEVICE(int64_t i) {
    const int64_t start = i / width * length;
    out[i] = sorted_position(
        sorted + start, order != nullptr ? order + start : nullptr, length, values[i], right);
  });
}

void search_on_cuda(const Search& search, int64_t* out) {
  switch (search.values.scalar_type()) {
    case kFloat:
      return search_rows<float>(search, out);
    case kDouble:
      return search_rows<double>(search, out);
    default:
      return search_rows<int64_t>(search, out);
  }
}

// ---- counts: each block counts in shared memory where the bins fit, and adds what it found

constexpr int kThreads = 256;
constexpr int64_t kSharedBins = 8192;
constexpr int64_t kPerThread = 16; // elements, so that blocks do not only clear their bins

// bin_of(i) is the bin of element i, or -1.
template <typename BinOf>
__global__ void __launch_bounds__(kThreads) count_kernel(
    int64_t n, BinOf bin_of, unsigned long long* counts, int64_t bins, bool in_shared) {
  C10_DYNAMIC_SHARED(unsigned int, local);
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (!in_shared) {
    for (int64_t i = first; i < n; i += stride) {
      const int64_t bin = bin_of(i);
      if (bin >= 0) atomicAdd(counts + bin, 1ull);
    }
    return;
  }
  for (int64_t bin = threadIdx.x; bin < bins; bin += kThreads) {
    local[bin] = 0;
  }
  __syncthreads();
  for (int64_t i = first; i < n; i += stride) {
    const int64_t bin = bin_of(i);
    if (bin >= 0) atomicAdd(local + bin, 1u);
  }
  __syncthreads();
  for (int64_t bin = threadIdx.x; bin < bins; bin += kThreads) {
    if (local[bin] != 0) atomicAdd(counts + bin, static_cast<unsigned long long>(local[bin]));
  }
}

template <typename BinOf>
void count_bins(int64_t n, const BinOf& bin_of, const Tensor& counts) {
  if (n == 0) {
    return;
  }
  const int64_t bins = counts.numel();
  const bool in_shared = bins <= kSharedBins;
  const int64_t blocks = std::min(ceil_div(n, kThreads * kPerThread), resident_blocks(kThreads));
  launch_on_current_stream(
      count_kernel<BinOf>, static_cast<unsigned>(blocks), kThreads,
      in_shared ? static_cast<size_t>(bins) * sizeof(unsigned int) : 0, n, bin_of,
      reinterpret_cast<unsigned long long*>(counts.mutable_data_ptr<int64_t>()), bins, in_shared);
}

template <typename T>
struct BinOfNumber {
  const T* data;
  EqualBins<T> bins;
  C10_DEVICE int64_t operator()(int64_t i) const { return bins.of(data[i]); }
};
struct BinOfIndex {
  const int64_t* data;
  C10_DEVICE int64_t operator()(int64_t i) const { return data[i]; }
};

void histogram_on_cuda(const Tensor& values, const Tensor& counts, double low, double high) {
  const Tensor whole = at::zeros(counts.sizes(), counts.options().dtype(kLong));
  const int64_t bins = counts.numel();
  if (values.scalar_type() == kFloat) {
    const EqualBins<float> parts{static_cast<float>(low), static_cast<float>(high), bins};
    count_bins(values.numel(), BinOfNumber<float>{values.const_data_ptr<float>(), parts}, whole);
  } else {
    const EqualBins<double> parts{low, high, bins};
    count_bins(values.numel(), BinOfNumber<double>{values.const_data_ptr<double>(), parts}, whole);
  }
  at::methods::copy_(counts, whole);
}

} // namespace

REGISTER_CUDA_DISPATCH(search_stub, &search_on_cuda)
REGISTER_CUDA_DISPATCH(histogram_stub, &histogram_on_cuda)

Tensor bincount_cuda(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::isIntegralType(self.scalar_type(), /*includeBool=*/false),
      "\"bincount_cuda\" not implemented for '", self.scalar_type(), "'");
  TORCH_CHECK(minlength >= 0, "minlength should be >= 0");
  if (self.dim() == 1 && self.numel() == 0) {
    return at::zeros({minlength}, self.options().dtype(kLong));
  }
  const bool weighted = weights && weights->defined();
  TORCH_CHECK(self.dim() == 1, "bincount only supports 1-d non-negative integral inputs.");
  TORCH_CHECK(
      !weighted || (weights->dim() == 1 && weights->numel() == self.numel()),
      "weights should be 1-d and have the same length as input");
  TORCH_CHECK(
      at::methods::item(at::min(self)).toLong() >= 0,
      "bincount only supports 1-d non-negative integral inputs.");
  const int64_t bins = std::max(minlength, at::methods::item(at::max(self)).toLong() + 1);
  const Tensor positions = at::methods::to(self, kLong).contiguous();
  if (!weighted) {
    const Tensor counts = at::zeros({bins}, positions.options());
    count_bins(self.numel(), BinOfIndex{positions.const_data_ptr<int64_t>()}, counts);
    return counts;
  }
  const ScalarType dtype = weights->scalar_type() == kFloat ? kFloat : kDouble;
  return at::scatter_add(
      at::zeros({bins}, self.options().dtype(dtype)), 0, positions,
      at::methods::to(*weights, dtype));
}

} // namespace at::native

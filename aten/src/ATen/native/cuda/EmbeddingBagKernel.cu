// embedding_bag; see native/EmbeddingStub.h. A thread computes one column of a bag.

#include <ATen/native/EmbeddingStub.h>

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <c10/cuda/CUDADeviceAssert.h>

namespace at::native {
namespace {

void count_rows(const EmbeddingBagJob& given) {
  const EmbeddingBagJob b = given;
  for_each_index(b.bags, [=] C10_DEVICE(int64_t bag) {
    const int64_t begin = b.begins[bag], end = b.begins[bag + 1];
    CUDA_KERNEL_ASSERT((bag > 0 || begin == 0) && "the first offset has to be 0");
    CUDA_KERNEL_ASSERT(begin <= end && end <= b.count && "offsets must not decrease");
    int64_t count = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = b.indices[i];
      CUDA_KERNEL_ASSERT(row >= 0 && row < b.num_weights && "index out of bounds");
      count += row != b.padding_idx ? 1 : 0;
    }
    b.sizes[bag] = count;
  });
  // The last bag that begins at or before the index.
  for_each_index(b.count, [=] C10_DEVICE(int64_t i) {
    int64_t low = 0, high = b.bags + 1;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (b.begins[middle] <= i) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    b.bag_of[i] = low > 0 ? low - 1 : b.bags;
  });
}

template <typename T>
void add_rows(const EmbeddingBagJob& given) {
  using Wide = at::opmath_type<T>;
  const EmbeddingBagJob b = given;
  const auto* table = static_cast<const T*>(b.table);
  const auto* weights = static_cast<const T*>(b.factors);
  auto* out = static_cast<T*>(b.out);
  for_each_index(b.bags * b.width, [=] C10_DEVICE(int64_t at) {
    const int64_t bag = at / b.width, column = at % b.width, end = b.begins[bag + 1];
    Wide sum = 0;
    for (int64_t i = b.begins[bag]; i < end; ++i) {
      const int64_t row = b.indices[i];
      if (row != b.padding_idx) {
        const Wide by = weights != nullptr ? static_cast<Wide>(weights[i]) : Wide(1);
        sum += by * static_cast<Wide>(table[row * b.width + column]);
      }
    }
    const int64_t count = b.sizes[bag];
    const bool mean = b.mode == BagMode::Mean && count > 1;
    out[at] = static_cast<T>(mean ? sum / static_cast<Wide>(count) : sum);
  });
}

template <typename T>
void find_maxima(const EmbeddingBagJob& given) {
  const EmbeddingBagJob b = given;
  const auto* table = static_cast<const T*>(b.table);
  auto* out = static_cast<T*>(b.out);
  for_each_index(b.bags * b.width, [=] C10_DEVICE(int64_t at) {
    const int64_t bag = at / b.width, column = at % b.width, end = b.begins[bag + 1];
    int64_t best_row = -1;
    T best = static_cast<T>(0.0f);
    for (int64_t i = b.begins[bag]; i < end; ++i) {
      const int64_t row = b.indices[i];
      if (row != b.padding_idx) {
        const T value = table[row * b.width + column];
        if (best_row < 0 || value > best) {
          best = value;
          best_row = row;
        }
      }
    }
    out[at] = best;
    b.rows[at] = best_row;
  });
}

void embedding_bags_on_device(ScalarType dtype, const EmbeddingBagJob& bags) {
  count_rows(bags);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "embedding_bag", [&] {
    if (bags.mode == BagMode::Max) {
      find_maxima<scalar_t>(bags);
    } else {
      add_rows<scalar_t>(bags);
    }
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(embedding_bag_stub, &embedding_bags_on_device)

} // namespace at::native

// The primitives of blocks and warps, for every size of block that the kernels use.

#include <ATen/native/cuda/block_reduce.cuh>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/test/emulation_fixture.h>

#include <numeric>

namespace at::native {
namespace {

using c10::cuda::test::Emulation;

// Not commutative, and several words: a scan must keep the order of its inputs.
struct Affine {
  double factor;
  float offset;
};

C10_DEVICE Affine compose(const Affine& a, const Affine& b) {
  return {a.factor * b.factor, static_cast<float>(a.offset * b.factor + b.offset)};
}

__global__ void sums_x(const int* in, int* first, int* all) {
  C10_DYNAMIC_SHARED(int, shared);
  const unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
  const auto add = [](int a, int b) { return a + b; };
  const int sum = block_reduce_x(in[i], add, shared);
  const int everywhere = block_all_reduce_x(in[i], add, shared);
  if (threadIdx.x == 0) first[threadIdx.y] = sum;
  all[i] = everywhere;
}

__global__ void sums_y(const int* in, int* out) {
  C10_DYNAMIC_SHARED(int, shared);
  const unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
  const int sum = block_reduce_y(
      in[i], [](int a, int b) { return a + b; }, shared);
  if (threadIdx.y == 0) out[threadIdx.x] = sum;
}

__global__ void compose_all(const Affine* in, Affine* out) {
  C10_DYNAMIC_SHARED(Affine, shared);
  out[threadIdx.x] = block_inclusive_scan(
      in[threadIdx.x], [](const Affine& a, const Affine& b) { return compose(a, b); }, shared);
}

__global__ void scan(const int* in, int* out) {
  C10_DYNAMIC_SHARED(int, shared);
  out[threadIdx.x] = block_inclusive_scan(
      in[threadIdx.x], [](int a, int b) { return a + b; }, shared);
}

class BlockPrimitives : public Emulation {
 protected:
  static std::vector<int> numbers(unsigned count) {
    std::vector<int> values(count);
    for (unsigned i = 0; i < count; ++i) {
      values[i] = static_cast<int>(i * 2654435761u % 1000) - 400;
    }
    return values;
  }
};

TEST_F(BlockPrimitives, ReduceRowsAndColumns) {
  for (unsigned x = 1; x <= 512; x *= 2) {
    for (unsigned y = x < 32 ? 32 / x : 1; x * y <= 512; y *= 2) {
      const auto values = numbers(x * y);
      int* in = on_device(values);
      int* first = on_device(std::vector<int>(y));
      int* all = on_device(std::vector<int>(x * y));
      int* columns = on_device(std::vector<int>(x));
      const size_t shared = x * y * sizeof(int);
      OK(at::cuda::launch(sums_x, 1, dim3(x, y), shared, nullptr, in, first, all));
      OK(at::cuda::launch(sums_y, 1, dim3(x, y), shared, nullptr, in, columns));
      OK(cudaDeviceSynchronize());
      const auto rows = on_host(first, y), everywhere = on_host(all, x * y);
      for (unsigned r = 0; r < y; ++r) {
        const int sum = std::accumulate(&values[r * x], &values[r * x] + x, 0);
        EXPECT_EQ(rows[r], sum) << x << " x " << y;
        EXPECT_EQ(everywhere[r * x + x / 2], sum) << x << " x " << y;
      }
      int sum = 0;
      for (unsigned r = 0; r < y; ++r) {
        sum += values[r * x];
      }
      EXPECT_EQ(on_host(columns, x)[0], sum) << x << " x " << y;
      for (int* pointer : {in, first, all, columns}) {
        OK(cudaFree(pointer));
      }
    }
  }
}

TEST_F(BlockPrimitives, ScanKeepsTheOrder) {
  for (unsigned x = 32; x <= 512; x *= 2) {
    std::vector<Affine> values(x);
    Affine expected{1, 0};
    for (unsigned i = 0; i < x; ++i) {
      values[i] = {i % 3 == 0 ? -1.0 : 1.0, static_cast<float>(i % 7)};
      expected = compose(expected, values[i]);
    }
    Affine* in = on_device(values);
    Affine* out = on_device(std::vector<Affine>(x));
    OK(at::cuda::launch(compose_all, 1, x, x * sizeof(Affine), nullptr, in, out));
    const Affine result = on_host(out, x).back();
    EXPECT_EQ(result.factor, expected.factor);
    EXPECT_EQ(result.offset, expected.offset);
  }
}

TEST_F(BlockPrimitives, ScanGivesRunningSums) {
  for (unsigned x = 32; x <= 256; x += 32) {
    const auto values = numbers(x);
    int* in = on_device(values);
    int* out = on_device(std::vector<int>(x));
    OK(at::cuda::launch(scan, 1, x, x * sizeof(int), nullptr, in, out));
    std::vector<int> expected(x);
    std::partial_sum(values.begin(), values.end(), expected.begin());
    EXPECT_EQ(on_host(out, x), expected);
  }
}

} // namespace
} // namespace at::native

#include <ATen/native/cuda/DimOffsets.cuh>
#include <ATen/native/cuda/ReduceConfig.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace at::native {

TEST(IntDivider, AgreesWithDivision) {
  const std::vector<uint32_t> divisors = {1,
                                          2,
                                          3,
                                          7,
                                          10,
                                          641,
                                          65535,
                                          65536,
                                          65537,
                                          1000003,
                                          1u << 30,
                                          (1u << 30) + 1,
                                          INT32_MAX - 1,
                                          INT32_MAX};
  for (const uint32_t d : divisors) {
    const at::cuda::IntDivider divisor(d);
    for (const uint32_t base : {0u, d, d * 2, 1u << 20, 1u << 30, 0x7fffffffu}) {
      for (int64_t n = int64_t{base} - 2; n <= int64_t{base} + 2; ++n) {
        if (n < 0 || n > INT32_MAX) continue;
        EXPECT_EQ(divisor.div(static_cast<uint32_t>(n)), static_cast<uint32_t>(n) / d)
            << n << " / " << d;
      }
    }
  }
}

TEST(DimOffsets, FollowsStridesOfEitherSign) {
  DimOffsets<2> offsets;
  offsets.add(3, {1, -4});
  offsets.add(5, {10, 0});
  offsets.add(7, {-1000, 1});
  for (int64_t i = 0; i < 105; ++i) {
    const auto at = offsets(i);
    const int64_t x = i % 3, y = i / 3 % 5, z = i / 15;
    EXPECT_EQ(at[0], x + 10 * y - 1000 * z);
    EXPECT_EQ(at[1], -4 * x + z);
  }
}

TEST(DimOffsets, PositionsMayExceed31Bits) {
  DimOffsets<1> offsets;
  offsets.add(3, {1});
  offsets.add(int64_t{1} << 31, {5});
  offsets.add(4, {int64_t{1} << 40});
  EXPECT_FALSE(offsets.narrow);
  const int64_t x = 2, y = (int64_t{1} << 31) - 1, z = 3;
  const int64_t position = x + 3 * (y + (int64_t{1} << 31) * z);
  EXPECT_EQ(offsets(position)[0], x + 5 * y + z * (int64_t{1} << 40));
}

// Every element of every output belongs to exactly one chunk, and blocks have whole warps.
TEST(ReduceConfig, CoversEveryElement) {
  const int64_t large = (int64_t{1} << 31) + 12345;
  for (const int64_t outputs : {int64_t{1}, int64_t{3}, int64_t{32}, int64_t{1000}, large}) {
    for (const int64_t length :
         {int64_t{0}, int64_t{1}, int64_t{5}, int64_t{32}, int64_t{1000}, int64_t{1} << 20, large,
          int64_t{1} << 40}) {
      for (const bool inner : {false, true}) {
        for (const int64_t vector : {1, 4, 16}) {
          if (!inner && vector > 1) continue;
          const ReduceConfig c = make_reduce_config(outputs, length, inner, vector, 1056);
          EXPECT_EQ(c.threads() % 32, 0);
          EXPECT_LE(c.threads(), 1024);
          EXPECT_EQ(c.lanes & (c.lanes - 1), 0);
          EXPECT_EQ(c.block_outputs & (c.block_outputs - 1), 0);
          EXPECT_GE(c.output_blocks * c.block_outputs, outputs);
          EXPECT_LT((c.output_blocks - 1) * c.block_outputs, outputs);
          EXPECT_GE(c.chunks * c.chunk_length, length);
          EXPECT_LT((c.chunks - 1) * c.chunk_length, std::max<int64_t>(length, 1));
          EXPECT_LE(c.chunks, 65535);
          // A grid has room for whatever fits the memory of a device.
          if (outputs <= (int64_t{1} << 38) / std::max<int64_t>(length, 1)) {
            EXPECT_LE(c.output_blocks, INT32_MAX);
          }
        }
      }
    }
  }
}

TEST(ReduceConfig, SplitsALongReductionOverTheDevice) {
  const ReduceConfig c = make_reduce_config(1, int64_t{1} << 30, true, 4, 1056);
  EXPECT_EQ(c.threads(), kReduceThreads);
  EXPECT_GT(c.chunks, 1000);
  EXPECT_EQ(make_reduce_config(1 << 20, 1 << 10, true, 4, 1056).chunks, 1);
  EXPECT_EQ(make_reduce_config(1, 1000, true, 4, 1056).chunks, 1);
}

} // namespace at::native

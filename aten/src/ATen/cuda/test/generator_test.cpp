// The CUDA generator's state, and what the loops of element-wise kernels calculate on the host.

#include <ATen/EmptyTensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/EmptyTensor.h>
#include <ATen/cuda/IntegerDivider.cuh>
#include <c10/core/CopyBytes.h>

#include <gtest/gtest.h>

#include <cstdint>

namespace at {
namespace {

TEST(CUDAGenerator, DrawsPartsOfAStreamInMultiplesOfFour) {
  CUDAGeneratorImpl generator(0);
  generator.set_current_seed(5);
  EXPECT_EQ(generator.philox_cuda_state(3).offset_.val, 0U);
  EXPECT_EQ(generator.philox_cuda_state(8).offset_.val, 4U);
  EXPECT_EQ(generator.philox_offset_per_thread(), 12U);
  EXPECT_THROW(generator.set_philox_offset_per_thread(2), c10::Error);
}

TEST(CUDAGenerator, RestoresItsState) {
  CUDAGeneratorImpl generator(0);
  generator.set_current_seed(5);
  generator.philox_cuda_state(4);
  const auto state = generator.get_state();
  generator.set_current_seed(6);
  generator.set_state(*state);
  EXPECT_EQ(generator.current_seed(), 5U);
  EXPECT_EQ(generator.philox_offset_per_thread(), 4U);
}

uint64_t number_in(const TensorBase& tensor) {
  uint64_t value = 0;
  c10::CopyBytes(
      sizeof(value), tensor.const_data_ptr(), tensor.device(), &value,
      c10::Device(c10::DeviceType::CPU), false);
  return value;
}

TEST(CUDAGenerator, GivesEachReplayOfAGraphOtherNumbers) {
  if (!cuda::is_available()) GTEST_SKIP() << "needs a device";
  CUDAGeneratorImpl generator(0);
  generator.set_current_seed(5);
  const auto seed = detail::empty_cuda({1}, kLong, Device(kCUDA, 0));
  const auto offset = detail::empty_cuda({1}, kLong, Device(kCUDA, 0));
  generator.capture_prologue(seed, offset);
  const auto first = generator.philox_cuda_state(4);
  const auto second = generator.philox_cuda_state(4);
  EXPECT_TRUE(first.captured_);
  EXPECT_EQ(first.offset_intragraph_, 0U);
  EXPECT_EQ(second.offset_intragraph_, 4U);
  const uint64_t words = generator.capture_epilogue();
  EXPECT_EQ(words, 8U);
  generator.replay_prologue(seed, offset, words);
  EXPECT_EQ(number_in(seed), 5U);
  EXPECT_EQ(number_in(offset), 0U);
  generator.replay_prologue(seed, offset, words);
  EXPECT_EQ(number_in(offset), 8U);
}

TEST(IntDivider, DividesLikeTheProcessor) {
  for (uint32_t divisor : {1U, 2U, 3U, 7U, 10U, 641U, 65535U, 65536U, 1000003U, 2147483647U}) {
    const cuda::IntDivider divider(divisor);
    for (uint32_t n : {0U, 1U, 2U, 9U, 63U, 65535U, 65536U, 1234567U, 2147483646U, 2147483647U}) {
      EXPECT_EQ(divider.divmod(n).quotient, n / divisor) << n << " / " << divisor;
      EXPECT_EQ(divider.divmod(n).remainder, n % divisor) << n << " % " << divisor;
    }
  }
}

} // namespace
} // namespace at

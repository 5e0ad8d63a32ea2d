// The emulated device itself: what it computes, and that each of its checks finds what it is for.

#include <c10/cuda/test/emulation_fixture.h>

#include <cstdio>
#include <numeric>

namespace c10::cuda::test {
namespace {

// ---- kernels

TEST_F(Emulation, RunsAKernelOverManyBlocks) {
  std::vector<float> x(10000, 2), y(10000);
  std::iota(y.begin(), y.end(), 0.0f);
  float* device_y = on_device(y);
  OK(launch_saxpy(10000, 3, on_device(x), device_y, nullptr));
  const auto result = on_host(device_y, 10000);
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(result[i], 6.0f + static_cast<float>(i));
  }
}

TEST_F(Emulation, SynchronisesABlockThroughSharedMemory) {
  std::vector<float> values(4 * 256);
  std::iota(values.begin(), values.end(), 0.0f);
  float* out = on_device(std::vector<float>(4));
  OK(launch_block_sum(4, on_device(values), out, true, nullptr));
  const auto sums = on_host(out, 4);
  for (int block = 0; block < 4; ++block) {
    const auto* first = values.data() + block * 256;
    EXPECT_EQ(sums[block], std::accumulate(first, first + 256, 0.0f));
  }
}

TEST_F(Emulation, SumsWithWarpShufflesAndAtomics) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  int* out = on_device(std::vector<int>{0});
  OK(launch_warp_sum(1000, on_device(values), out, nullptr));
  EXPECT_EQ(on_host(out, 1)[0], 499500);
}

TEST_F(Emulation, NumbersThreadsInThreeDimensions) {
  int* out = on_device(std::vector<int>(2 * 3 * 2 * 4 * 5 * 3, -1));
  OK(launch_coordinates(dim3(2, 3, 2), dim3(4, 5, 3), out, nullptr));
  const auto result = on_host(out, 720);
  for (int i = 0; i < 720; ++i) {
    ASSERT_EQ(result[i], i);
  }
}

TEST_F(Emulation, WarpFunctionsAgreeWithTheirDefinitions) {
  int* out = on_device(std::vector<int>(32 * 6));
  OK(launch_warp_functions(out, nullptr));
  const auto result = on_host(out, 32 * 6);
  for (int lane = 0; lane < 32; ++lane) {
    const int* mine = result.data() + lane * 6;
    EXPECT_EQ(static_cast<unsigned>(mine[0]), 0x49249249u);
    EXPECT_EQ(mine[1], 1);
    EXPECT_EQ(mine[2], 0);
    EXPECT_EQ(mine[3], lane ^ 5);
    EXPECT_EQ(mine[4], lane % 8 >= 3 ? lane - 3 : lane);
    EXPECT_EQ(mine[5], lane % 8 < 5 ? lane + 3 : lane);
  }
}

TEST_F(Emulation, RefusesALaunchThatNoDeviceAllows) {
  EXPECT_EQ(launch_coordinates(1, 1025, nullptr, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_coordinates(0, 1, nullptr, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// ---- checks of kernels

TEST_F(Emulation, CatchesAMissingBarrier) {
  float* out = on_device(std::vector<float>(4));
  OK(launch_block_sum(4, on_device(std::vector<float>(1024, 1)), out, false, nullptr));
  expect_caught(
      cudaErrorLaunchFailure,
      {"block_sum<false>", "grid (4,1,1), block (256,1,1)", "is a barrier missing?",
       "of a block of 16 bytes"});
}

TEST_F(Emulation, AKernelMayDeclareThatTheOrderMatters) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  int* in = on_device(values);
  int* out = on_device(std::vector<int>(1000));
  int* count = on_device(std::vector<int>{0});
  OK(launch_compact(1000, in, out, count, true, nullptr));
  EXPECT_EQ(on_host(count, 1)[0], 500);
  EXPECT_EQ(cudaMemset(count, 0, sizeof(int)), cudaSuccess);
  OK(launch_compact(1000, in, out, count, false, nullptr));
  expect_caught(cudaErrorLaunchFailure, {"compact<false>", "depends on the order"});
}

TEST_F(Emulation, CatchesASharedAccessOutOfBounds) {
  int* out = on_device(std::vector<int>(64));
  OK(launch_shared_write(1, out, nullptr));
  expect_caught(
      cudaErrorIllegalAddress,
      {"kernel c10::cuda::test::shared_write,", "block (0,0,0), thread (63,0,0)",
       "byte 256, past the end, of the shared array 'tile' of 256 bytes"});
}

TEST_F(Emulation, CatchesASharedWriteBeforeTheArray) {
  OK(launch_shared_write(-1, on_device(std::vector<int>(64)), nullptr));
  expect_caught(cudaErrorLaunchFailure, {"byte -4, before the start, of the shared array 'tile'"});
}

TEST_F(Emulation, CatchesAccessPastTheEndOfABlock) {
  OK(launch_write(on_device(std::vector<int>(1024)), 1024, 7, nullptr));
  expect_caught(
      cudaErrorIllegalAddress,
      {"write", "thread (0,0,0)", "byte 4096, past the end, of a block of 4096 bytes"});
}

TEST_F(Emulation, CatchesAWriteIntoTheRestOfAPageWhenTheBlockIsFreed) {
  int* data = on_device(std::vector<int>(10));
  OK(launch_write(data, 10, 7, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(cudaFree(data), cudaErrorIllegalAddress);
  expect_caught(cudaErrorIllegalAddress, {"wrote byte 40 of a block of 40 bytes"});
}

TEST_F(Emulation, CatchesUseOfAFreedBlock) {
  int* data = on_device(std::vector<int>(10));
  OK(cudaFree(data));
  OK(launch_write(data, 0, 7, nullptr));
  expect_caught(cudaErrorIllegalAddress, {"it used", "holds no block"});
}

TEST_F(Emulation, CatchesANullPointer) {
  OK(launch_write(nullptr, 0, 7, nullptr));
  expect_caught(cudaErrorIllegalAddress, {"which no device has"});
}

TEST_F(Emulation, ADeviceReachesItsPeersOnlyWhenAllowed) {
  int* data = on_device(std::vector<int>(10));
  OK(cudaSetDevice(1));
  OK(cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
  OK(launch_write(data, 0, 7, nullptr));
  EXPECT_EQ(on_host(data, 1)[0], 7);
  OK(cudaSetDevice(0));
  void* other = nullptr;
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&other, 64));
  OK(cudaSetDevice(0));
  OK(launch_write(static_cast<int*>(other), 0, 7, nullptr));
  expect_caught(cudaErrorIllegalAddress, {"device 1", "no peer access"});
}

TEST_F(Emulation, AFailedAssertionEndsTheKernel) {
  OK(launch_check_index(3, 4, nullptr));
  OK(cudaDeviceSynchronize());
  OK(launch_check_index(4, 4, nullptr));
  expect_caught(cudaErrorAssert, {"assertion `index < bound` failed at", "kernels.cu"});
}

TEST_F(Emulation, CatchesBarriersInTwoPlaces) {
  OK(launch_divergent_barrier(nullptr));
  expect_caught(cudaErrorLaunchFailure, {"wait for each other in different places", "kernels.cu:"});
}

TEST_F(Emulation, CatchesAWarpFunctionThatALaneNeverReaches) {
  OK(launch_missing_lane(on_device(std::vector<int>(32)), nullptr));
  expect_caught(cudaErrorLaunchFailure, {"in a warp function", "have ended"});
}

TEST_F(Emulation, HostCodeThatFollowsADevicePointerDies) {
  const int* data = on_device(std::vector<int>(10));
  EXPECT_DEATH(
      { std::printf("%d", *static_cast<const volatile int*>(data + 4)); },
      "host code used device memory: byte 16 of a block of 40 bytes \\(allocation");
}

// ---- memory and failures

TEST_F(Emulation, MemoryHasALimit) {
  Settings settings;
  settings.memory = size_t{1} << 20;
  cuda_emulation::reset(settings);
  void *first = nullptr, *second = nullptr;
  OK(cudaMalloc(&first, 700 << 10));
  EXPECT_EQ(cudaMalloc(&second, 700 << 10), cudaErrorMemoryAllocation);
  OK(cudaFree(first));
  OK(cudaMalloc(&second, 700 << 10));
  size_t free = 0, total = 0;
  OK(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(total - free, 700 << 10);
  EXPECT_NE(first, second) << "addresses are not used again soon";
}

TEST_F(Emulation, NewMemoryIsNotANumber) {
  void* data = nullptr;
  OK(cudaMalloc(&data, sizeof(float)));
  const float value = on_host(static_cast<float*>(data), 1)[0];
  EXPECT_NE(value, value);
}

TEST_F(Emulation, InjectsFailures) {
  Settings settings;
  settings.fail_allocation = 2;
  settings.fail_launch = 3;
  cuda_emulation::reset(settings);
  void* data = nullptr;
  OK(cudaMalloc(&data, 64));
  void* none = nullptr;
  EXPECT_EQ(cudaMalloc(&none, 64), cudaErrorMemoryAllocation);
  OK(cudaMalloc(&none, 64));
  for (int i = 0; i < 3; ++i) {
    OK(launch_write(static_cast<int*>(data), 0, i, nullptr));
  }
  expect_caught(cudaErrorLaunchFailure, {"CUDA_EMULATION_FAIL_LAUNCH"});

  settings = {};
  settings.lose_device = 3;
  cuda_emulation::reset(settings);
  OK(cudaMalloc(&data, 64));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(cudaMalloc(&data, 64), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaGetLastError(), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable) << "it does not come back";
}

TEST_F(Emulation, KnowsWhatNobodyFreed) {
  void *kept = nullptr, *freed = nullptr;
  OK(cudaMalloc(&kept, 100));
  OK(cudaMalloc(&freed, 200));
  OK(cudaFree(freed));
  const auto leaks = cuda_emulation::leaks();
  ASSERT_EQ(leaks.size(), 1);
  EXPECT_NE(leaks[0].find("a block of 100 bytes"), std::string::npos) << leaks[0];
}

TEST_F(Emulation, APartThatAnAllocatorTookBackIsClosed) {
  int* data = on_device(std::vector<int>(4096));
  cudaStream_t owner = new_stream();
  cuda_emulation::annotate_free(data + 1024, 4096, owner);
  OK(launch_write(data, 0, 1, owner));
  OK(launch_write(data, 1024, 1, owner));
  expect_caught(
      cudaErrorIllegalAddress,
      {"in a part of 4096 bytes that was freed on stream 1", "needs record_stream"});
}

TEST_F(Emulation, AMachineWithoutDevicesSaysSo) {
  Settings settings;
  settings.devices = 0;
  cuda_emulation::reset(settings);
  int count = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
}

} // namespace
} // namespace c10::cuda::test

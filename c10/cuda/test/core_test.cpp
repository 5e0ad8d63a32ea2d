// Devices, errors, streams, guards and events, on the emulated machine of the environment (two
// devices).

#include <c10/core/CopyBytes.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/test/kernels.h>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

namespace c10::cuda::test {
namespace {

std::string message_of(void (*call)()) {
  try {
    call();
  } catch (const Error& error) {
    return error.msg();
  }
  return "nothing was thrown";
}

TEST(CUDAException, NamesTheErrorAndTheCall) {
  const std::string text = message_of([] { C10_CUDA_CHECK(cudaSetDevice(77)); });
  EXPECT_NE(text.find("invalid device ordinal"), std::string::npos) << text;
  EXPECT_NE(text.find("cudaErrorInvalidDevice, from cudaSetDevice"), std::string::npos) << text;
  EXPECT_EQ(text.find("asynchronously"), std::string::npos) << "no kernel can have caused it";
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "nothing later may be blamed for it";
  try {
    C10_CUDA_CHECK(cudaSetDevice(77));
  } catch (const AcceleratorError& error) {
    EXPECT_EQ(error.get_error_code(), cudaErrorInvalidDevice);
  }
}

TEST(CUDAException, HintsAtLaunchesThatFailLate) {
  const std::string text = describe_cuda_error(cudaErrorIllegalAddress, "cudaStreamSynchronize(s)");
  EXPECT_NE(text.find("CUDA_LAUNCH_BLOCKING=1"), std::string::npos) << text;
}

TEST(CUDAException, ALackOfMemoryHasItsOwnType) {
  void* data = nullptr;
  EXPECT_THROW(C10_CUDA_CHECK(cudaMalloc(&data, size_t{1} << 40)), OutOfMemoryError);
}

TEST(CUDAFunctions, KnowsTheDevices) {
  EXPECT_EQ(device_count(), 2);
  EXPECT_EQ(device_properties(1).major, 9);
  EXPECT_EQ(current_device(), 0);
  EXPECT_EQ(exchange_device(1), 0);
  EXPECT_EQ(exchange_device(0), 1);
  const std::string text = message_of([] { set_device(2); });
  EXPECT_NE(text.find("CUDA device 2 does not exist: this process sees 2"), std::string::npos)
      << text;
}

TEST(CUDAFunctions, EnablesPeerAccessOnce) {
  EXPECT_TRUE(get_p2p_access(0, 1));
  EXPECT_TRUE(get_p2p_access(0, 1));
  EXPECT_TRUE(get_p2p_access(1, 1));
  EXPECT_EQ(current_device(), 0);
  EXPECT_THROW(get_p2p_access(0, 5), Error);
}

TEST(CUDAStream, ThePoolHandsOutStreamsInTurn) {
  std::set<StreamId> ids;
  for (int i = 0; i < 40; ++i) {
    ids.insert(getStreamFromPool().id());
  }
  EXPECT_EQ(ids.size(), 32);
  EXPECT_EQ(ids.count(0), 0) << "the default stream is not of the pool";
  std::set<cudaStream_t> handles;
  for (int i = 0; i < 32; ++i) {
    handles.insert(getStreamFromPool(true).stream());
  }
  EXPECT_EQ(handles.size(), 32);
}

TEST(CUDAStream, HasThePriorityThatWasAskedFor) {
  const auto [least, greatest] = CUDAStream::priority_range();
  EXPECT_GE(least, 0);
  EXPECT_LE(greatest, -1);
  EXPECT_EQ(getStreamFromPool(false).priority(), 0);
  EXPECT_EQ(getStreamFromPool(true).priority(), greatest);
  EXPECT_EQ(getStreamFromPool(-1).priority(), -1);
  EXPECT_EQ(getStreamFromPool(-100).priority(), greatest);
  EXPECT_EQ(getStreamFromPool(100).priority(), 0);
}

TEST(CUDAStream, TheCurrentStreamBelongsToAThreadAndADevice) {
  const CUDAStream stream = getStreamFromPool(false, 0);
  setCurrentCUDAStream(stream);
  EXPECT_EQ(getCurrentCUDAStream(0), stream);
  EXPECT_EQ(getCurrentCUDAStream(1), getDefaultCUDAStream(1));
  std::thread([&] { EXPECT_EQ(getCurrentCUDAStream(0), getDefaultCUDAStream(0)); }).join();
  setCurrentCUDAStream(getDefaultCUDAStream(0));
}

TEST(CUDAStream, AdoptsAStreamThatSomeoneElseMade) {
  cudaStream_t handle = nullptr;
  C10_CUDA_CHECK(cudaStreamCreate(&handle));
  const CUDAStream stream = getStreamFromExternal(handle, 0);
  EXPECT_EQ(stream.stream(), handle);
  EXPECT_TRUE(stream.query());
  C10_CUDA_CHECK(cudaStreamDestroy(handle));
}

TEST(CUDAGuard, MakesADeviceCurrentForAScope) {
  {
    CUDAGuard guard(1);
    EXPECT_EQ(current_device(), 1);
    EXPECT_EQ(guard.original_device(), Device(kCUDA, 0));
    guard.set_index(0);
    EXPECT_EQ(current_device(), 0);
    OptionalCUDAGuard optional;
    EXPECT_FALSE(optional.current_device());
    optional.set_index(1);
    EXPECT_EQ(current_device(), 1);
  }
  EXPECT_EQ(current_device(), 0);
  EXPECT_THROW(CUDAGuard(Device(kCPU)), Error);
}

TEST(CUDAGuard, MakesStreamsCurrentForAScope) {
  const CUDAStream first = getStreamFromPool(false, 0);
  const CUDAStream second = getStreamFromPool(false, 1);
  {
    const CUDAStreamGuard guard(second);
    EXPECT_EQ(current_device(), 1);
    EXPECT_EQ(getCurrentCUDAStream(), second);
    const CUDAMultiStreamGuard both({first, getDefaultCUDAStream(1)});
    EXPECT_EQ(current_device(), 1);
    EXPECT_EQ(getCurrentCUDAStream(0), first);
    EXPECT_EQ(getCurrentCUDAStream(1), getDefaultCUDAStream(1));
  }
  EXPECT_EQ(current_device(), 0);
  EXPECT_EQ(getCurrentCUDAStream(0), getDefaultCUDAStream(0));
}

TEST(CUDAEvent, OrdersStreams) {
  void* memory = CUDACachingAllocator::raw_alloc(sizeof(int));
  int* data = static_cast<int*>(memory);
  const CUDAStream first = getStreamFromPool();
  const CUDAStream second = getStreamFromPool();
  CUDAEvent allocated; // the memory belongs to the default stream
  allocated.record();
  allocated.block(first);
  for (int i = 0; i < 20; ++i) {
    CUDAEvent event;
    EXPECT_TRUE(event.query()) << "never recorded";
    C10_CUDA_CHECK(launch_write(data, 0, 2 * i, first));
    event.record(first);
    event.block(second);
    C10_CUDA_CHECK(launch_write(data, 0, 2 * i + 1, second));
    CUDAEvent done;
    done.record(second);
    done.synchronize();
    EXPECT_TRUE(done.query());
    int value = -1;
    C10_CUDA_CHECK(cudaMemcpyAsync(&value, data, sizeof(int), cudaMemcpyDeviceToHost, second));
    EXPECT_EQ(value, 2 * i + 1);
  }
  CUDACachingAllocator::raw_delete(memory);
}

TEST(CUDAEvent, MeasuresTimeOnlyWhenAsked) {
  CUDAEvent start(cudaEventDefault);
  CUDAEvent end(cudaEventDefault);
  start.record();
  end.record();
  end.synchronize();
  EXPECT_GE(start.elapsed_time(end), 0);
  CUDAEvent plain;
  plain.record();
  EXPECT_THROW(start.elapsed_time(plain), Error);
  EXPECT_THROW(start.record(getDefaultCUDAStream(1)), Error);
}

// What code that names no device type sees.
TEST(DeviceSeam, GuardsStreamsAndEventsReachTheBackEnd) {
  {
    const DeviceGuard guard(Device(kCUDA, 1));
    EXPECT_EQ(current_device(), 1);
  }
  EXPECT_EQ(current_device(), 0);
  const Stream stream = getStreamFromPool().unwrap();
  const StreamGuard guard(stream);
  EXPECT_EQ(getCurrentCUDAStream().unwrap(), stream);
  EXPECT_EQ(stream.native_handle(), CUDAStream(stream).stream());
  Event event(kCUDA);
  event.record(stream);
  event.block(getDefaultCUDAStream().unwrap());
  event.synchronize();
  EXPECT_TRUE(event.query());
  EXPECT_TRUE(stream.query());
}

TEST(DeviceSeam, CopiesBytesBetweenHostAndDevices) {
  const int source[] = {1, 2, 3};
  int target[3] = {};
  Allocator* allocator = GetAllocator(kCUDA);
  ASSERT_EQ(allocator, CUDACachingAllocator::get());
  const DataPtr first = allocator->allocate(sizeof(source));
  CopyBytes(sizeof(source), source, kCPU, first.get(), first.device(), false);
  const CUDAGuard guard(1);
  const DataPtr second = allocator->allocate(sizeof(source));
  EXPECT_EQ(second.device(), Device(kCUDA, 1));
  CopyBytes(sizeof(source), first.get(), first.device(), second.get(), second.device(), false);
  CopyBytes(sizeof(source), second.get(), second.device(), target, kCPU, false);
  EXPECT_EQ(target[0] + target[1] * 10 + target[2] * 100, 321);
}

} // namespace
} // namespace c10::cuda::test

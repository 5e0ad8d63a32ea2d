// Captured graphs, and the pinned host allocator.

#include <c10/core/CopyBytes.h>
#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CachingHostAllocator.h>
#include <c10/cuda/test/kernels.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace c10::cuda::test {
namespace {

using Numbers = std::array<int, 4>;

void write_numbers(const DataPtr& data, const Numbers& values) {
  CopyBytes(sizeof(values), values.data(), kCPU, data.get(), data.device(), false);
}
Numbers read_numbers(const DataPtr& data) {
  Numbers values{};
  CopyBytes(sizeof(values), data.get(), data.device(), values.data(), kCPU, false);
  return values;
}

TEST(CUDAGraph, ReplaysWithTheInputsOfNow) {
  const CUDAStreamGuard guard(getStreamFromPool().unwrap());
  Allocator* allocator = CUDACachingAllocator::get();
  const DataPtr input = allocator->allocate(sizeof(Numbers));
  const DataPtr sum = allocator->allocate(sizeof(Numbers));
  CUDAGraph graph;
  graph.capture_begin();
  {
    // The graph keeps this memory although the program frees it.
    const DataPtr scratch = allocator->allocate(size_t{3} << 20);
    C10_CUDA_CHECK(cudaMemcpyAsync(
        scratch.get(), input.get(), sizeof(Numbers), cudaMemcpyDeviceToDevice,
        getCurrentCUDAStream()));
    C10_CUDA_CHECK(launch_warp_sum(
        4, static_cast<int*>(scratch.get()), static_cast<int*>(sum.get()), getCurrentCUDAStream()));
  }
  graph.capture_end();
  const DataPtr other = allocator->allocate(size_t{3} << 20);
  C10_CUDA_CHECK(cudaMemsetAsync(other.get(), 0, size_t{3} << 20, getCurrentCUDAStream()));
  write_numbers(sum, {0, 0, 0, 0});
  int expected = 0;
  for (int i = 1; i <= 5; ++i) {
    write_numbers(input, {i, i, i, i});
    graph.replay();
    expected += 4 * i;
    EXPECT_EQ(read_numbers(sum)[0], expected);
  }
  getCurrentCUDAStream().synchronize();
}

TEST(CUDAGraph, GivesItsMemoryUpWhenItIsReset) {
  CUDACachingAllocator::emptyCache();
  const size_t before = CUDACachingAllocator::snapshot().size();
  {
    const CUDAStreamGuard guard(getStreamFromPool().unwrap());
    CUDAGraph first;
    first.capture_begin();
    CUDACachingAllocator::get()->allocate(1000).clear();
    first.capture_end();
    CUDAGraph second;
    second.capture_begin(first.pool());
    CUDACachingAllocator::get()->allocate(1000).clear();
    second.capture_end();
    EXPECT_EQ(second.pool(), first.pool());
    CUDACachingAllocator::emptyCache();
    EXPECT_EQ(CUDACachingAllocator::snapshot().size(), before + 1) << "one pool for both";
    first.reset();
    CUDACachingAllocator::emptyCache();
    EXPECT_EQ(CUDACachingAllocator::snapshot().size(), before + 1) << "the second one uses it";
  }
  CUDACachingAllocator::emptyCache();
  EXPECT_EQ(CUDACachingAllocator::snapshot().size(), before);
}

TEST(CUDAGraph, RefusesWhatCannotBeCaptured) {
  CUDAGraph graph;
  EXPECT_THROW(graph.capture_begin(), Error) << "the default stream";
  EXPECT_THROW(graph.replay(), Error);
  EXPECT_THROW(graph.capture_end(), Error);
  const CUDAStreamGuard guard(getStreamFromPool().unwrap());
  graph.capture_begin();
  EXPECT_THROW(getCurrentCUDAStream().synchronize(), AcceleratorError);
  EXPECT_THROW(graph.capture_end(), AcceleratorError) << "the wait has spoilt the capture";
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(CUDAGraph, AStreamOutsideTheCaptureAllocatesAsUsual) {
  const CUDAStream captured = getStreamFromPool();
  const CUDAStream other = getStreamFromPool();
  const CUDAStreamGuard guard(captured.unwrap());
  CUDAGraph graph;
  graph.capture_begin({0, 0}, cudaStreamCaptureModeRelaxed);
  void* data = CUDACachingAllocator::raw_alloc_with_stream(size_t{3} << 20, other.stream());
  graph.capture_end();
  const auto segments = CUDACachingAllocator::snapshot();
  EXPECT_TRUE(std::any_of(segments.begin(), segments.end(), [&](const auto& segment) {
    return segment.stream == other.stream() && segment.owner_private_pool_id == MempoolId_t{0, 0};
  }));
  CUDACachingAllocator::raw_delete(data);
}

TEST(CUDAGraph, AKeptGraphIsInstantiatedWhenItIsNeeded) {
  const CUDAStreamGuard guard(getStreamFromPool().unwrap());
  const DataPtr data = CUDACachingAllocator::get()->allocate(sizeof(Numbers));
  write_numbers(data, {0, 0, 0, 0});
  CUDAGraph graph(/*keep_graph=*/true);
  EXPECT_THROW(graph.raw_cuda_graph(), Error);
  graph.capture_begin();
  C10_CUDA_CHECK(cudaMemsetAsync(data.get(), 1, sizeof(Numbers), getCurrentCUDAStream()));
  graph.capture_end();
  EXPECT_NE(graph.raw_cuda_graph(), nullptr);
  EXPECT_THROW(graph.raw_cuda_graph_exec(), Error);
  graph.replay();
  EXPECT_EQ(read_numbers(data)[0], 0x01010101);
  const cudaGraphExec_t first = graph.raw_cuda_graph_exec();
  EXPECT_NE(first, nullptr);
  graph.instantiate();
  graph.replay();
  EXPECT_THROW(graph.capture_begin(), Error);
  graph.reset();
  EXPECT_THROW(graph.raw_cuda_graph(), Error);
}

TEST(CUDAGraph, WritesWhatItRecorded) {
  const CUDAStreamGuard guard(getStreamFromPool().unwrap());
  const DataPtr data = CUDACachingAllocator::get()->allocate(sizeof(Numbers));
  CUDAGraph graph;
  EXPECT_THROW(graph.debug_dump("unused"), Error);
  graph.enable_debug_mode();
  graph.capture_begin();
  for (int i = 0; i < 2; ++i) {
    C10_CUDA_CHECK(cudaMemsetAsync(data.get(), i, sizeof(Numbers), getCurrentCUDAStream()));
  }
  graph.capture_end();
  EXPECT_THROW(graph.instantiate(), Error);
  EXPECT_THROW(graph.raw_cuda_graph(), Error);
  const std::string path = ::testing::TempDir() + "graph_test.dot";
  graph.debug_dump(path);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text.substr(0, 7), "digraph");
  EXPECT_NE(text.find("node0 -> node1"), std::string::npos) << text;
  graph.replay();
  EXPECT_THROW(graph.debug_dump(path), Error) << "the graph is written once";
}

class PinnedMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    device_synchronize();
    CachingHostAllocator::emptyCache();
    ASSERT_EQ(CachingHostAllocator::getStats().allocated_bytes.current, 0);
  }
};

TEST_F(PinnedMemory, ReusesBlocksOfItsSize) {
  Allocator* allocator = CachingHostAllocator::get();
  const int64_t calls = CachingHostAllocator::getStats().num_host_alloc;
  DataPtr data = allocator->allocate(1000);
  EXPECT_EQ(data.device(), Device(kCPU));
  void* address = data.get();
  EXPECT_TRUE(CachingHostAllocator::isPinned(static_cast<char*>(address) + 999));
  data.clear();
  EXPECT_FALSE(CachingHostAllocator::isPinned(address));
  data = allocator->allocate(600);
  EXPECT_EQ(data.get(), address);
  const DataPtr larger = allocator->allocate(2000);
  EXPECT_NE(larger.get(), address);
  EXPECT_EQ(CachingHostAllocator::getStats().num_host_alloc, calls + 2);
  EXPECT_EQ(CachingHostAllocator::getStats().active_bytes.current, 1024 + 2048);
  EXPECT_EQ(allocator->allocate(0).get(), nullptr);
}

TEST_F(PinnedMemory, CountsBlocksAndTimes) {
  namespace Host = CachingHostAllocator;
  Host::resetAccumulatedStats();
  Host::resetPeakStats();
  Allocator* allocator = Host::get();
  DataPtr first = allocator->allocate(1000);
  DataPtr second = allocator->allocate(600);
  first.clear();
  Host::HostStats stats = Host::getStats();
  EXPECT_EQ(stats.allocations.current, 2) << "a freed block is kept";
  EXPECT_EQ(stats.allocated_bytes.current, 2048);
  EXPECT_EQ(stats.active_requests.current, 1);
  EXPECT_EQ(stats.active_requests.peak, 2);
  EXPECT_EQ(stats.active_bytes.allocated, 2048);
  EXPECT_EQ(stats.active_bytes.freed, 1024);
  EXPECT_EQ(stats.host_alloc_time.count, 2);
  EXPECT_GE(stats.host_alloc_time.max, stats.host_alloc_time.min);
  EXPECT_LE(stats.host_alloc_time.max, stats.host_alloc_time.total);
  Host::resetPeakStats();
  EXPECT_EQ(Host::getStats().active_requests.peak, 1);
  Host::emptyCache();
  stats = Host::getStats();
  EXPECT_EQ(stats.allocations.current, 1);
  EXPECT_EQ(stats.host_free_time.count, 1);
  Host::resetAccumulatedStats();
  stats = Host::getStats();
  EXPECT_EQ(stats.allocations.allocated, 0);
  EXPECT_EQ(stats.host_alloc_time.count + stats.host_free_time.count, 0);
  EXPECT_EQ(stats.allocations.current, 1) << "what is held is not forgotten";
}

TEST_F(PinnedMemory, MayBeOrdinaryMemoryThatIsRegistered) {
  const CUDACachingAllocator::Config before = CUDACachingAllocator::config();
  CUDACachingAllocator::set_config(CUDACachingAllocator::parse_config(
      "pinned_use_cuda_host_register:True,pinned_num_register_threads:4"));
  DataPtr data = CachingHostAllocator::get()->allocate(100000);
  CUDACachingAllocator::set_config(before);
  cudaPointerAttributes attributes{};
  C10_CUDA_CHECK(cudaPointerGetAttributes(&attributes, data.get()));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(
      cudaHostRegister(data.get(), 4096, cudaHostRegisterDefault),
      cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaFreeHost(data.get()), cudaErrorInvalidValue) << "it is not cudaHostAlloc's";
  (void)cudaGetLastError();
  data.clear();
  CachingHostAllocator::emptyCache();
  EXPECT_EQ(CachingHostAllocator::getStats().allocated_bytes.current, 0);
}

TEST_F(PinnedMemory, IsNotReusedBeforeItsCopyIsDone) {
  const DataPtr target = CUDACachingAllocator::get()->allocate(sizeof(Numbers));
  for (int round = 0; round < 20; ++round) {
    DataPtr first = CachingHostAllocator::get()->allocate(sizeof(Numbers));
    *static_cast<Numbers*>(first.get()) = {round, 1, 2, 3};
    CopyBytes(sizeof(Numbers), first.get(), kCPU, target.get(), target.device(), true);
    first.clear();
    const DataPtr second = CachingHostAllocator::get()->allocate(sizeof(Numbers));
    *static_cast<Numbers*>(second.get()) = {-1, -1, -1, -1};
    EXPECT_EQ(read_numbers(target)[0], round);
  }
}

TEST_F(PinnedMemory, AskingDuringACaptureDoesNotSpoilIt) {
  const CUDAStreamGuard guard(getStreamFromPool().unwrap());
  CUDAGraph graph;
  graph.capture_begin();
  const DataPtr data = CachingHostAllocator::get()->allocate(5000);
  EXPECT_NE(data.get(), nullptr);
  graph.capture_end();
}

} // namespace
} // namespace c10::cuda::test

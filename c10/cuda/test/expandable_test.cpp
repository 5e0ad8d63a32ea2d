// Expandable segments, pools of one's own, and allocators in the place of cudaMalloc.

#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAPluggableAllocator.h>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace c10::cuda::CUDACachingAllocator {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kAll = static_cast<size_t>(StatType::AGGREGATE);

int64_t reserved() {
  return getDeviceStats(0).reserved_bytes[kAll].current;
}
int64_t segments() {
  return getDeviceStats(0).segment[kAll].current;
}

class Expandable : public ::testing::Test {
 protected:
  void SetUp() override {
    device_synchronize();
    emptyCache();
    ASSERT_EQ(reserved(), 0) << "the test before left memory";
    resetAccumulatedStats(0);
    set_config(parse_config("expandable_segments:True"));
  }
  void TearDown() override {
    emptyCache();
    EXPECT_EQ(reserved(), 0);
    EXPECT_EQ(segments(), 0);
    set_config(parse_config(""));
  }
};

TEST_F(Expandable, ASegmentGrowsWhereItEnded) {
  void* first = raw_alloc(30 * kMiB);
  EXPECT_EQ(reserved(), 40 * kMiB);
  void* second = raw_alloc(50 * kMiB);
  EXPECT_EQ(static_cast<char*>(second) - static_cast<char*>(first), 30 * kMiB)
      << "the rest of the last chunk is used";
  EXPECT_EQ(reserved(), 80 * kMiB);
  EXPECT_EQ(segments(), 1);
  const auto shown = snapshot();
  ASSERT_EQ(shown.size(), 1);
  EXPECT_TRUE(shown[0].is_expandable);
  EXPECT_EQ(shown[0].total_size, 80 * kMiB);
  raw_delete(first);
  raw_delete(second);
}

TEST_F(Expandable, SmallAndLargeRequestsHaveSegmentsOfTheirOwn) {
  void* small = raw_alloc(100);
  EXPECT_EQ(reserved(), 2 * kMiB);
  void* large = raw_alloc(2 * kMiB);
  EXPECT_EQ(reserved(), 22 * kMiB);
  EXPECT_EQ(segments(), 2);
  raw_delete(small);
  raw_delete(large);
}

TEST_F(Expandable, AKernelMayUseABlockOfManyChunks) {
  const size_t bytes = 45 * kMiB;
  void* data = raw_alloc(bytes);
  C10_CUDA_CHECK(cudaMemset(data, 7, bytes));
  std::vector<char> host(bytes);
  C10_CUDA_CHECK(cudaMemcpy(host.data(), data, bytes, cudaMemcpyDeviceToHost));
  EXPECT_EQ(host, std::vector<char>(bytes, 7));
  raw_delete(data);
}

TEST_F(Expandable, AnEmptiedCacheKeepsOnlyTheChunksInUse) {
  std::vector<void*> blocks;
  for (int i = 0; i < 5; ++i) {
    blocks.push_back(raw_alloc(20 * kMiB));
  }
  EXPECT_EQ(reserved(), 100 * kMiB);
  raw_delete(blocks[1]);
  raw_delete(blocks[3]);
  emptyCache();
  EXPECT_EQ(reserved(), 60 * kMiB);
  EXPECT_EQ(snapshot().size(), 3) << "a hole ends what is contiguous";
  // The holes get memory again before the end of the segment does.
  void* again = raw_alloc(20 * kMiB);
  EXPECT_EQ(again, blocks[1]);
  EXPECT_EQ(segments(), 1);
  for (void* data : {blocks[0], again, blocks[2], blocks[4]}) {
    raw_delete(data);
  }
}

TEST_F(Expandable, APartOfAChunkIsKept) {
  void* first = raw_alloc(30 * kMiB); // one chunk and a half
  void* second = raw_alloc(30 * kMiB);
  raw_delete(first);
  emptyCache();
  EXPECT_EQ(reserved(), 40 * kMiB) << "of three chunks, only the first is free";
  raw_delete(second);
}

// The sizes grow, so that no segment of the smaller ones would serve the next.
TEST_F(Expandable, GrowingSizesFitWhereSegmentsOfFixedSizesDoNot) {
  const size_t memory = device_properties(0).totalGlobalMem;
  const auto grow = [&] {
    for (size_t size = memory / 8; size <= memory * 3 / 4; size += memory / 16) {
      raw_delete(raw_alloc(size));
    }
    return getDeviceStats(0).num_alloc_retries;
  };
  EXPECT_EQ(grow(), 0);
  emptyCache();
  set_config(parse_config(""));
  EXPECT_GT(grow(), 0);
}

TEST_F(Expandable, SaysThatThereIsNoMemoryAndWorksOn) {
  const size_t memory = device_properties(0).totalGlobalMem;
  void* half = raw_alloc(memory / 2);
  EXPECT_THROW(raw_alloc(memory * 3 / 4), OutOfMemoryError);
  EXPECT_THROW(raw_alloc(memory * 2), OutOfMemoryError);
  void* more = raw_alloc(memory / 4);
  raw_delete(half);
  raw_delete(more);
}

TEST_F(Expandable, StreamsHaveSegmentsOfTheirOwn) {
  void* first = raw_alloc(20 * kMiB);
  raw_delete(first);
  const CUDAStreamGuard guard(getStreamFromPool().unwrap());
  void* second = raw_alloc(20 * kMiB);
  EXPECT_NE(first, second);
  EXPECT_EQ(segments(), 2);
  raw_delete(second);
}

TEST_F(Expandable, AGraphKeepsItsMemory) {
  CUDAGraph graph;
  const CUDAStreamGuard guard(getStreamFromPool().unwrap());
  void* inside = nullptr;
  graph.capture_begin();
  inside = raw_alloc(30 * kMiB);
  C10_CUDA_CHECK(cudaMemsetAsync(inside, 1, 30 * kMiB, getCurrentCUDAStream()));
  raw_delete(inside);
  graph.capture_end();
  emptyCache();
  EXPECT_EQ(reserved(), 40 * kMiB);
  graph.replay();
  device_synchronize();
  graph.reset();
}

TEST_F(Expandable, ManySizesInManyOrdersLeaveNothingBehind) {
  std::mt19937 random(3);
  std::vector<void*> held;
  for (int i = 0; i < 2000; ++i) {
    if (held.size() > 30 || (random() % 2 == 0 && !held.empty())) {
      std::swap(held[random() % held.size()], held.back());
      raw_delete(held.back());
      held.pop_back();
    } else {
      const size_t size = random() % 3 == 0 ? random() % (5 * kMiB) : random() % 5000;
      void* data = raw_alloc(size + 1);
      C10_CUDA_CHECK(cudaMemsetAsync(data, i, size + 1, getCurrentCUDAStream()));
      held.push_back(data);
    }
    if (i % 200 == 0) emptyCache();
  }
  for (void* data : held) {
    raw_delete(data);
  }
  device_synchronize();
}

// ---- pools

struct Calls {
  int allocated = 0, freed = 0;
};
Calls calls;

void* counted_allocate(size_t bytes, int, cudaStream_t) {
  ++calls.allocated;
  void* data = nullptr;
  return cudaMalloc(&data, bytes) == cudaSuccess ? data : nullptr;
}
void counted_release(void* data, size_t, int, cudaStream_t) {
  ++calls.freed;
  cudaFree(data);
}

TEST(MemPool, TakesItsSegmentsFromAnotherAllocator) {
  static CUDAPluggableAllocator source(&counted_allocate, &counted_release);
  emptyCache();
  calls = {};
  const MempoolId_t pool = new_pool_id();
  createPool(0, pool, &source);
  EXPECT_EQ(poolUses(0, pool), 1);
  beginAllocateToPool(
      0, pool, [](cudaStream_t) { return true; }, /*capture=*/false);
  EXPECT_EQ(poolUses(0, pool), 2);
  void* inside = raw_alloc(1000);
  void* large = raw_alloc(30 * kMiB);
  endAllocateToPool(0, pool);
  releasePool(0, pool);
  EXPECT_EQ(calls.allocated, 2);
  void* outside = raw_alloc(1000);
  EXPECT_EQ(calls.allocated, 2);
  raw_delete(inside);
  raw_delete(large);
  EXPECT_EQ(calls.freed, 0) << "a pool caches";
  emptyCache();
  EXPECT_EQ(calls.freed, 0) << "and keeps its memory while it is used";
  releasePool(0, pool);
  emptyPool(0, pool);
  EXPECT_EQ(calls.freed, 2);
  raw_delete(outside);
  emptyCache();
}

TEST(MemPool, TheInnerOfTwoPoolsServesRequests) {
  const MempoolId_t outer = new_pool_id(), inner = new_pool_id();
  const auto all = [](cudaStream_t) { return true; };
  beginAllocateToPool(0, outer, all, false);
  beginAllocateToPool(0, inner, all, false);
  void* first = raw_alloc(1000);
  endAllocateToPool(0, inner);
  void* second = raw_alloc(1000);
  endAllocateToPool(0, outer);
  for (const auto& segment : snapshot()) {
    if (segment.address == reinterpret_cast<size_t>(first)) {
      EXPECT_EQ(segment.owner_private_pool_id, inner);
    } else if (segment.address == reinterpret_cast<size_t>(second)) {
      EXPECT_EQ(segment.owner_private_pool_id, outer);
    }
  }
  raw_delete(first);
  raw_delete(second);
  releasePool(0, inner);
  releasePool(0, outer);
  emptyCache();
  EXPECT_EQ(reserved(), 0);
}

TEST(PluggableAllocator, CannotReplaceAnAllocatorThatHasStarted) {
  static CUDAPluggableAllocator other(&counted_allocate, &counted_release);
  raw_delete(raw_alloc(1));
  EXPECT_THROW(change_allocator(&other), Error);
}

TEST(PluggableAllocator, WaitsForRecordedStreamsBeforeItFrees) {
  CUDAPluggableAllocator allocator(&counted_allocate, &counted_release);
  void* data = allocator.allocate_on(0, 4096, nullptr);
  const CUDAStream side = getStreamFromPool();
  C10_CUDA_CHECK(cudaMemsetAsync(data, 1, 4096, side.stream()));
  allocator.record_stream(data, side);
  EXPECT_FALSE(side.query());
  allocator.release(data);
  EXPECT_TRUE(side.query());
  EXPECT_THROW(allocator.release(data), Error);
}

} // namespace
} // namespace c10::cuda::CUDACachingAllocator

// The caching allocator: sizes, reuse, streams, limits, what it says, and its configuration.

#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/test/kernels.h>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

namespace c10::cuda::CUDACachingAllocator {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kAll = static_cast<size_t>(StatType::AGGREGATE);

class CachingAllocator : public ::testing::Test {
 protected:
  void SetUp() override {
    device_synchronize();
    emptyCache();
    ASSERT_EQ(reserved(), 0) << "the test before left memory";
    resetAccumulatedStats(0);
    resetPeakStats(0);
  }
  static int64_t reserved() { return getDeviceStats(0).reserved_bytes[kAll].current; }
  static int64_t allocated() { return getDeviceStats(0).allocated_bytes[kAll].current; }
};

TEST_F(CachingAllocator, RoundsAndCutsSegments) {
  void* small = raw_alloc(1);
  EXPECT_EQ(allocated(), 512);
  EXPECT_EQ(reserved(), 2 * kMiB);
  void* other = raw_alloc(513);
  EXPECT_EQ(static_cast<char*>(other) - static_cast<char*>(small), 512);
  EXPECT_EQ(allocated(), 512 + 1024);
  void* medium = raw_alloc(3 * kMiB);
  EXPECT_EQ(reserved(), 22 * kMiB);
  void* large = raw_alloc(17 * kMiB + 1);
  EXPECT_EQ(reserved(), 40 * kMiB);
  for (void* data : {small, other, medium, large}) {
    raw_delete(data);
  }
  EXPECT_EQ(allocated(), 0);
  EXPECT_EQ(reserved(), 40 * kMiB) << "memory is kept";
  emptyCache();
  EXPECT_EQ(reserved(), 0);
}

TEST_F(CachingAllocator, ReusesABlockWithoutTheDriver) {
  void* first = raw_alloc(5 * kMiB);
  raw_delete(first);
  void* second = raw_alloc(5 * kMiB);
  EXPECT_EQ(first, second);
  EXPECT_EQ(getDeviceStats(0).num_device_alloc, 1);
  raw_delete(second);
}

TEST_F(CachingAllocator, MergesFreeNeighbours) {
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(raw_alloc(512 << 10));
  }
  EXPECT_EQ(reserved(), 2 * kMiB);
  for (const size_t i : {0, 2, 1, 3}) {
    raw_delete(blocks[i]);
  }
  const auto segments = snapshot();
  ASSERT_EQ(segments.size(), 1);
  ASSERT_EQ(segments[0].blocks.size(), 1);
  EXPECT_EQ(segments[0].blocks[0].size, 2 * kMiB);
  EXPECT_EQ(getDeviceStats(0).inactive_split_bytes[kAll].current, 0);
}

TEST_F(CachingAllocator, KeepsStreamsApart) {
  const CUDAStream stream = getStreamFromPool();
  void* first = raw_alloc(100);
  raw_delete(first);
  void* second = raw_alloc_with_stream(100, stream.stream());
  EXPECT_NE(first, second);
  raw_delete(second);
}

TEST_F(CachingAllocator, WaitsForRecordedStreams) {
  const CUDAStream side = getStreamFromPool();
  DataPtr data = get()->allocate(4 * kMiB);
  void* address = data.get();
  CUDAEvent ready;
  ready.record();
  ready.block(side);
  C10_CUDA_CHECK(test::launch_write(static_cast<int*>(address), 0, 1, side));
  recordStream(data, side);
  data.clear();
  EXPECT_GT(getDeviceStats(0).active_bytes[kAll].current, allocated());
  side.synchronize();
  void* next = raw_alloc(4 * kMiB);
  EXPECT_EQ(next, address) << "the event has passed";
  raw_delete(next);
  EXPECT_EQ(getDeviceStats(0).active_bytes[kAll].current, 0);
}

TEST_F(CachingAllocator, ABlockIsNotReusedBeforeItsOtherStreamIsDone) {
  const CUDAStream side = getStreamFromPool();
  CUDAEvent ready;
  for (int round = 0; round < 30; ++round) {
    DataPtr data = get()->allocate(4 * kMiB);
    int* first = static_cast<int*>(data.get());
    ready.record();
    ready.block(side);
    C10_CUDA_CHECK(test::launch_write(first, 0, 1, side));
    recordStream(data, side);
    data.clear();
    void* next = raw_alloc(4 * kMiB);
    C10_CUDA_CHECK(
        test::launch_write(static_cast<int*>(next), 0, 2, getCurrentCUDAStream().stream()));
    device_synchronize();
    int value = 0;
    C10_CUDA_CHECK(cudaMemcpy(&value, next, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_EQ(value, 2);
    raw_delete(next);
  }
}

TEST_F(CachingAllocator, ReturnsItsCacheBeforeItFails) {
  const size_t total = device_properties(0).totalGlobalMem;
  void* first = raw_alloc(total / 2);
  raw_delete(first);
  void* second = raw_alloc(total / 4 * 3);
  EXPECT_EQ(getDeviceStats(0).num_alloc_retries, 1);
  EXPECT_EQ(getDeviceStats(0).num_ooms, 0);
  raw_delete(second);
}

TEST_F(CachingAllocator, AnOutOfMemoryErrorSaysWhatIsHeld) {
  void* held = raw_alloc(100 * kMiB);
  try {
    raw_alloc(1024 * kMiB);
    FAIL();
  } catch (const OutOfMemoryError& error) {
    const std::string text = error.msg();
    for (const char* words :
         {"CUDA out of memory. Tried to allocate 1.00 GiB", "on device 0, which has 256.00 MiB",
          "This process holds 100.00 MiB: tensors use 100.00 MiB in 1 blocks"}) {
      EXPECT_NE(text.find(words), std::string::npos) << text;
    }
  }
  EXPECT_EQ(getDeviceStats(0).num_ooms, 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  raw_delete(held);
}

TEST_F(CachingAllocator, AFractionLimitsTheProcess) {
  setMemoryFraction(0.25, 0);
  EXPECT_THROW(raw_alloc(100 * kMiB), OutOfMemoryError);
  setMemoryFraction(1.0, 0);
  raw_delete(raw_alloc(100 * kMiB));
  EXPECT_THROW(setMemoryFraction(1.5, 0), ValueError);
}

TEST_F(CachingAllocator, CountsBytesAndCalls) {
  void* first = raw_alloc(1000);
  void* second = raw_alloc(2 * kMiB);
  raw_delete(second);
  const DeviceStats stats = getDeviceStats(0);
  EXPECT_EQ(stats.allocation[kAll].current, 1);
  EXPECT_EQ(stats.allocation[kAll].allocated, 2);
  EXPECT_EQ(stats.allocation[kAll].freed, 1);
  EXPECT_EQ(stats.allocated_bytes[kAll].current, 1024);
  EXPECT_EQ(stats.allocated_bytes[kAll].peak, 1024 + 2 * kMiB);
  EXPECT_EQ(stats.requested_bytes[kAll].current, 1000);
  EXPECT_EQ(stats.segment[static_cast<size_t>(StatType::SMALL_POOL)].current, 1);
  EXPECT_EQ(stats.segment[static_cast<size_t>(StatType::LARGE_POOL)].current, 1);
  resetPeakStats(0);
  EXPECT_EQ(getDeviceStats(0).allocated_bytes[kAll].peak, 1024);
  raw_delete(first);
}

TEST_F(CachingAllocator, ASnapshotShowsEveryBlock) {
  void* first = raw_alloc(1000);
  void* second = raw_alloc(3 * kMiB);
  const auto segments = snapshot();
  ASSERT_EQ(segments.size(), 2);
  size_t total = 0;
  for (const SegmentInfo& segment : segments) {
    size_t sum = 0;
    for (const BlockInfo& block : segment.blocks) {
      sum += block.size;
    }
    EXPECT_EQ(sum, segment.total_size);
    total += segment.allocated_size;
  }
  EXPECT_EQ(total, 1024 + 3 * kMiB);
  raw_delete(first);
  raw_delete(second);
}

class Numbered : public AllocationContext {
 public:
  explicit Numbered(int number) : number(number) {}
  const int number;
};

int number_of(const Context& context) {
  return context == nullptr ? -1 : static_cast<const Numbered&>(*context).number;
}

// Records with contexts of this level until it is destroyed.
class Recording {
 public:
  explicit Recording(ContextLevel level, size_t max_entries = 100) {
    auto options = std::make_unique<HistoryOptions>();
    options->max_entries = max_entries;
    options->level = level;
    options->recorder = []() -> Context { return std::make_shared<Numbered>(next++); };
    next = 0;
    options->skipped[static_cast<size_t>(Action::SNAPSHOT)] = true;
    recordHistory(std::move(options), true);
  }
  ~Recording() { recordHistory(nullptr, true); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  static std::vector<Action> actions() {
    std::vector<Action> found;
    const std::vector<TraceEntry> trace = traces()[0];
    for (const TraceEntry& entry : trace) {
      found.push_back(entry.action);
    }
    return found;
  }
  static inline int next = 0;
};

TEST_F(CachingAllocator, AHistoryTellsWhatHappenedToMemory) {
  const Recording recording(ContextLevel::ALL);
  setMetadata("warm-up");
  void* data = raw_alloc(1000);
  setMetadata("");
  raw_delete(data);
  emptyCache();
  EXPECT_THROW(raw_alloc(1024 * kMiB), OutOfMemoryError);
  using enum Action;
  EXPECT_EQ(
      Recording::actions(),
      (std::vector{SEGMENT_ALLOC, ALLOC, FREE_REQUESTED, FREE_COMPLETED, SEGMENT_FREE, OOM}));
  const std::vector<TraceEntry> trace = traces()[0];
  EXPECT_EQ(trace[0].size, 2 * kMiB);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(trace[i].size, 1024);
    EXPECT_EQ(trace[i].address, reinterpret_cast<size_t>(data));
  }
  EXPECT_EQ(trace[1].metadata, "warm-up");
  EXPECT_EQ(trace[2].metadata, "");
  EXPECT_EQ(number_of(trace[1].context), 0);
  EXPECT_EQ(number_of(trace[2].context), 1);
  EXPECT_EQ(number_of(trace[3].context), 0) << "that of the allocation";
  EXPECT_EQ(trace[5].size, 1024 * kMiB);
  EXPECT_GE(trace[5].time_us, trace[0].time_us);
}

TEST_F(CachingAllocator, AHistoryKeepsTheNewestEntries) {
  const Recording recording(ContextLevel::ALL, 2);
  raw_delete(raw_alloc(1000));
  EXPECT_EQ(Recording::actions(), (std::vector{Action::FREE_REQUESTED, Action::FREE_COMPLETED}));
  recordHistory(nullptr, false);
  raw_delete(raw_alloc(1000));
  EXPECT_EQ(Recording::actions().size(), 2);
}

TEST_F(CachingAllocator, ContextsAreKeptUpToTheirLevel) {
  {
    const Recording recording(ContextLevel::STATE);
    void* data = raw_alloc(1000);
    EXPECT_EQ(number_of(snapshot()[0].blocks[0].context), 0);
    EXPECT_EQ(number_of(snapshot()[0].context), 0);
    EXPECT_EQ(number_of(traces()[0].back().context), -1);
    raw_delete(data);
    EXPECT_EQ(number_of(snapshot()[0].blocks[0].context), -1);
    EXPECT_EQ(recording.next, 1) << "none for the free";
  }
  emptyCache();
  const Recording recording(ContextLevel::ALLOC);
  raw_delete(raw_alloc(1000));
  const std::vector<TraceEntry> trace = traces()[0];
  EXPECT_EQ(number_of(trace[1].context), 0);
  EXPECT_EQ(number_of(trace[2].context), -1);
}

TEST_F(CachingAllocator, CountsWhatMaxSplitSizeKeepsWhole) {
  const Config before = config();
  set_config(parse_config("max_split_size_mb:32"));
  void* data = raw_alloc(40 * kMiB);
  DeviceStats stats = getDeviceStats(0);
  set_config(before);
  EXPECT_EQ(stats.max_split_size, 32 * kMiB);
  EXPECT_EQ(stats.oversize_allocations.current, 1);
  EXPECT_EQ(stats.oversize_segments.current, 1);
  set_config(parse_config("max_split_size_mb:32"));
  raw_delete(data);
  emptyCache();
  set_config(before);
  stats = getDeviceStats(0);
  EXPECT_EQ(stats.max_split_size, -1);
  EXPECT_EQ(stats.oversize_allocations.current, 0);
  EXPECT_EQ(stats.oversize_segments.current, 0);
  EXPECT_EQ(stats.oversize_segments.freed, 1);
  EXPECT_GT(stats.num_sync_all_streams, 0);
}

TEST_F(CachingAllocator, TellsWhatPrivatePoolsReserve) {
  const MempoolId_t pool{7, 0};
  beginAllocateToPool(
      0, pool, [](cudaStream_t) { return true; }, false);
  void* data = raw_alloc(1000);
  endAllocateToPool(0, pool);
  EXPECT_EQ(getDeviceStats(0).reserved_bytes_of_private_pools.at(pool)[kAll].current, 2 * kMiB);
  EXPECT_EQ(snapshot(pool).size(), 1);
  EXPECT_EQ(snapshot(MempoolId_t{8, 0}).size(), 0);
  raw_delete(data);
  releasePool(0, pool);
  emptyCache();
  EXPECT_TRUE(getDeviceStats(0).reserved_bytes_of_private_pools.empty());
}

TEST_F(CachingAllocator, APrivatePoolKeepsItsAddresses) {
  const MempoolId_t pool{1, 0};
  beginAllocateToPool(0, pool, [](cudaStream_t) { return true; });
  void* inside = raw_alloc(1000);
  endAllocateToPool(0, pool);
  raw_delete(inside);
  void* outside = raw_alloc(1000);
  EXPECT_NE(inside, outside);
  emptyCache();
  EXPECT_EQ(snapshot().size(), 2) << "the pool is in use";
  releasePool(0, pool);
  raw_delete(outside);
  emptyCache();
  EXPECT_EQ(snapshot().size(), 0);
}

TEST_F(CachingAllocator, ManySizesInManyOrdersLeaveNothingBehind) {
  std::mt19937 random(1);
  std::vector<void*> held;
  for (int i = 0; i < 3000; ++i) {
    if (held.size() > 40 || (random() % 2 == 0 && !held.empty())) {
      std::swap(held[random() % held.size()], held.back());
      raw_delete(held.back());
      held.pop_back();
    } else {
      held.push_back(raw_alloc(size_t{1} << (random() % 22)));
    }
  }
  for (void* data : held) {
    raw_delete(data);
  }
  const DeviceStats stats = getDeviceStats(0);
  for (const StatArray* stat :
       {&stats.allocation, &stats.active, &stats.inactive_split, &stats.allocated_bytes,
        &stats.requested_bytes, &stats.inactive_split_bytes}) {
    EXPECT_EQ((*stat)[kAll].current, 0);
  }
  emptyCache();
  EXPECT_EQ(reserved(), 0);
}

TEST_F(CachingAllocator, ThreadsAllocateAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 300; ++j) {
        raw_delete(raw_alloc(1 + static_cast<size_t>(j) * 1000));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(allocated(), 0);
}

TEST_F(CachingAllocator, FreesABlockWhileAnotherDeviceIsCurrent) {
  if (device_count() < 2) GTEST_SKIP() << "needs two devices";
  float* data = nullptr;
  {
    const CUDAGuard guard(DeviceIndex(1));
    data = static_cast<float*>(raw_alloc(1024));
    C10_CUDA_CHECK(cudaMemsetAsync(data, 0, 1024, getCurrentCUDAStream()));
    C10_CUDA_CHECK(test::launch_saxpy(256, 1, data, data, getCurrentCUDAStream()));
  }
  raw_delete(data); // the work on device 1 is still to come
  device_synchronize();
  const CUDAGuard guard(DeviceIndex(1));
  device_synchronize();
  emptyCache();
}

TEST_F(CachingAllocator, RefusesAPointerThatIsNotItsOwn) {
  int local = 0;
  EXPECT_THROW(raw_delete(&local), Error);
  raw_delete(nullptr);
  EXPECT_EQ(raw_alloc(0), nullptr);
}

TEST(AllocatorConfig, ReadsWhatItKnows) {
  const Config config = parse_config(
      "max_split_size_mb:64, garbage_collection_threshold:0.8,roundup_power2_divisions:4,"
      "backend:native,expandable_segments:False");
  EXPECT_EQ(config.max_split_size, 64 * kMiB);
  EXPECT_EQ(config.garbage_collection_threshold, 0.8);
  EXPECT_EQ(config.divisions_for(1), 4);
  EXPECT_EQ(config.divisions_for(size_t{1} << 40), 4);
  EXPECT_FALSE(config.expandable_segments);
  EXPECT_TRUE(parse_config("expandable_segments:True").expandable_segments);
  EXPECT_EQ(parse_config("").divisions_for(1000), 0);
  const Config lists = parse_config(
      "max_non_split_rounding_mb:64,roundup_power2_divisions:[256:1, 512:2,>:8],"
      "per_process_memory_fraction:1,pinned_use_cuda_host_register:True,"
      "pinned_num_register_threads:8");
  EXPECT_EQ(lists.max_non_split_rounding, 64 * kMiB);
  EXPECT_EQ(lists.divisions_for(256 * kMiB - 1), 1);
  EXPECT_EQ(lists.divisions_for(256 * kMiB), 2);
  EXPECT_EQ(lists.divisions_for(512 * kMiB), 8);
  EXPECT_EQ(lists.memory_fraction, 1.0);
  EXPECT_TRUE(lists.registers_pinned_memory);
  EXPECT_EQ(lists.pinned_register_threads, 8);
}

TEST(AllocatorConfig, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"max_split_size:64",
        "max_split_size_mb",
        "max_split_size_mb:20",
        "max_split_size_mb:-3",
        "max_split_size_mb:lots",
        "garbage_collection_threshold:1.5",
        "backend:cudaMallocAsync",
        "roundup_power2_divisions:3",
        "expandable_segments:yes",
        "max_split_size_mb:64,,",
        "roundup_power2_divisions:[256:1",
        "roundup_power2_divisions:[256:3]",
        "roundup_power2_divisions:[512:1,256:2]",
        "roundup_power2_divisions:[]",
        "roundup_power2_divisions:[>:2,512:4]",
        "max_non_split_rounding_mb:20",
        "per_process_memory_fraction:0",
        "per_process_memory_fraction:1.1",
        "pinned_num_register_threads:3",
        "pinned_num_register_threads:256",
        "pinned_use_cuda_host_register:1"}) {
    EXPECT_THROW(parse_config(text), ValueError) << text;
  }
}

} // namespace
} // namespace c10::cuda::CUDACachingAllocator

#pragma once

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/macros/Macros.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace c10::cuda {

// A private pool of memory, of a captured graph for instance; (0, 0) is none.
using MempoolId_t = std::pair<uint64_t, uint64_t>;

namespace CUDACachingAllocator {

// What can take the place of the caching allocator (change_allocator), or give a pool its segments
// in place of cudaMalloc (createPool).
class C10_CUDA_API CUDAAllocator : public Allocator {
 public:
  // Null if there is no memory.
  virtual void* allocate_on(DeviceIndex device, size_t bytes, cudaStream_t stream) = 0;
  virtual void release(void* data) = 0;
  virtual void record_stream(void* data, CUDAStream stream) = 0;
  virtual const char* name() const = 0;
};

// Memory for tensors. cudaMalloc takes long and cudaFree waits for the device, so memory that a
// tensor gives back is kept, and handed out again without a call of the driver.
//
//   request           rounded to   cut from a segment of     a rest stays free if it has
//   up to 1 MiB       512 bytes    2 MiB                     at least 512 bytes
//   1 to 10 MiB       512 bytes    20 MiB                    more than 1 MiB
//   more              512 bytes    its size, in 2 MiB steps  more than 1 MiB
//
// Small and large requests have pools of their own, so that a long-lived small tensor never holds a
// large segment. A segment is a row of blocks; a block that becomes free merges with free
// neighbours.
//
// A block belongs to the stream that it was allocated on, and only requests of that stream get it
// again: the stream itself orders the old use before the new one, although the host frees memory
// while kernels still use it. Work of another stream must be recorded (recordStream); the block
// then comes back only after an event in each of those streams. Sharing blocks among all streams
// would save memory and need an event for every free.
//
// When the driver has no memory left, cached segments that no block uses are returned to it, and
// the request is tried once more before it fails.
//
// A captured graph allocates from a pool of its own, which keeps its addresses until the graph is
// gone (beginAllocateToPool).
//
// With expandable_segments, a segment reserves addresses for all memory of the device and gets
// memory in chunks of 2 MiB (small requests) or 20 MiB as it grows (impl/ExpandableSegment.h), so
// that a stream has one segment for each pool.

struct C10_CUDA_API Stat {
  int64_t current = 0;
  int64_t peak = 0;
  int64_t allocated = 0; // in total
  int64_t freed = 0;     // in total
  void increase(size_t amount);
  void decrease(size_t amount);
  void reset_peak() { peak = current; }
  void reset_accumulated() { allocated = freed = 0; }
};
enum struct StatType : uint8_t { AGGREGATE, SMALL_POOL, LARGE_POOL, NUM_TYPES };
using StatArray = std::array<Stat, static_cast<size_t>(StatType::NUM_TYPES)>;

struct DeviceStats {
  StatArray allocation;     // blocks that clients hold
  StatArray segment;        // that cudaMalloc gave
  StatArray active;         // blocks that clients hold or that a stream still uses
  StatArray inactive_split; // free blocks of segments that are partly in use
  StatArray allocated_bytes;
  StatArray reserved_bytes;
  StatArray active_bytes;
  StatArray inactive_split_bytes;
  StatArray requested_bytes; // before rounding
  Stat oversize_allocations; // at least max_split_size bytes
  Stat oversize_segments;
  int64_t num_alloc_retries = 0; // that returned cached memory to the driver first
  int64_t num_ooms = 0;
  int64_t num_device_alloc = 0;
  int64_t num_device_free = 0;
  int64_t num_sync_all_streams = 0; // waits until streams no longer use memory that was freed
  int64_t max_split_size = -1;      // -1 without a limit
  std::map<MempoolId_t, StatArray> reserved_bytes_of_private_pools;
};

// What a recorder saw of an allocation: a stack of Python's calls, for instance.
class C10_CUDA_API AllocationContext {
 public:
  virtual ~AllocationContext() = default;
};
using Context = std::shared_ptr<const AllocationContext>;

struct BlockInfo {
  size_t size = 0;
  size_t requested_size = 0;
  bool allocated = false;
  bool active = false;
  Context context{};
};
struct SegmentInfo {
  DeviceIndex device = 0;
  size_t address = 0;
  cudaStream_t stream = nullptr;
  size_t total_size = 0;
  size_t allocated_size = 0;
  size_t active_size = 0;
  size_t requested_size = 0;
  bool is_large = false;
  bool is_expandable = false;
  MempoolId_t owner_private_pool_id{0, 0};
  std::vector<BlockInfo> blocks;
  Context context;
};

enum struct Action : uint8_t {
  ALLOC,
  FREE_REQUESTED,
  FREE_COMPLETED, // the block can be given out again
  SEGMENT_ALLOC,
  SEGMENT_FREE,
  SEGMENT_MAP, // a part of an expandable segment was mapped
  SEGMENT_UNMAP,
  SNAPSHOT,
  OOM,
  NUM_ACTIONS
};
struct TraceEntry {
  Action action = Action::ALLOC;
  size_t address = 0; // what the device has free if the action is OOM
  size_t size = 0;
  cudaStream_t stream = nullptr;
  int64_t time_us = 0; // since 1970
  MempoolId_t pool{0, 0};
  Context context{};
  std::string metadata{};
};
// Which contexts are recorded; each level includes those before it.
enum struct ContextLevel : uint8_t { NEVER, STATE, ALLOC, ALL };
struct HistoryOptions {
  size_t max_entries = 0; // per device; the oldest entries are dropped
  ContextLevel level = ContextLevel::NEVER;
  // Called without a lock, in the thread that allocates; may return null.
  Context (*recorder)() = nullptr;
  std::array<bool, static_cast<size_t>(Action::NUM_ACTIONS)> skipped{};
};

// The allocator of CUDA tensors, which c10::GetAllocator(DeviceType::CUDA) returns as well. It
// allocates on the current device, for its current stream.
C10_CUDA_API CUDAAllocator* get();
// Puts another allocator, which must live as long as the process, in the place of this one. Throws
// if memory was allocated before.
C10_CUDA_API void change_allocator(CUDAAllocator* allocator);

C10_CUDA_API void* raw_alloc(size_t bytes);
C10_CUDA_API void* raw_alloc_with_stream(size_t bytes, cudaStream_t stream);
C10_CUDA_API void raw_delete(void* pointer);

// The memory stays untouched until the stream's work of now is done. Ignores memory that this
// allocator does not know.
C10_CUDA_API void recordStream(const DataPtr& data, CUDAStream stream);

// Returns cached memory that no block uses to the driver.
C10_CUDA_API void emptyCache();
// At most this share of the device's memory, from now on.
C10_CUDA_API void setMemoryFraction(double fraction, DeviceIndex device);

C10_CUDA_API DeviceStats getDeviceStats(DeviceIndex device);
C10_CUDA_API void resetPeakStats(DeviceIndex device);
C10_CUDA_API void resetAccumulatedStats(DeviceIndex device);
// All segments of all devices, by address; only those of a pool if it is given.
C10_CUDA_API std::vector<SegmentInfo> snapshot(MempoolId_t pool = {0, 0});

// Records what happens to memory from now on; nothing if `options` is null. `clear` forgets the
// traces of before.
C10_CUDA_API void recordHistory(std::unique_ptr<HistoryOptions> options, bool clear);
// For each device, what was recorded, the oldest entry first.
C10_CUDA_API std::vector<std::vector<TraceEntry>> traces();
// Entries have this text from now on.
C10_CUDA_API void setMetadata(std::string text);
C10_CUDA_API std::string getMetadata();

// The number of a new pool.
C10_CUDA_API MempoolId_t new_pool_id();
// One more use of the pool, which is made if it does not exist; its segments come from `source`, or
// from cudaMalloc if that is null.
C10_CUDA_API void createPool(DeviceIndex device, MempoolId_t pool, CUDAAllocator* source = nullptr);
// Until endAllocateToPool, requests for streams that the filter accepts are served from this pool,
// which has one more use. While a graph is captured, memory that other streams use stays in use.
C10_CUDA_API void beginAllocateToPool(
    DeviceIndex device, MempoolId_t pool, std::function<bool(cudaStream_t)> filter,
    bool capture = true);
C10_CUDA_API void endAllocateToPool(DeviceIndex device, MempoolId_t pool);
// Ends one use of the pool. Without any, its memory returns to the driver as blocks become free.
C10_CUDA_API void releasePool(DeviceIndex device, MempoolId_t pool);
// Returns cached memory of the pool to where it came from.
C10_CUDA_API void emptyPool(DeviceIndex device, MempoolId_t pool);
C10_CUDA_API int poolUses(DeviceIndex device, MempoolId_t pool);

} // namespace CUDACachingAllocator
} // namespace c10::cuda

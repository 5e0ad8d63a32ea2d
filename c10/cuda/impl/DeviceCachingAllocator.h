#pragma once

#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/impl/AllocatorHistory.h>
#include <c10/cuda/impl/CachedBlocks.h>
#include <c10/cuda/impl/ExpandableSegment.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace c10::cuda::CUDACachingAllocator {

// The cache of one device, behind one lock. Blocks are found by pointer in the front end
// (CUDACachingAllocator.cpp), so that a thread that frees memory of one device never waits for
// another device's driver.
class DeviceCachingAllocator {
 public:
  explicit DeviceCachingAllocator(DeviceIndex device);

  Block* allocate(size_t bytes, cudaStream_t stream);
  void free(Block* block);
  void record_stream(Block* block, CUDAStream stream);

  void empty_cache();
  void empty_cache(MempoolId_t id);
  void set_memory_fraction(double fraction);
  DeviceStats stats();
  void reset_peak_stats();
  void reset_accumulated_stats();
  void append_snapshot(std::vector<SegmentInfo>& segments, MempoolId_t pool);
  std::vector<TraceEntry> trace();
  void clear_trace();

  void create_pool(MempoolId_t id, CUDAAllocator* source);
  void begin_pool(MempoolId_t id, std::function<bool(cudaStream_t)> filter, bool capture);
  void end_pool(MempoolId_t id);
  void release_pool(MempoolId_t id);
  int pool_uses(MempoolId_t id);

 private:
  using Lock = std::lock_guard<std::recursive_mutex>;

  // ---- finding and making blocks
  BlockPool& pool_for(size_t size, cudaStream_t stream);
  Block* find_free(BlockPool& pool, size_t size, cudaStream_t stream);
  Block* new_segment(BlockPool& pool, size_t size, cudaStream_t stream, const Context& context);
  Block* segment_from(CUDAAllocator& source, BlockPool& pool, size_t size, cudaStream_t stream);
  Block* cut(Block* block, size_t size);
  [[noreturn]] void out_of_memory(
      size_t bytes, size_t segment, cudaStream_t stream, const Context& context);
  std::string what_is_held() const;

  // ---- expandable segments (ExpandableBlocks.cpp)
  bool uses_expandable(const BlockPool& pool);
  Block* grow(BlockPool& pool, size_t size, cudaStream_t stream, const Context& context);
  Block* find_hole(BlockPool& pool, size_t size, cudaStream_t stream);
  size_t room_before(const Block* hole) const;
  Block* split_off(Block* block, size_t size);
  bool shrink(BlockPool& pool);
  bool shrink(Block* block);
  void join_holes(Block* hole);

  // ---- taking blocks back
  void make_free(Block* block);
  void merge(Block* block, Block* neighbour);
  void insert_events(Block* block);
  void process_events(bool wait);
  void free_segment(Block* block);
  bool release_cached();
  bool release_cached(BlockPool& pool);
  bool is_capturing() const;
  void collect_garbage(size_t needed);

  // ---- statistics
  template <typename Update>
  void for_stats(const Block* block, Update update) {
    update(static_cast<size_t>(StatType::AGGREGATE));
    update(static_cast<size_t>(block->pool->small ? StatType::SMALL_POOL : StatType::LARGE_POOL));
  }
  void count_inactive(const Block* block, bool appears);
  void count_reserved(const Block* block, size_t bytes, void (Stat::*update)(size_t));
  void remember(Action action, const Block* block, size_t bytes, const Context& context);

  const DeviceIndex device_;
  std::recursive_mutex mutex_;
  BlockPool small_;
  BlockPool large_;
  std::unordered_set<Block*> active_;
  std::map<MempoolId_t, std::unique_ptr<PrivatePool>> private_pools_;
  // The pools that serve requests of some streams, the latest last.
  struct Redirection {
    MempoolId_t pool;
    std::function<bool(cudaStream_t)> filter;
    bool capture; // whether a graph is captured into it
  };
  std::vector<Redirection> redirections_;
  std::map<std::byte*, std::unique_ptr<ExpandableSegment>> expandable_;
  std::unordered_map<CUDAStream, std::deque<std::pair<CUDAEvent, Block*>>> events_;
  std::vector<CUDAEvent> spare_events_;
  std::vector<Block*> waiting_for_capture_; // recorded blocks that were freed during a capture
  DeviceStats stats_;
  size_t reserved_ = 0;
  std::optional<size_t> limit_;
  int64_t large_requests_ = 0;
  std::optional<bool> can_expand_;
  History history_;
};

} // namespace c10::cuda::CUDACachingAllocator

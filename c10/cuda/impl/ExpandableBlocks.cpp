// How the caching allocator uses expandable segments. Their lists have blocks without memory,
// "holes". A request that no free block serves gets the memory of a hole, together with the free
// block in front of it; a cache that is emptied makes holes of whole chunks.

#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/impl/AllocatorAnnotations.h>
#include <c10/cuda/impl/DeviceCachingAllocator.h>
#include <c10/cuda/impl/RelaxedCapture.h>

namespace c10::cuda::CUDACachingAllocator {

bool DeviceCachingAllocator::uses_expandable(const BlockPool& pool) {
  if (!config().expandable_segments) return false;
  if (pool.owner != nullptr && pool.owner->source != nullptr) return false;
  if (!can_expand_) {
    const impl::RelaxedCapture relaxed;
    C10_CUDA_CHECK(cudaFree(nullptr)); // the driver's functions need a context
    const std::string reason = why_not_expandable(device_);
    if (!reason.empty()) {
      TORCH_WARN(
          "expandable_segments are not available on CUDA device ", static_cast<int>(device_), ": ",
          reason, ". Segments have fixed sizes instead.");
    }
    can_expand_ = reason.empty();
  }
  return *can_expand_;
}

// The bytes of the free block in front of a hole, which become one with it.
size_t DeviceCachingAllocator::room_before(const Block* hole) const {
  const Block* before = hole->previous;
  const bool free = before != nullptr && before->mapped && !before->allocated &&
      active_.count(const_cast<Block*>(before)) == 0;
  return free ? before->size : 0;
}

Block* DeviceCachingAllocator::find_hole(BlockPool& pool, size_t size, cudaStream_t stream) {
  Block key{device_, stream, 0, 0, &pool, nullptr};
  for (auto hole = pool.holes.lower_bound(&key);
       hole != pool.holes.end() && (*hole)->stream == stream; ++hole) {
    if ((*hole)->size + room_before(*hole) >= size) return *hole;
  }
  auto segment =
      std::make_unique<ExpandableSegment>(device_, pool.small ? kSmallSegment : kLargeSegment);
  if (segment->size() < size) return nullptr;
  auto* hole = new Block{// owned by the segment's list
                         device_, stream, segment->size(), 0, &pool, segment->data()};
  hole->segment = segment.get();
  hole->mapped = false;
  pool.holes.insert(hole);
  for_stats(hole, [&](size_t i) { stats_.segment[i].increase(1); });
  expandable_[segment->data()] = std::move(segment);
  return hole;
}

// A free block of at least this size, which is in no pool; null without enough memory.
Block* DeviceCachingAllocator::grow(
    BlockPool& pool, size_t size, cudaStream_t stream, const Context& context) {
  Block* block = find_hole(pool, size, stream);
  if (block == nullptr) return nullptr;
  ExpandableSegment& segment = *block->segment;
  const size_t chunk = segment.chunk();
  const size_t bytes = (size - room_before(block) + chunk - 1) / chunk * chunk;
  const bool allowed = !limit_ || reserved_ + bytes <= *limit_;
  bool mapped = false;
  if (allowed) {
    const impl::RelaxedCapture relaxed;
    mapped = segment.map(block->data, bytes);
  }
  pool.holes.erase(block);
  if (mapped) {
    if (bytes < block->size) pool.holes.insert(split_off(block, bytes));
    block->mapped = true;
    reserved_ += bytes;
    ++stats_.num_device_alloc;
    count_reserved(block, bytes, &Stat::increase);
    block->segment_context = context;
    remember(Action::SEGMENT_MAP, block, bytes, context);
    if (pool.owner == nullptr) annotate_free(block->data, bytes, stream);
    merge(block, block->previous);
    merge(block, block->next);
    return block;
  }
  join_holes(block);
  return nullptr;
}

// Puts the hole back, together with those next to it. A segment that is one hole ends.
void DeviceCachingAllocator::join_holes(Block* hole) {
  BlockPool& pool = *hole->pool;
  if (Block* next = hole->next; next != nullptr && !next->mapped) {
    pool.holes.erase(next);
    hole->size += next->size;
    hole->next = next->next;
    if (hole->next != nullptr) hole->next->previous = hole;
    delete next;
  }
  if (Block* before = hole->previous; before != nullptr && !before->mapped) {
    pool.holes.erase(before);
    before->size += hole->size;
    before->next = hole->next;
    if (before->next != nullptr) before->next->previous = before;
    delete hole;
    hole = before;
  }
  if (hole->split()) {
    pool.holes.insert(hole);
    return;
  }
  for_stats(hole, [&](size_t i) { stats_.segment[i].decrease(1); });
  expandable_.erase(hole->data);
  delete hole;
}

bool DeviceCachingAllocator::shrink(BlockPool& pool) {
  std::vector<Block*> free;
  std::copy_if(
      pool.blocks.begin(), pool.blocks.end(), std::back_inserter(free),
      [](const Block* block) { return block->segment != nullptr; });
  bool any = false;
  for (Block* block : free) {
    any |= shrink(block);
  }
  return any;
}

// Makes a hole of the chunks that lie in the free block.
bool DeviceCachingAllocator::shrink(Block* block) {
  ExpandableSegment& segment = *block->segment;
  const size_t chunk = segment.chunk();
  const auto offset = static_cast<size_t>(block->data - segment.data());
  const size_t from = (offset + chunk - 1) / chunk * chunk;
  const size_t to = (offset + block->size) / chunk * chunk;
  if (from >= to) return false;
  BlockPool& pool = *block->pool;
  pool.blocks.erase(block);
  Block* hole = block;
  if (from > offset) {
    hole = split_off(block, from - offset);
    pool.blocks.insert(block);
  }
  if (hole->size > to - from) pool.blocks.insert(split_off(hole, to - from));
  {
    const impl::RelaxedCapture relaxed;
    C10_CUDA_CHECK(cudaStreamSynchronize(hole->stream)); // unmapping does not wait for kernels
    segment.unmap(hole->data, hole->size);
  }
  reserved_ -= hole->size;
  ++stats_.num_device_free;
  count_reserved(hole, hole->size, &Stat::decrease);
  remember(Action::SEGMENT_UNMAP, hole, hole->size, hole->segment_context);
  hole->mapped = false;
  join_holes(hole);
  return true;
}

} // namespace c10::cuda::CUDACachingAllocator

#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/impl/AllocatorAnnotations.h>
#include <c10/cuda/impl/DeviceCachingAllocator.h>
#include <c10/cuda/impl/RelaxedCapture.h>

#include <bit>

namespace c10::cuda::CUDACachingAllocator {

namespace {

size_t rounded_up(size_t bytes, size_t step) {
  return (bytes + step - 1) / step * step;
}

size_t block_size(size_t bytes) {
  if (bytes < kMinBlock) return kMinBlock;
  const size_t divisions = config().divisions_for(bytes);
  if (divisions > 1 && bytes > kMinBlock * divisions) {
    const size_t power = std::bit_floor(bytes);
    return rounded_up(bytes, std::max(power / divisions, kMinBlock));
  }
  return rounded_up(bytes, kMinBlock);
}

size_t segment_size(size_t size) {
  if (size <= kSmallSize) return kSmallSegment;
  if (size < kMinLargeAlloc) return kLargeSegment;
  return rounded_up(size, kRoundLarge);
}

// Whether a cached block may be given out for the size under max_split_size.
bool fits(const Block* block, size_t size) {
  const size_t limit = config().max_split_size;
  if (size < limit) return block->size < limit;
  return block->size < size + config().max_non_split_rounding;
}

} // namespace

DeviceCachingAllocator::DeviceCachingAllocator(DeviceIndex device)
    : device_(device), small_(true), large_(false) {
  if (const auto fraction = config().memory_fraction) set_memory_fraction(*fraction);
}

Block* DeviceCachingAllocator::allocate(size_t bytes, cudaStream_t stream) {
  const Context context = record_context(ContextLevel::STATE);
  const Lock lock(mutex_);
  process_events(false);
  const size_t size = block_size(bytes);
  const size_t segment = segment_size(size);
  BlockPool& pool = pool_for(size, stream);
  if (!pool.small) ++large_requests_;

  Block* block = find_free(pool, size, stream);
  if (block == nullptr) {
    if (config().garbage_collection_threshold > 0) collect_garbage(segment);
    block = new_segment(pool, segment, stream, context);
  }
  if (block == nullptr && release_cached()) {
    ++stats_.num_alloc_retries;
    block = new_segment(pool, segment, stream, context);
  }
  if (block == nullptr) out_of_memory(bytes, segment, stream, context);

  block = cut(block, size);
  block->allocated = true;
  block->requested = bytes;
  block->context = context;
  active_.insert(block);
  for_stats(block, [&](size_t i) {
    stats_.allocation[i].increase(1);
    stats_.allocated_bytes[i].increase(block->size);
    stats_.active[i].increase(1);
    stats_.active_bytes[i].increase(block->size);
    stats_.requested_bytes[i].increase(bytes);
  });
  if (block->size >= config().max_split_size) stats_.oversize_allocations.increase(1);
  remember(Action::ALLOC, block, block->size, context);
  if (pool.owner == nullptr) annotate_allocation(block->data, block->size, stream);
  return block;
}

BlockPool& DeviceCachingAllocator::pool_for(size_t size, cudaStream_t stream) {
  const bool small = size <= kSmallSize;
  const auto redirection = std::find_if(
      redirections_.rbegin(), redirections_.rend(),
      [&](const Redirection& each) { return each.filter(stream); });
  if (redirection != redirections_.rend()) {
    PrivatePool& pool = *private_pools_.at(redirection->pool);
    return small ? pool.small : pool.large;
  }
  return small ? small_ : large_;
}

Block* DeviceCachingAllocator::find_free(BlockPool& pool, size_t size, cudaStream_t stream) {
  Block key{device_, stream, size, 0, &pool, nullptr};
  const auto found = pool.blocks.lower_bound(&key);
  if (found == pool.blocks.end() || (*found)->stream != stream) return nullptr;
  Block* block = *found;
  if (!pool.small && block->segment == nullptr && !fits(block, size)) return nullptr;
  pool.blocks.erase(found);
  count_inactive(block, false);
  return block;
}

Block* DeviceCachingAllocator::new_segment(
    BlockPool& pool, size_t size, cudaStream_t stream, const Context& context) {
  if (uses_expandable(pool)) return grow(pool, size, stream, context);
  if (limit_ && reserved_ + size > *limit_) return nullptr;
  void* data = nullptr;
  {
    const impl::RelaxedCapture relaxed;
    if (pool.owner != nullptr && pool.owner->source != nullptr) {
      data = pool.owner->source->allocate_on(device_, size, stream);
      if (data == nullptr) return nullptr;
    } else {
      const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaMalloc(&data, size));
      if (error == cudaErrorMemoryAllocation) {
        C10_CUDA_CLEAR_ERROR();
        return nullptr;
      }
      C10_CUDA_CHECK(error);
    }
  }
  auto block = std::make_unique<Block>(
      Block{device_, stream, size, 0, &pool, static_cast<std::byte*>(data)});
  reserved_ += size;
  ++stats_.num_device_alloc;
  block->segment_context = context;
  for_stats(block.get(), [&](size_t i) { stats_.segment[i].increase(1); });
  count_reserved(block.get(), size, &Stat::increase);
  if (size >= config().max_split_size) stats_.oversize_segments.increase(1);
  remember(Action::SEGMENT_ALLOC, block.get(), size, context);
  if (pool.owner == nullptr) annotate_free(data, size, stream);
  return block.release(); // owned by the list of its segment, until free_segment()
}

// Gives the front of the block, and puts the rest back if it is worth keeping.
Block* DeviceCachingAllocator::cut(Block* block, size_t size) {
  const size_t rest = block->size - size;
  const bool worth_it = block->pool->small || block->segment != nullptr
      ? rest >= kMinBlock
      : rest > kSmallSize && size < config().max_split_size;
  if (!worth_it) return block;
  Block* remaining = split_off(block, size);
  remaining->idle = large_requests_;
  block->pool->blocks.insert(remaining);
  count_inactive(remaining, true);
  return block;
}

// Makes the part of the block behind its first bytes a block of its own.
Block* DeviceCachingAllocator::split_off(Block* block, size_t size) {
  auto* rest = new Block(*block); // owned by the segment's list
  rest->data += size;
  rest->size -= size;
  rest->requested = 0;
  rest->allocated = false;
  rest->uses.clear();
  rest->context = nullptr;
  rest->previous = block;
  if (block->next != nullptr) block->next->previous = rest;
  block->next = rest;
  block->size = size;
  return rest;
}

void DeviceCachingAllocator::free(Block* block) {
  const Context context = record_context(ContextLevel::ALL);
  const Lock lock(mutex_);
  remember(Action::FREE_REQUESTED, block, block->size, context);
  if (block->size >= config().max_split_size) stats_.oversize_allocations.decrease(1);
  block->allocated = false;
  for_stats(block, [&](size_t i) {
    stats_.allocation[i].decrease(1);
    stats_.allocated_bytes[i].decrease(block->size);
  });
  if (block->uses.empty()) {
    make_free(block);
  } else if (is_capturing()) {
    waiting_for_capture_.push_back(block); // an event of now would become part of the graph
  } else {
    insert_events(block);
  }
}

void DeviceCachingAllocator::record_stream(Block* block, CUDAStream stream) {
  const Lock lock(mutex_);
  if (stream.stream() == block->stream) return;
  if (std::find(block->uses.begin(), block->uses.end(), stream) == block->uses.end()) {
    block->uses.push_back(stream);
  }
}

void DeviceCachingAllocator::insert_events(Block* block) {
  for (const CUDAStream& stream : std::exchange(block->uses, {})) {
    CUDAEvent event;
    if (!spare_events_.empty()) {
      event = std::move(spare_events_.back());
      spare_events_.pop_back();
    }
    event.record(stream);
    ++block->events;
    events_[stream].emplace_back(std::move(event), block);
  }
}

void DeviceCachingAllocator::process_events(bool wait) {
  if (is_capturing()) return; // asking for events is illegal then
  for (Block* block : std::exchange(waiting_for_capture_, {})) {
    insert_events(block);
  }
  for (auto& [stream, queue] : events_) {
    while (!queue.empty()) {
      auto& [event, block] = queue.front();
      if (wait) event.synchronize();
      if (!event.query()) break;
      if (event.device_index() == device_) spare_events_.push_back(std::move(event));
      if (--block->events == 0) make_free(block);
      queue.pop_front();
    }
  }
}

void DeviceCachingAllocator::make_free(Block* block) {
  remember(Action::FREE_COMPLETED, block, block->size, block->context);
  block->context = nullptr;
  active_.erase(block);
  for_stats(block, [&](size_t i) {
    stats_.active[i].decrease(1);
    stats_.active_bytes[i].decrease(block->size);
    stats_.requested_bytes[i].decrease(block->requested);
  });
  if (block->pool->owner == nullptr) annotate_free(block->data, block->size, block->stream);
  block->requested = 0;
  block->idle = large_requests_;
  merge(block, block->next);
  merge(block, block->previous);
  block->pool->blocks.insert(block);
  count_inactive(block, true);
}

// Makes the free neighbour part of the block.
void DeviceCachingAllocator::merge(Block* block, Block* neighbour) {
  if (neighbour == nullptr || !neighbour->mapped || neighbour->allocated ||
      active_.count(neighbour) != 0) {
    return;
  }
  neighbour->pool->blocks.erase(neighbour);
  count_inactive(neighbour, false);
  if (neighbour == block->next) {
    block->next = neighbour->next;
    if (block->next != nullptr) block->next->previous = block;
  } else {
    block->data = neighbour->data;
    block->previous = neighbour->previous;
    if (block->previous != nullptr) block->previous->next = block;
  }
  block->size += neighbour->size;
  delete neighbour;
}

void DeviceCachingAllocator::free_segment(Block* block) {
  block->pool->blocks.erase(block);
  {
    const impl::RelaxedCapture relaxed;
    const PrivatePool* owner = block->pool->owner;
    if (owner != nullptr && owner->source != nullptr) {
      owner->source->release(block->data);
    } else {
      C10_CUDA_CHECK(cudaFree(block->data));
    }
  }
  reserved_ -= block->size;
  ++stats_.num_device_free;
  for_stats(block, [&](size_t i) { stats_.segment[i].decrease(1); });
  count_reserved(block, block->size, &Stat::decrease);
  if (block->size >= config().max_split_size) stats_.oversize_segments.decrease(1);
  remember(Action::SEGMENT_FREE, block, block->size, block->segment_context);
  delete block;
}

// Returns to the driver what no block uses. Returns whether there was anything.
bool DeviceCachingAllocator::release_cached(BlockPool& pool) {
  std::vector<Block*> whole;
  std::copy_if(
      pool.blocks.begin(), pool.blocks.end(), std::back_inserter(whole),
      [](const Block* block) { return block->segment == nullptr && !block->split(); });
  for (Block* block : whole) {
    free_segment(block);
  }
  return shrink(pool) || !whole.empty();
}

bool DeviceCachingAllocator::release_cached() {
  ++stats_.num_sync_all_streams;
  process_events(true);
  if (is_capturing()) return false; // cudaFree would wait for the captured stream
  bool any = release_cached(small_);
  any |= release_cached(large_);
  for (auto& [id, pool] : private_pools_) {
    if (pool->uses > 0) continue;
    any |= release_cached(pool->small);
    any |= release_cached(pool->large);
  }
  std::erase_if(private_pools_, [&](const auto& entry) {
    const PrivatePool& pool = *entry.second;
    const auto inside = [&](const Block* block) { return block->pool->owner == &pool; };
    return pool.uses == 0 && pool.small.blocks.empty() && pool.large.blocks.empty() &&
        std::none_of(active_.begin(), active_.end(), inside);
  });
  return any;
}

bool DeviceCachingAllocator::is_capturing() const {
  return std::any_of(redirections_.begin(), redirections_.end(), [](const Redirection& each) {
    return each.capture;
  });
}

// Frees whole large blocks, those first that were free for longest, until the new segment fits
// under the threshold.
void DeviceCachingAllocator::collect_garbage(size_t needed) {
  const size_t total = limit_.value_or(device_properties(device_).totalGlobalMem);
  const auto threshold =
      static_cast<size_t>(config().garbage_collection_threshold * static_cast<double>(total));
  if (reserved_ + needed <= threshold || is_capturing()) return;
  std::vector<Block*> whole;
  std::copy_if(
      large_.blocks.begin(), large_.blocks.end(), std::back_inserter(whole),
      [](const Block* block) { return block->segment == nullptr && !block->split(); });
  std::stable_sort(
      whole.begin(), whole.end(), [](const Block* a, const Block* b) { return a->idle < b->idle; });
  for (Block* block : whole) {
    if (reserved_ + needed <= threshold) return;
    free_segment(block);
  }
}

void DeviceCachingAllocator::count_reserved(
    const Block* block, size_t bytes, void (Stat::*update)(size_t)) {
  for_stats(block, [&](size_t i) {
    (stats_.reserved_bytes[i].*update)(bytes);
    if (PrivatePool* owner = block->pool->owner) (owner->reserved_bytes[i].*update)(bytes);
  });
}

void DeviceCachingAllocator::remember(
    Action action, const Block* block, size_t bytes, const Context& context) {
  if (history_options() == nullptr) return;
  TraceEntry entry;
  entry.action = action;
  entry.address = reinterpret_cast<size_t>(block->data);
  entry.size = bytes;
  entry.stream = block->stream;
  entry.context = context;
  if (block->pool->owner != nullptr) entry.pool = block->pool->owner->id;
  history_.record(std::move(entry));
}

// A free block of a segment that is partly in use, and cannot shrink, appeared or went.
void DeviceCachingAllocator::count_inactive(const Block* block, bool appears) {
  if (!block->split() || block->segment != nullptr) return;
  for_stats(block, [&](size_t i) {
    if (appears) {
      stats_.inactive_split[i].increase(1);
      stats_.inactive_split_bytes[i].increase(block->size);
    } else {
      stats_.inactive_split[i].decrease(1);
      stats_.inactive_split_bytes[i].decrease(block->size);
    }
  });
}

} // namespace c10::cuda::CUDACachingAllocator

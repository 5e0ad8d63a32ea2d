// What the caching allocator says about itself: out-of-memory errors, statistics and snapshots.

#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/impl/DeviceCachingAllocator.h>

#include <cstdio>

namespace c10::cuda::CUDACachingAllocator {

namespace {

std::string in_units(size_t bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto number = static_cast<double>(bytes);
  size_t unit = 0;
  while (number >= 1024 && unit + 1 < std::size(units)) {
    number /= 1024;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.2f %s", number, units[unit]);
  return text;
}

constexpr auto kAll = static_cast<size_t>(StatType::AGGREGATE);

void for_all(DeviceStats& stats, void (*update)(Stat&)) {
  for (StatArray* array :
       {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split,
        &stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes,
        &stats.inactive_split_bytes, &stats.requested_bytes}) {
    for (Stat& stat : *array) {
      update(stat);
    }
  }
  update(stats.oversize_allocations);
  update(stats.oversize_segments);
}

} // namespace

void Stat::increase(size_t amount) {
  current += static_cast<int64_t>(amount);
  peak = std::max(current, peak);
  allocated += static_cast<int64_t>(amount);
}
void Stat::decrease(size_t amount) {
  current -= static_cast<int64_t>(amount);
  freed += static_cast<int64_t>(amount);
}

std::string DeviceCachingAllocator::what_is_held() const {
  const auto now = [](const StatArray& stat) { return static_cast<size_t>(stat[kAll].current); };
  const size_t allocated = now(stats_.allocated_bytes);
  const size_t waiting = now(stats_.active_bytes) - allocated;
  size_t largest = 0;
  for (const BlockPool* pool : {&small_, &large_}) {
    for (const Block* block : pool->blocks) {
      largest = std::max(largest, block->size);
    }
  }
  std::string text = "This process holds " + in_units(reserved_) + ": tensors use " +
      in_units(allocated) + " in " + std::to_string(now(stats_.allocation)) + " blocks, " +
      in_units(reserved_ - now(stats_.active_bytes)) + " are cached (the largest free piece has " +
      in_units(largest) + ")";
  if (waiting != 0) text += ", " + in_units(waiting) + " wait for other streams";
  if (!private_pools_.empty()) {
    text += ", graphs and MemPools keep " + std::to_string(private_pools_.size()) + " pools";
  }
  return text + ".";
}

void DeviceCachingAllocator::out_of_memory(
    size_t bytes, size_t segment, cudaStream_t stream, const Context& context) {
  ++stats_.num_ooms;
  size_t free = 0;
  size_t total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  TraceEntry entry;
  entry.action = Action::OOM;
  entry.address = free;
  entry.size = bytes;
  entry.stream = stream;
  entry.context = context;
  history_.record(std::move(entry));
  std::string text = "CUDA out of memory. Tried to allocate " + in_units(bytes) +
      " (a segment of " + in_units(segment) + ") on device " + std::to_string(device_) +
      ", which has " + in_units(total) + ", of which " + in_units(free) + " are free. ";
  if (limit_) text += "setMemoryFraction allows this process " + in_units(*limit_) + ". ";
  text += what_is_held();
  const auto cached = reserved_ - static_cast<size_t>(stats_.active_bytes[kAll].current);
  if (cached > bytes) {
    text +=
        " More is cached than was asked for, in pieces that are too small: "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True avoids such pieces, and "
        "max_split_size_mb:<n> keeps large ones whole.";
  }
  C10_THROW_ERROR(OutOfMemoryError, text);
}

void DeviceCachingAllocator::empty_cache() {
  const Lock lock(mutex_);
  release_cached();
}

void DeviceCachingAllocator::set_memory_fraction(double fraction) {
  TORCH_CHECK_VALUE(
      fraction >= 0 && fraction <= 1, "invalid fraction: ", fraction, ". Set within [0, 1].");
  const Lock lock(mutex_);
  const auto total = static_cast<double>(device_properties(device_).totalGlobalMem);
  limit_ = static_cast<size_t>(fraction * total);
}

DeviceStats DeviceCachingAllocator::stats() {
  const Lock lock(mutex_);
  DeviceStats stats = stats_;
  stats.max_split_size = static_cast<int64_t>(config().max_split_size);
  for (const auto& [id, pool] : private_pools_) {
    stats.reserved_bytes_of_private_pools[id] = pool->reserved_bytes;
  }
  return stats;
}
void DeviceCachingAllocator::reset_peak_stats() {
  const Lock lock(mutex_);
  for_all(stats_, [](Stat& stat) { stat.reset_peak(); });
  for (auto& [id, pool] : private_pools_) {
    for (Stat& stat : pool->reserved_bytes) {
      stat.reset_peak();
    }
  }
}
void DeviceCachingAllocator::reset_accumulated_stats() {
  const Lock lock(mutex_);
  for_all(stats_, [](Stat& stat) { stat.reset_accumulated(); });
  for (auto& [id, pool] : private_pools_) {
    for (Stat& stat : pool->reserved_bytes) {
      stat.reset_accumulated();
    }
  }
  stats_.num_alloc_retries = stats_.num_ooms = stats_.num_sync_all_streams = 0;
  stats_.num_device_alloc = stats_.num_device_free = 0;
}

std::vector<TraceEntry> DeviceCachingAllocator::trace() {
  const Lock lock(mutex_);
  return history_.entries();
}
void DeviceCachingAllocator::clear_trace() {
  const Lock lock(mutex_);
  history_.clear();
}

void DeviceCachingAllocator::append_snapshot(
    std::vector<SegmentInfo>& segments, MempoolId_t wanted) {
  const Lock lock(mutex_);
  if (history_options() != nullptr) {
    TraceEntry entry;
    entry.action = Action::SNAPSHOT;
    history_.record(std::move(entry));
  }
  const bool everything = wanted == MempoolId_t{0, 0};
  std::vector<const Block*> first;
  const auto add = [&](const Block* block) {
    const PrivatePool* const owner = block->pool->owner;
    if (!everything && (owner == nullptr || owner->id != wanted)) return;
    if (block->previous == nullptr || !block->previous->mapped) first.push_back(block);
  };
  const auto add_pool = [&](const BlockPool& pool) {
    std::for_each(pool.blocks.begin(), pool.blocks.end(), add);
  };
  add_pool(small_);
  add_pool(large_);
  for (const auto& [id, pool] : private_pools_) {
    add_pool(pool->small);
    add_pool(pool->large);
  }
  std::for_each(active_.begin(), active_.end(), add);
  std::sort(
      first.begin(), first.end(), [](const Block* a, const Block* b) { return a->data < b->data; });
  for (const Block* block : first) {
    SegmentInfo& segment = segments.emplace_back();
    segment.device = device_;
    segment.address = reinterpret_cast<size_t>(block->data);
    segment.stream = block->stream;
    segment.is_large = !block->pool->small;
    segment.is_expandable = block->segment != nullptr;
    segment.context = block->segment_context;
    if (block->pool->owner != nullptr) segment.owner_private_pool_id = block->pool->owner->id;
    for (; block != nullptr && block->mapped; block = block->next) {
      const bool active = active_.count(const_cast<Block*>(block)) != 0;
      segment.blocks.push_back(
          {block->size, block->requested, block->allocated, active, block->context});
      segment.total_size += block->size;
      segment.requested_size += block->requested;
      segment.allocated_size += block->allocated ? block->size : 0;
      segment.active_size += active ? block->size : 0;
    }
  }
}

} // namespace c10::cuda::CUDACachingAllocator

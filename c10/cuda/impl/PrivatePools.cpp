// The caching allocator's pools for captured graphs and for MemPools.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/impl/DeviceCachingAllocator.h>

namespace c10::cuda::CUDACachingAllocator {

// One more use of the pool, which is made if it does not exist.
void DeviceCachingAllocator::create_pool(MempoolId_t id, CUDAAllocator* source) {
  const Lock lock(mutex_);
  auto& pool = private_pools_[id];
  if (pool == nullptr) {
    pool = std::make_unique<PrivatePool>(id);
    pool->source = source;
  } else {
    TORCH_CHECK(
        source == nullptr || source == pool->source, "the pool has memory of another allocator");
    ++pool->uses;
  }
}

void DeviceCachingAllocator::begin_pool(
    MempoolId_t id, std::function<bool(cudaStream_t)> filter, bool capture) {
  const Lock lock(mutex_);
  create_pool(id, nullptr);
  redirections_.push_back({id, std::move(filter), capture});
}

void DeviceCachingAllocator::end_pool(MempoolId_t id) {
  const Lock lock(mutex_);
  const auto found = std::find_if(
      redirections_.rbegin(), redirections_.rend(),
      [&](const Redirection& each) { return each.pool == id; });
  TORCH_CHECK(found != redirections_.rend(), "endAllocateToPool without beginAllocateToPool");
  redirections_.erase(std::prev(found.base()));
}

void DeviceCachingAllocator::release_pool(MempoolId_t id) {
  const Lock lock(mutex_);
  const auto found = private_pools_.find(id);
  TORCH_CHECK(
      found != private_pools_.end() && found->second->uses > 0, "releasePool of an unknown pool");
  --found->second->uses;
}

void DeviceCachingAllocator::empty_cache(MempoolId_t id) {
  const Lock lock(mutex_);
  process_events(false);
  const auto found = private_pools_.find(id);
  if (found == private_pools_.end() || is_capturing()) return;
  release_cached(found->second->small);
  release_cached(found->second->large);
}

int DeviceCachingAllocator::pool_uses(MempoolId_t id) {
  const Lock lock(mutex_);
  const auto found = private_pools_.find(id);
  return found == private_pools_.end() ? 0 : found->second->uses;
}

} // namespace c10::cuda::CUDACachingAllocator

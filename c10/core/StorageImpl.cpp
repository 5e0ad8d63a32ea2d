#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/AllocatorRegistry.h>
#include <c10/core/impl/MemoryReport.h>

#include <cstdlib>
#include <new>

namespace c10 {

using impl::BlockKind;

namespace {

constexpr size_t kCacheLine = 64;
// malloc aligns to 16 bytes, so the next cache line is up to 48 bytes away.
constexpr size_t kBeforeData = sizeof(StorageImpl) + kCacheLine - 16;
constexpr size_t kRoomBehind = impl::block_bytes(BlockKind::Bytes120) - sizeof(StorageImpl);
constexpr size_t kSmallestRoom = 64, kRoomStep = 32, kLargestRoom = 256;
// A block that has no free list.
constexpr BlockKind kOwnBlock = BlockKind::NumKinds;

static_assert(kRoomBehind >= 40);
static_assert(
    impl::block_bytes(BlockKind::Storage64) >= kBeforeData + kSmallestRoom &&
    impl::block_bytes(BlockKind::Storage256) >= kBeforeData + kLargestRoom);

constexpr BlockKind kind_for_data(size_t bytes) {
  if (bytes <= kRoomBehind) {
    return BlockKind::Bytes120;
  }
  if (bytes > kLargestRoom) {
    return kOwnBlock;
  }
  const size_t steps = bytes <= kSmallestRoom ? 0 : (bytes - kSmallestRoom - 1) / kRoomStep + 1;
  return static_cast<BlockKind>(static_cast<size_t>(BlockKind::Storage64) + steps);
}
static_assert(kind_for_data(kLargestRoom) == BlockKind::Storage256);

void* allocate_with_data(BlockKind kind, size_t bytes) {
  if (kind != kOwnBlock) {
    return impl::allocate_block(kind);
  }
  void* block = std::malloc(kBeforeData + bytes);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return block;
}

} // namespace

StorageImpl::StorageImpl(BlockKind kind, size_t bytes, Allocator* allocator)
    : data_ptr_(bytes ? inline_data(kind) : nullptr, DeviceType::CPU),
      size_bytes_(bytes),
      allocator_(allocator),
      resizable_(true),
      kind_(kind) {}

void* StorageImpl::inline_data(BlockKind kind) const {
  char* const end = reinterpret_cast<char*>(const_cast<StorageImpl*>(this) + 1);
  const size_t to_cache_line = -reinterpret_cast<uintptr_t>(end) % kCacheLine;
  return kind == BlockKind::Bytes120 ? end : end + to_cache_line;
}

bool StorageImpl::is_inline() const {
  return data_ptr_.get() == inline_data(kind_);
}

void* StorageImpl::operator new(size_t size) {
  // A subclass has its own size and no inline data.
  return size == sizeof(StorageImpl) ? impl::allocate_block(BlockKind::Bytes120)
                                     : ::operator new(size);
}

void StorageImpl::operator delete(void* block, size_t size) noexcept {
  if (C10_LIKELY(size == sizeof(StorageImpl))) {
    impl::free_block(BlockKind::Bytes120, block);
  } else {
    ::operator delete(block);
  }
}

void StorageImpl::operator delete(
    StorageImpl* self, std::destroying_delete_t, size_t size) noexcept {
  if (C10_UNLIKELY(size != sizeof(StorageImpl))) {
    self->~StorageImpl();
    ::operator delete(static_cast<void*>(self));
    return;
  }
  const BlockKind kind = self->kind_;
  self->StorageImpl::~StorageImpl();
  if (C10_UNLIKELY(kind == kOwnBlock)) {
    std::free(self);
  } else {
    impl::free_block(kind, self);
  }
}

StorageImpl::~StorageImpl() = default;

intrusive_ptr<StorageImpl> StorageImpl::make_cpu(size_t bytes) {
  Allocator* allocator = impl::cpu_allocator.load(std::memory_order_acquire);
  // A profiler learns of allocations from the allocator.
  const bool profiled = impl::memory_report.load(std::memory_order_relaxed) != nullptr;
  if (!C10_SANITIZER_ENABLED && bytes <= kInlineBytes && !profiled &&
      allocator == &impl::default_cpu_allocator()) {
    const BlockKind kind = kind_for_data(bytes);
    void* block = allocate_with_data(kind, bytes);
    return intrusive_ptr<StorageImpl>::unsafe_steal_from_new(
        ::new (block) StorageImpl(kind, bytes, allocator));
  }
  return make_intrusive<StorageImpl>(use_byte_size_t{}, bytes, GetCPUAllocator(), true);
}

DataPtr StorageImpl::set_data_ptr(DataPtr&& data) {
  DataPtr old = std::move(data_ptr_);
  data_ptr_ = std::move(data);
  if (old.get() == inline_data(kind_)) {
    // The old data is inside this object, so the returned pointer keeps the object alive.
    raw::incref(this);
    return {
        old.get(), this, [](void* self) { raw::decref(static_cast<StorageImpl*>(self)); },
        old.device()};
  }
  return old;
}

void StorageImpl::release_resources() {
  data_ptr_.clear();
}

} // namespace c10

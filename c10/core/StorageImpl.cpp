#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/AllocatorRegistry.h>
#include <c10/core/impl/BlockCache.h>

#include <new>

namespace c10 {

using impl::BlockKind;

void* StorageImpl::operator new(size_t size) {
  // A subclass has its own size and no inline data.
  return size == sizeof(StorageImpl) ? impl::allocate_block<BlockKind::Bytes120>()
                                     : ::operator new(size);
}

void StorageImpl::operator delete(void* block, size_t size) noexcept {
  if (C10_LIKELY(size == sizeof(StorageImpl))) {
    impl::free_block<BlockKind::Bytes120>(block);
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
  const Room room = self->room_;
  self->StorageImpl::~StorageImpl();
  switch (room) {
    case Room::Bytes40:
      return impl::free_block<BlockKind::Bytes120>(self);
    case Room::Bytes64:
      return impl::free_block<BlockKind::Aligned192>(self);
    case Room::Bytes256:
      return impl::free_block<BlockKind::Aligned384>(self);
  }
}

StorageImpl::~StorageImpl() = default;

template <StorageImpl::Room room>
intrusive_ptr<StorageImpl> StorageImpl::make_inline(size_t bytes, Allocator* allocator) {
  constexpr BlockKind kind = room == Room::Bytes40 ? BlockKind::Bytes120
      : room == Room::Bytes64                      ? BlockKind::Aligned192
                                                   : BlockKind::Aligned384;
  void* block = impl::allocate_block<kind>();
  return intrusive_ptr<StorageImpl>::unsafe_steal_from_new(::new (block)
                                                               StorageImpl(room, bytes, allocator));
}

intrusive_ptr<StorageImpl> StorageImpl::make_cpu(size_t bytes) {
  static_assert(sizeof(StorageImpl) + 40 <= impl::block_bytes(BlockKind::Bytes120));
  static_assert(128 + 64 <= impl::block_bytes(BlockKind::Aligned192));
  static_assert(128 + kInlineBytes <= impl::block_bytes(BlockKind::Aligned384));
  Allocator* allocator = impl::cpu_allocator.load(std::memory_order_acquire);
  if (!C10_SANITIZER_ENABLED && bytes <= kInlineBytes &&
      allocator == &impl::default_cpu_allocator()) {
    return bytes <= 40 ? make_inline<Room::Bytes40>(bytes, allocator)
        : bytes <= 64  ? make_inline<Room::Bytes64>(bytes, allocator)
                       : make_inline<Room::Bytes256>(bytes, allocator);
  }
  return make_intrusive<StorageImpl>(use_byte_size_t{}, bytes, GetCPUAllocator(), true);
}

DataPtr StorageImpl::set_data_ptr(DataPtr&& data) {
  DataPtr old = std::move(data_ptr_);
  data_ptr_ = std::move(data);
  if (old.get() == inline_data(room_)) {
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

#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/AllocatorRegistry.h>
#include <c10/core/impl/BlockCache.h>

#include <new>

namespace c10 {

void* StorageImpl::operator new(size_t size) {
  // A subclass has its own size and no inline data.
  return size == sizeof(StorageImpl) ? impl::allocate_block<impl::BlockKind::Storage>()
                                     : ::operator new(size);
}

void StorageImpl::operator delete(void* block, size_t size) noexcept {
  if (C10_LIKELY(size == sizeof(StorageImpl))) {
    impl::free_block<impl::BlockKind::Storage>(block);
  } else {
    ::operator delete(block);
  }
}

StorageImpl::~StorageImpl() = default;

intrusive_ptr<StorageImpl> StorageImpl::make_cpu(size_t bytes) {
  static_assert(sizeof(StorageImpl) <= kInlineOffset && kInlineOffset % impl::kBlockAlignment == 0);
  static_assert(kInlineOffset + kInlineBytes == impl::kStorageBlockBytes);
  Allocator* allocator = impl::cpu_allocator.load(std::memory_order_acquire);
  if (!C10_SANITIZER_ENABLED && bytes <= kInlineBytes &&
      allocator == &impl::default_cpu_allocator()) {
    return intrusive_ptr<StorageImpl>::make(InlineData{}, bytes, allocator);
  }
  return make_intrusive<StorageImpl>(use_byte_size_t{}, bytes, GetCPUAllocator(), true);
}

DataPtr StorageImpl::set_data_ptr(DataPtr&& data) {
  DataPtr old = std::move(data_ptr_);
  data_ptr_ = std::move(data);
  if (old.get() == inline_data()) {
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

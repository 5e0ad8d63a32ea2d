#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/BlockCache.h>

#include <new>

namespace c10 {

namespace {
constexpr size_t kInlineOffset = impl::kStorageBlockBytes - StorageImpl::kInlineBytes;
}
static_assert(sizeof(StorageImpl) <= kInlineOffset && kInlineOffset % impl::kBlockAlignment == 0);

void* StorageImpl::operator new(size_t size) {
  // A subclass has its own size, and no inline data.
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

void* StorageImpl::inline_data() const {
  return reinterpret_cast<char*>(const_cast<StorageImpl*>(this)) + kInlineOffset;
}

intrusive_ptr<StorageImpl> StorageImpl::make_cpu(size_t bytes) {
  Allocator* allocator = GetCPUAllocator();
  const bool small = !C10_SANITIZER_ENABLED && bytes <= kInlineBytes && allocator == GetDefaultCPUAllocator();
  if (C10_UNLIKELY(!small)) {
    return make_intrusive<StorageImpl>(use_byte_size_t{}, bytes, allocator, true);
  }
  auto storage = make_intrusive<StorageImpl>(
      use_byte_size_t{}, bytes, DataPtr(nullptr, DeviceType::CPU), allocator, true);
  storage->data_ptr_ = DataPtr(bytes ? storage->inline_data() : nullptr, DeviceType::CPU);
  return storage;
}

DataPtr StorageImpl::set_data_ptr(DataPtr&& data) {
  DataPtr old = std::move(data_ptr_);
  data_ptr_ = std::move(data);
  if (old.get() == inline_data()) {
    // The old data lies in this object, which must live as long as the pointer that leaves.
    raw::incref(this);
    return {
        old.get(),
        this,
        [](void* self) { raw::decref(static_cast<StorageImpl*>(self)); },
        old.device()};
  }
  return old;
}

void StorageImpl::release_resources() {
  data_ptr_.clear();
}

} // namespace c10

#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/impl/BlockCache.h>
#include <c10/core/impl/PyObjectSlot.h>
#include <c10/util/intrusive_ptr.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace c10 {

// The memory that tensors view. Small data follows the StorageImpl in the same block, so a small
// tensor's data takes no allocation of its own: up to 40 bytes in the block that every StorageImpl
// has, and up to 1024 bytes in larger blocks, where the data begins at a cache line. Those of up to
// 256 bytes have free lists, the others come from malloc.
class C10_API StorageImpl : public intrusive_ptr_target {
 public:
  struct use_byte_size_t {};
  static constexpr size_t kInlineBytes = 1024;

  StorageImpl(use_byte_size_t, size_t bytes, DataPtr data, Allocator* allocator, bool resizable)
      : data_ptr_(std::move(data)),
        size_bytes_(bytes),
        allocator_(allocator),
        resizable_(resizable) {}
  StorageImpl(use_byte_size_t tag, size_t bytes, Allocator* allocator, bool resizable)
      : StorageImpl(tag, bytes, allocator->allocate(bytes), allocator, resizable) {}
  ~StorageImpl() override;

  // Allocates CPU memory from the default allocator, or inline when it fits.
  static intrusive_ptr<StorageImpl> make_cpu(size_t bytes);

  static void* operator new(size_t size);
  // For a constructor that throws.
  static void operator delete(void* block, size_t size) noexcept;
  // For a delete expression: the block's kind is read before the object is destroyed.
  static void operator delete(StorageImpl* self, std::destroying_delete_t, size_t size) noexcept;

  size_t nbytes() const { return size_bytes_; }
  size_t sym_nbytes() const { return size_bytes_; }
  void set_nbytes(size_t bytes) { size_bytes_ = bytes; }
  bool resizable() const { return resizable_; }
  void set_resizable(bool resizable) { resizable_ = resizable; }

  const DataPtr& data_ptr() const { return data_ptr_; }
  DataPtr& mutable_data_ptr() { return data_ptr_; }
  const void* data() const { return data_ptr_.get(); }
  void* mutable_data() { return data_ptr_.get(); }
  template <typename T>
  T* unsafe_data() const {
    return static_cast<T*>(data_ptr_.get());
  }

  // Replaces the memory and returns the old one.
  DataPtr set_data_ptr(DataPtr&& data);
  void set_data_ptr_noswap(DataPtr&& data) { data_ptr_ = std::move(data); }

  DeviceType device_type() const { return data_ptr_.device().type(); }
  Device device() const { return data_ptr_.device(); }
  Allocator* allocator() { return allocator_; }
  const Allocator* allocator() const { return allocator_; }
  void set_allocator(Allocator* allocator) { allocator_ = allocator; }
  bool is_inline() const;

  impl::PyObjectSlot* pyobj_slot() { return &pyobj_slot_; }
  const impl::PyObjectSlot* pyobj_slot() const { return &pyobj_slot_; }

 private:
  // With `bytes` of inline data in a block of this kind.
  StorageImpl(impl::BlockKind kind, size_t bytes, Allocator* allocator);

  void release_resources() override;
  void* inline_data(impl::BlockKind kind) const;

  DataPtr data_ptr_;
  size_t size_bytes_;
  Allocator* allocator_;
  impl::PyObjectSlot pyobj_slot_;
  bool resizable_;
  impl::BlockKind kind_ = impl::BlockKind::Bytes120;
};

} // namespace c10

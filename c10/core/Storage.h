#pragma once

#include <c10/core/StorageImpl.h>

namespace c10 {

// A counted reference to a StorageImpl.
struct Storage {
 public:
  using use_byte_size_t = StorageImpl::use_byte_size_t;

  Storage() = default;
  Storage(intrusive_ptr<StorageImpl> impl) : impl_(std::move(impl)) {}
  Storage(use_byte_size_t tag, size_t bytes, Allocator* allocator = nullptr, bool resizable = false)
      : impl_(make_intrusive<StorageImpl>(tag, bytes, allocator, resizable)) {}
  Storage(
      use_byte_size_t tag, size_t bytes, DataPtr data, Allocator* allocator = nullptr,
      bool resizable = false)
      : impl_(make_intrusive<StorageImpl>(tag, bytes, std::move(data), allocator, resizable)) {}

  size_t nbytes() const { return impl_->nbytes(); }
  size_t sym_nbytes() const { return impl_->nbytes(); }
  void set_nbytes(size_t bytes) const { impl_->set_nbytes(bytes); }
  bool resizable() const { return impl_->resizable(); }
  const void* data() const { return impl_->data(); }
  void* mutable_data() const { return impl_->mutable_data(); }
  const DataPtr& data_ptr() const { return impl_->data_ptr(); }
  DataPtr& mutable_data_ptr() const { return impl_->mutable_data_ptr(); }
  DataPtr set_data_ptr(DataPtr&& data) const { return impl_->set_data_ptr(std::move(data)); }
  void set_data_ptr_noswap(DataPtr&& data) const { impl_->set_data_ptr_noswap(std::move(data)); }
  DeviceType device_type() const { return impl_->device_type(); }
  Device device() const { return impl_->device(); }
  Allocator* allocator() const { return impl_->allocator(); }

  StorageImpl* unsafeReleaseStorageImpl() { return impl_.release(); }
  StorageImpl* unsafeGetStorageImpl() const noexcept { return impl_.get(); }
  const intrusive_ptr<StorageImpl>& getIntrusivePtr() const { return impl_; }
  explicit operator bool() const { return impl_.defined(); }
  size_t use_count() const { return impl_.use_count(); }
  bool unique() const { return impl_.unique(); }
  bool is_alias_of(const Storage& other) const { return impl_ == other.impl_; }

 private:
  intrusive_ptr<StorageImpl> impl_;
};

} // namespace c10

namespace at {
using c10::DataPtr;
using c10::Storage;
} // namespace at
